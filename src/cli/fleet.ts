/** The servers of a configuration file as a hub, with the local servers that stand behind some of them. */

import type { InspectionEvent } from 'xstate'
import type { TokenStore } from '../auth/index.js'
import { ConfigError } from '../errors.js'
import { createHub, type Hub, namesServers, readText, type ServerStatus } from '../hub/index.js'
import { discover } from './discover.js'
import type { Io } from './io.js'
import type { LocalServer } from './local-server.js'
import { LocalServers } from './local-servers.js'
import { loginStore, storedLogins } from './logins.js'
import { usualPlaces } from './places.js'
import { Prompt } from './prompt.js'
import { duration, printable } from './text.js'
import { shellWord } from './trouble.js'

/** What the words of the command line say of it. */
export interface Choice {
  readonly config?: string
  /** Changes of the file are taken up. */
  readonly watch?: boolean
  /** Sees every connection. */
  readonly inspect?: (event: InspectionEvent) => void
}

/** Longer than a connection and a local server take to end, whatever they do. */
const CLOSE_MS = 8_000
/** A local server that ended is started again after this time: long enough to see what its connection does meanwhile. */
const REVIVE_MS = 3_000

export class Fleet {
  readonly file: string
  readonly hub: Hub
  readonly locals: LocalServers
  /** Where logins are remembered. */
  readonly logins: Required<TokenStore>
  readonly #io: Io
  /** The words that name the file, for commands that are to be run beside this one. */
  readonly #named: string

  #started = false
  #over = false
  readonly #revivals = new Set<unknown>()
  /** Told what becomes of local servers. */
  onNote: (name: string, text: string) => void = () => {}

  private constructor(
    { file, named }: { file: string; named: boolean },
    hub: Hub,
    locals: LocalServers,
    logins: Required<TokenStore>,
    io: Io,
  ) {
    this.file = file
    this.#named = named ? ` --config ${shellWord(file)}` : ''
    this.logins = logins
    this.hub = hub
    this.locals = locals
    this.#io = io
    locals.onServer = (name, server) => {
      if (this.#started && !this.#over) void this.serve(name, server)
    }
  }

  /**
   * Nothing runs yet.
   *
   * @throws ConfigError when no file is found, or it cannot be used, or it names no server
   */
  static async assemble({ config, watch = false, inspect }: Choice, io: Io): Promise<Fleet> {
    const prompt = new Prompt(io)
    const file = config ?? (await discover(io, prompt))
    if (config === undefined) io.stderr.write(`lifeline: the configuration is ${printable(file)}\n`)
    // Looked at before anything is made, so that what is wrong with the file costs nothing.
    if (!namesServers(readText(file), file)) throw new ConfigError(`${file} names no server.`, { at: { file } })
    const locals = await LocalServers.of(file, io.clock)
    const { clock, env } = io
    const prepare = (name: string, entry: Readonly<Record<string, unknown>>) => locals.prepare(name, entry)
    const logins = loginStore(io)
    const defaults = { authorizer: storedLogins(logins), ...(inspect && { inspect }) }
    const hub = createHub({ configFile: file, watch, clock, env, prepare, input: prompt.ask, defaults })
    await prompt.end()
    for (const warning of hub.warnings) io.stderr.write(`lifeline: ${printable(warning)}\n`)
    // What was found and agreed to in a folder has to be agreed to again, unless it is named.
    const named = config !== undefined || usualPlaces(env).project.includes(file)
    return new Fleet({ file, named }, hub, locals, logins, io)
  }

  /** Only a person who logs in can help this server. */
  needsLogin(name: string): boolean {
    return this.hub.connections.get(name)?.actor.getSnapshot().hasTag('needs-user') === true
  }

  /** What that person runs, in this terminal or in another. */
  loginCommand(name: string): string {
    return `lifeline login ${shellWord(name)}${this.#named}`
  }

  /**
   * Starts everything at once; resolves when each has come to something. A server of this machine is started first, and
   * again whenever it ends: whoever kills it wants to see its connection come back.
   */
  async start(): Promise<readonly ServerStatus[]> {
    this.#started = true
    const served = this.locals.entries.map(([name, server]) => this.serve(name, server))
    await Promise.all([this.hub.start(), ...served])
    return this.hub.servers
  }

  /** Starts a local server and connects to it; what becomes of that is seen in its status. */
  async serve(name: string, server: LocalServer): Promise<void> {
    const again = (how: string) => {
      this.onNote(name, `its local server ${how}; started again in ${duration(REVIVE_MS)}`)
      this.#revivals.add(this.#io.clock.setTimeout(() => void start(), REVIVE_MS))
    }
    const start = async () => {
      try {
        await server.start()
        if (!this.#over) this.onNote(name, `its local server runs, process ${server.pid}`)
      } catch (error) {
        if (!this.#over) again(error instanceof Error ? error.message : String(error))
      }
    }
    server.onLoss = again
    await start()
    if (!this.#over) await this.hub.connect(name, { keep: true }).catch(() => {})
  }

  /** Ends everything, the connections first, so that they can end their sessions. `false`: it was not over in time. */
  async close(): Promise<boolean> {
    const { clock } = this.#io
    this.#over = true
    for (const revival of this.#revivals) clock.clearTimeout(revival)
    const ending = this.hub
      .close()
      .then(() => this.locals.stop())
      .then(() => true)
    let late: unknown
    const bound = new Promise<false>((resolve) => {
      late = clock.setTimeout(() => resolve(false), CLOSE_MS)
    })
    const inTime = await Promise.race([ending, bound])
    clock.clearTimeout(late)
    return inTime
  }
}
