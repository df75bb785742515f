/** `serve` and `{port}` in a configuration: servers on this machine that stand in for remote ones, for demonstrations. */
import { dirname, resolve } from 'node:path'
import type { Clock } from '../clock.js'
import { ConfigError } from '../errors.js'
import { type Command, freePorts, LocalServer } from './local-server.js'

/** Stands for a free port of this machine, in the url and in the command that serves it. */
const PORT = '{port}'
/** Free ports that are kept ready: so many entries of one file may have one. */
const PORTS = 16

type Entry = Readonly<Record<string, unknown>>

/** The local servers of one configuration file. */
export class LocalServers {
  readonly #file: string
  readonly #clock: Clock
  readonly #ports: number[]
  readonly #portOf = new Map<string, number>()
  readonly #servers = new Map<string, LocalServer>()
  /** Told when an entry is read that has one. */
  onServer: (name: string, server: LocalServer) => void = () => {}

  private constructor(file: string, clock: Clock, ports: number[]) {
    this.#file = file
    this.#clock = clock
    this.#ports = ports
  }

  static async of(file: string, clock: Clock): Promise<LocalServers> {
    return new LocalServers(file, clock, await freePorts(PORTS))
  }

  get(name: string): LocalServer | undefined {
    return this.#servers.get(name)
  }

  get entries(): readonly (readonly [name: string, server: LocalServer])[] {
    return [...this.#servers]
  }

  /** The entry without `serve`, every {@link PORT} in it filled in. The same entry keeps its port and its server. */
  prepare(name: string, entry: Entry): Record<string, unknown> {
    const { serve, ...rest } = entry
    const refuse = (field: string, what: string) =>
      new ConfigError(`${this.#file}: server '${name}', ${field}: ${what}.`, {
        at: { file: this.#file, server: name, field },
      })
    if (serve === undefined) {
      if (String(rest.url).includes(PORT)) throw refuse('url', `${PORT} needs a serve command`)
      return rest
    }
    if (entry.disabled === true) return { ...rest, url: 'http://127.0.0.1:9' }
    if (typeof rest.url !== 'string') throw refuse('serve', 'belongs beside a url')
    if (!isCommand(serve)) throw refuse('serve', 'needs a command, as text, and args as a list of texts')
    const port = this.#portOf.get(name) ?? this.#ports.pop()
    if (port === undefined) throw refuse('serve', `more than ${PORTS} servers of this machine in one file`)
    this.#portOf.set(name, port)
    const fill = (text: string) => text.replaceAll(PORT, String(port))
    const url = fill(rest.url)
    if (!URL.canParse(url)) throw refuse('url', 'is not an address such as https://host/mcp')
    this.#keep(name, url, {
      command: serve.command,
      args: (serve.args ?? []).map(fill),
      env: Object.fromEntries(Object.entries(serve.env ?? {}).map(([key, value]) => [key, fill(String(value))])),
      ...(serve.cwd !== undefined && { cwd: resolve(dirname(this.#file), serve.cwd) }),
    })
    // Its server has to be there before it is connected to.
    return { ...rest, url, lazy: true }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.stop()))
  }

  #keep(name: string, url: string, command: Command): void {
    const known = this.#servers.get(name)
    if (known?.isOf(command)) return
    void known?.stop()
    const server = new LocalServer(command, url, this.#clock)
    this.#servers.set(name, server)
    this.onServer(name, server)
  }
}

interface Served {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, unknown>>
  readonly cwd?: string
}

function isCommand(serve: unknown): serve is Served {
  if (typeof serve !== 'object' || serve === null) return false
  const { command, args = [], env = {}, cwd = '' }: Partial<Record<string, unknown>> = { ...serve }
  const areTexts = Array.isArray(args) && args.every((arg) => typeof arg === 'string')
  return typeof command === 'string' && command !== '' && areTexts && typeof env === 'object' && typeof cwd === 'string'
}
