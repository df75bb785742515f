/** Reads the file that names the servers to connect to. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConfigError } from '../errors.js'
import type { HttpTarget, StdioTarget } from '../index.js'

/** A program with its surroundings. */
export interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface ServerEntry {
  readonly name: string
  readonly target: StdioTarget | (HttpTarget & { readonly url: string })
  /** Run first, on this machine, so that there is something at the target's url. */
  readonly serve?: Command
}

/** Stands for a free port of this machine, in the url and in the command that serves it. */
const PORT = '{port}'

/** @throws ConfigError that names the file, the place in it, and what it may be */
export async function readServers(file: string): Promise<ServerEntry[]> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw new ConfigError(`${file} cannot be read.`, undefined, { cause })
  }
  return parseServers(text, file)
}

/** @throws ConfigError as {@link readServers} */
export function parseServers(text: string, file: string): ServerEntry[] {
  const place = new Place(file, [])
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new ConfigError(`${file} is not JSON: ${cause instanceof Error ? cause.message : 'it cannot be parsed'}`)
  }
  const root = place.object(parsed)
  const servers = Object.entries(place.at('mcpServers').object(root.mcpServers))
  if (servers.length === 0) place.at('mcpServers').refuse('names no server')
  return servers.map(([name, entry]) => readEntry(name, entry, place.at('mcpServers', name)))
}

/** The same entry with every {@link PORT} filled in. */
export function withPort(entry: ServerEntry, port: number): ServerEntry {
  const fill = (text: string) => text.replaceAll(PORT, String(port))
  const { target, serve } = entry
  return {
    ...entry,
    target: 'url' in target ? { ...target, url: fill(target.url) } : target,
    ...(serve && {
      serve: {
        ...serve,
        args: serve.args.map(fill),
        env: Object.fromEntries(Object.entries(serve.env).map(([name, value]) => [name, fill(value)])),
      },
    }),
  }
}

function readEntry(name: string, given: unknown, place: Place): ServerEntry {
  const entry = place.object(given)
  if (name === '') place.refuse('needs a name')
  if ('command' in entry === 'url' in entry) place.refuse('needs either command or url')
  if ('command' in entry) {
    if ('serve' in entry) place.at('serve').refuse('belongs beside a url')
    return { name, target: readCommand(entry, place) }
  }
  const url = place.at('url').string(entry.url)
  const { serve } = entry
  if (serve === undefined && url.includes(PORT)) place.at('url').refuse(`holds ${PORT}, which needs a serve command`)
  if (!URL.canParse(url.replaceAll(PORT, '1'))) place.at('url').refuse('is not a URL, such as https://host/mcp')
  return {
    name,
    target: { url, ...('headers' in entry && { headers: place.at('headers').strings(entry.headers) }) },
    ...(serve !== undefined && { serve: readCommand(place.at('serve').object(serve), place.at('serve')) }),
  }
}

function readCommand(given: Record<string, unknown>, place: Place): Command {
  const { args = [], env = {}, cwd } = given
  if (!Array.isArray(args)) return place.at('args').refuse('must be a list of texts')
  return {
    command: place.at('command').string(given.command),
    args: args.map((arg, i) => place.at('args', String(i)).string(arg)),
    env: place.at('env').strings(env),
    ...(cwd !== undefined && { cwd: resolve(dirname(place.file), place.at('cwd').string(cwd)) }),
  }
}

/** Where in the file something stands, for errors. What stands there is never shown: it may be a secret. */
class Place {
  readonly file: string
  readonly #path: readonly string[]

  constructor(file: string, path: readonly string[]) {
    this.file = file
    this.#path = path
  }

  at(...path: string[]): Place {
    return new Place(this.file, [...this.#path, ...path])
  }

  refuse(what: string): never {
    throw new ConfigError(`${this.file}: ${this.#path.join('.') || 'the file'} ${what}.`)
  }

  object(value: unknown): Record<string, unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.refuse('must be an object')
    return Object.fromEntries(Object.entries(value))
  }

  string(value: unknown): string {
    if (typeof value !== 'string' || value === '') return this.refuse('must be a text')
    // A server that is sent the words "Bearer ${TOKEN}" answers 401, and nobody sees why (report 11.01).
    if (value.includes('${')) return this.refuse(`holds a \${variable}, which is not filled in here`)
    return value
  }

  strings(value: unknown): Record<string, string> {
    const entries = Object.entries(this.object(value))
    return Object.fromEntries(entries.map(([name, text]) => [name, this.at(name).string(text)]))
  }
}
