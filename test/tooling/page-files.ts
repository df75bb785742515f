/** The files of src/inspect that are served or run as they are. */
import { cpSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Puts them beside what was compiled into that folder. */
export function copyPageFiles(compiled: string): void {
  cpSync('src/inspect', join(compiled, 'src/inspect'), {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || /\.(js|css|html|svg)$/.test(path),
  })
}
