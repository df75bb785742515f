import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { parseSync, Visitor, type VisitorObject } from 'oxc-parser'

/** One TypeScript file: its path from the root with forward slashes, and its text. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** Every `.ts` file under the given folders. A folder that is not there is an error, never an empty answer. */
export function readSources(root: string, folders: readonly string[]): Source[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(root, file).split(sep).join('/'), file }))
    .filter(({ path }) => !path.includes('node_modules/'))
    .map(({ path, file }) => ({ path, text: readFileSync(file, 'utf8') }))
}

/** Walks the syntax tree of a source; `lineOf` turns a node's `start` into its line. */
export function visit(source: Source, visitor: (lineOf: (start: number) => number) => VisitorObject): void {
  const { program, errors } = parseSync(source.path, source.text)
  const error = errors[0]
  if (error) throw new Error(`${source.path} does not parse: ${error.message}`)
  new Visitor(visitor((start) => source.text.slice(0, start).split('\n').length)).visit(program)
}
