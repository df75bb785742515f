import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { getNodeValue } from 'jsonc-parser'
import { ConfigError, type ConfigPlace } from '../../errors.js'
import type { ServerOptions } from '../server-options.js'
import { hostFields, ourFields, readEntry } from './entry.js'
import { type InputRequest, Inputs } from './inputs.js'
import { JsonText } from './json-text.js'
import { type Field, isObject, Place } from './place.js'
import { variablesIn } from './variables.js'
import { Expansion, type World } from './world.js'

/** What a configuration says of one server. */
export interface ConfigEntry {
  readonly name: string
  readonly at: ConfigPlace
  /** What is odd about it, in words for a person: fields that nobody knows, names that stand there twice. */
  readonly warnings: readonly string[]
  /** Fields that are not ours, as they stand there; for the host. They may hold secrets. */
  readonly extra: Readonly<Record<string, unknown>>
  /**
   * Its options, every variable filled in; a promise only where a person has to be asked.
   *
   * @throws ConfigError that names file, line, server and field
   */
  resolve(): ServerOptions | Promise<ServerOptions>
}

export interface HubConfig {
  readonly file?: string
  readonly entries: readonly ConfigEntry[]
}

export interface ConfigOptions {
  /** Variables for `${NAME}`. Default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Asks a person for `${input:id}`; `undefined` is no answer. Asked once for each id. Default: there is no answer. */
  readonly input?: (request: InputRequest) => string | undefined | Promise<string | undefined>
  /** For `${workspaceFolder}`. Default: the folder of the file, or the one above where that is `.vscode`, `.cursor` …. */
  readonly workspaceFolder?: string
  /** Changes an entry before it is read, for fields of the application's own; what it takes out is not warned of. */
  readonly prepare?: (name: string, entry: Readonly<Record<string, unknown>>) => Record<string, unknown>
}

/** @throws ConfigError when the file as a whole cannot be used; what is wrong with one server is told by that entry */
export function readConfig(file: string, options: ConfigOptions = {}, inputs = new Inputs(options.input)): HubConfig {
  return parseConfig(readText(file), file, options, inputs)
}

/** @throws ConfigError as {@link readConfig} */
export function parseConfig(
  text: string,
  file: string,
  options: ConfigOptions = {},
  inputs = new Inputs(options.input),
): HubConfig {
  const json = new JsonText(text, file)
  const root = new Place({ file, text: json }, getNodeValue(json.root), json.root)
  const { servers, inputs: declared, unread } = sections(root)
  const world = worldOf(file, options)
  inputs.declare(declared)
  const twice = new Map<string, string>()
  const fields = servers.fields((name, first, last) => {
    twice.set(name, `stands twice in the file, at line ${first.at.line} and line ${last.at.line}; the last one counts`)
  })
  const entries = fields.map((field) => entryOf(field, twice.get(field.name), world, inputs, options))
  // A file has no warnings of its own; whoever reads those of its first server is told.
  const [first, ...others] = entries
  if (!first || unread.length === 0) return { file, entries }
  const names = `names servers too, and is not read: those of line ${servers.at.line} count`
  const warnings = [...first.warnings, ...unread.map((section) => section.say(names))]
  return { file, entries: [{ ...first, warnings }, ...others] }
}

/**
 * Whether a text names any server.
 *
 * @throws ConfigError when it cannot be read as JSON
 */
export function namesServers(text: string, file: string): boolean {
  const json = new JsonText(text, file)
  const value: unknown = getNodeValue(json.root)
  const found = formats.map((path) => path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value))
  return found.some((servers) => isObject(servers) && Object.keys(servers).length > 0)
}

/** @throws ConfigError when it cannot be read */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ConfigError(`${file} cannot be read.`, { cause, at: { file } })
  }
}

/** Where each format keeps its servers. */
const formats: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['mcp', 'servers'],
  ['mcp', 'mcpServers'],
  ['context_servers'],
]

/** The first section that names a server; an empty one counts where no other does. `unread`: others that name some. */
function sections(root: Place): { servers: Place; inputs?: Place; unread: Place[] } {
  const found = formats.flatMap((path) => {
    let [above, at]: [Place, Place | undefined] = [root, root]
    for (const name of path) {
      above = at as Place
      at = above.fields().find((field) => field.name === name)?.value
      if (!at) return []
    }
    return [{ servers: at, above }]
  })
  const [filled, ...unread] = found.filter((one) => one.servers.fields().length > 0)
  const { servers, above } =
    filled ?? found[0] ?? root.refuse('names no servers: it has neither mcpServers nor servers')
  const inputs = above.fields().find(({ name }) => name === 'inputs')?.value
  return { servers, inputs, unread: unread.map((one) => one.servers) }
}

function entryOf(
  { name, value }: Field,
  twice: string | undefined,
  world: World,
  inputs: Inputs,
  { prepare }: ConfigOptions,
): ConfigEntry {
  const warnings: string[] = twice === undefined ? [] : [value.asServer(name).say(twice)]
  const { raw } = value
  const isEntry = isObject(raw)
  let [prepared, unprepared]: [unknown, unknown] = [raw, undefined]
  try {
    if (isEntry && prepare) prepared = prepare(name, raw)
  } catch (error) {
    unprepared = error
  }
  const place = value.asServer(name, prepared)
  const extra: Record<string, unknown> = {}
  if (isEntry) {
    const fields = place.fields((_, first, last) => {
      warnings.push(last.say(`stands twice, at line ${first.at.line} and line ${last.at.line}; the last one counts`))
    })
    for (const field of fields) {
      if (ourFields.has(field.name)) continue
      extra[field.name] = field.value.raw
      if (!hostFields.has(field.name)) warnings.push(field.value.say('is not known here, and kept as it is'))
    }
  }
  const asked = inputIds(prepared)
  return {
    name,
    at: place.at,
    warnings,
    extra,
    resolve: () => {
      if (name === '') return place.refuse('needs a name')
      if (unprepared !== undefined) throw unprepared
      const known = inputs.known(asked)
      if (known) return readEntry(place, new Expansion(world, known))
      return inputs.answer(asked, name).then((answers) => readEntry(place, new Expansion(world, answers)))
    },
  }
}

/** Ids of all inputs that the texts of the value name. */
function inputIds(value: unknown): string[] {
  if (typeof value === 'string') {
    return [...new Set(variablesIn(value).flatMap(({ kind, name }) => (kind === 'input' ? [name] : [])))]
  }
  if (typeof value !== 'object' || value === null) return []
  return [...new Set(Object.values(value).flatMap(inputIds))]
}

/** Folders in which hosts keep their file within a project. */
const hostFolders = new Set(['.vscode', '.cursor', '.idea', '.gemini', '.windsurf', '.roo', '.claude', '.config'])

function worldOf(file: string, { env = process.env, workspaceFolder }: ConfigOptions): World {
  const folder = dirname(resolve(file))
  const project = hostFolders.has(basename(folder)) ? dirname(folder) : folder
  return { env, folder, workspaceFolder: workspaceFolder ?? project }
}
