/** Which configuration is meant where none is named. */
import { existsSync } from 'node:fs'
import { ConfigError } from '../errors.js'
import { namesServers, parseConfig, readText } from '../hub/index.js'
import { redact } from '../redact.js'
import type { Io } from './io.js'
import { usualPlaces } from './places.js'
import type { Prompt } from './prompt.js'
import { column, columnsFor, printable } from './text.js'
import { shellWord } from './trouble.js'

/**
 * The first usual place with a file that names a server. One that came with the folder is used only when the person at
 * the terminal says so: its programs would be run, and a folder is easily somebody else's.
 *
 * @throws ConfigError when there is none, when nobody can be asked, or when one that stands before it cannot be read: it
 * may be the one meant
 */
export async function discover(io: Io, prompt: Prompt, folder?: string): Promise<string> {
  const { project, personal } = usualPlaces(io.env, folder)
  const near = firstOf(project)
  if (near !== undefined) {
    if (!prompt.canAsk) throw new ConfigError(refusal(near, firstOf(personal)), { at: { file: near } })
    io.stderr.write(`lifeline: ${printable(near)} came with this folder. It names:\n${wouldRun(near)}`)
    if (await prompt.confirm('Run that? [y/N] ')) return near
  }
  const own = firstOf(personal)
  if (own !== undefined) return own
  const looked = [...project, ...personal].map((place) => `\n  ${place}`).join('')
  throw new ConfigError(
    `No configuration was found. Name one with --config FILE. These files were looked for:${looked}`,
  )
}

const firstOf = (places: readonly string[]): string | undefined =>
  places.find((file) => existsSync(file) && namesServers(readText(file), file))

function refusal(near: string, own: string | undefined): string {
  const other = own === undefined ? '' : `\nFor your own servers: --config ${shellWord(own)}`
  return `${near} came with this folder, and what it names would be run. Have a look at it, then name it: --config ${shellWord(near)}${other}`
}

/** Each server with its whole command or address, as it stands there: the person decides by it, and its end may matter most. */
function wouldRun(file: string): string {
  const found: [name: string, what: string][] = []
  const prepare = (name: string, entry: Readonly<Record<string, unknown>>) => {
    found.push([printable(name), printable(redact(whatOf(entry)))])
    return { ...entry }
  }
  parseConfig(readText(file), file, { prepare })
  const names = columnsFor(found.map(([name]) => name))
  return found.map(([name, what]) => `  ${column(name, names)}${what}\n`).join('')
}

function whatOf({ command, args, serve, url, serverUrl, httpUrl }: Readonly<Record<string, unknown>>): string {
  if (typeof serve === 'object' && serve !== null) return whatOf({ ...serve })
  if (command === undefined) return String(url ?? serverUrl ?? httpUrl ?? '')
  return [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ')
}
