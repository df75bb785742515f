import { Subject, takeUntil } from 'rxjs'
import type { Fault } from '../../machines/faults.js'
import type { Clock, Random } from '../clock.js'
import { type Connection, createConnection, type Status } from '../connection/index.js'
import { ConfigError } from '../errors.js'
import type { Catalog, Target } from '../link/index.js'
import type { Capabilities } from '../protocol.js'
import type { ConfigEntry } from './config/index.js'
import { cameToSomething } from './first-outcome.js'
import { IdleStop } from './idle-stop.js'
import { type Change, changeBetween } from './option-changes.js'
import type { ServerOptions } from './server-options.js'
import { type HubToolFilter, isOffered } from './tool-filter.js'

/** How one server of the hub stands. */
export interface ServerStatus {
  readonly name: string
  /** What it connects to, without anything that may be secret: `stdio node`, `http host:port`. */
  readonly where?: string
  /** That of its connection; `disabled` where the configuration or the application says so. */
  readonly status: Status | 'disabled'
  /** Why it cannot even be tried: then `status` is `failed` and there is no connection. */
  readonly error?: ConfigError
  /** What its connection met last, while it is not ready. */
  readonly fault?: Fault
  /** What the server can do, once it has said so. */
  readonly capabilities?: Capabilities
}

/** What every member has of its hub. */
export interface MemberHost {
  readonly clock: Clock
  readonly random: Random
  readonly filter: HubToolFilter | undefined
  /** Fills in what holds for all servers. */
  complete(options: ServerOptions): ServerOptions
  /** Told of every change of status, and of what is offered. */
  changed(member: Member): void
}

/** One server of the hub, for as long as the configuration names it: usable or not. */
export class Member {
  readonly name: string
  readonly #host: MemberHost
  #entry: ConfigEntry
  /** What the configuration says, once it is known. */
  #options: ServerOptions | undefined
  #error: ConfigError | undefined
  /** The application's word, over that of the configuration. */
  #switched: boolean | undefined
  #connection: Connection | undefined
  /** What the connection before this one knew, until this one has read its lists. */
  #former: Catalog | undefined
  readonly #replaced = new Subject<void>()
  #idleStop: IdleStop | undefined
  /** What closes a former connection, while that goes on; the next one is started after it. */
  #leaving: Promise<void> | undefined
  /** Counts configurations: the answer of a person to an older one changes nothing. */
  #revision = 0
  #resolving: Promise<void> | undefined
  #offered: { of: Catalog; tools: ServerOptions['tools']; offered: Catalog } | undefined
  #over = false
  /** Settles {@link #ended}: nobody waits for a person on account of a server that is not there any more. */
  #end: () => void = () => {}
  readonly #ended = new Promise<void>((resolve) => {
    this.#end = resolve
  })

  constructor(entry: ConfigEntry, host: MemberHost) {
    this.name = entry.name
    this.#entry = entry
    this.#host = host
    this.#resolve()
  }

  get entry(): ConfigEntry {
    return this.#entry
  }
  get connection(): Connection | undefined {
    return this.#connection
  }
  get options(): ServerOptions | undefined {
    return this.#options
  }
  get error(): ConfigError | undefined {
    return this.#error
  }
  get isDisabled(): boolean {
    return !(this.#switched ?? this.#options?.disabled !== true)
  }
  get isLazy(): boolean {
    return this.#options?.lazy === true
  }

  get status(): ServerStatus {
    const { name } = this
    if (this.#over) return { name, status: 'closed' }
    if (this.#error && !this.isDisabled) return { name, status: 'failed', error: this.#error }
    const where = this.#options && whereOf(this.#options.target)
    const connection = this.#connection
    if (!connection) return { name, ...(where && { where }), status: this.isDisabled ? 'disabled' : 'idle' }
    const { status, fault, session } = connection
    return {
      name,
      ...(where && { where }),
      status,
      ...(fault && status !== 'ready' && { fault }),
      ...(session && { capabilities: session.capabilities }),
    }
  }

  /** A call would reach the server now, or start it. */
  get available(): boolean {
    const connection = this.#connection
    if (!connection) return false
    return connection.status === 'idle' || connection.actor.getSnapshot().hasTag('usable')
  }

  /** The lists of the server, less the tools that are filtered out; nothing for one that has no connection. */
  get offered(): Catalog | undefined {
    const own = this.#connection?.catalog
    if (!own) return undefined
    if (own.fetchedAt > 0) this.#former = undefined
    const of = this.#former ?? own
    const tools = this.#options?.tools
    if (this.#offered?.of !== of || this.#offered.tools !== tools) {
      const kept = of.tools.filter((tool) => isOffered(tool, this.name, tools, this.#host.filter))
      this.#offered = { of, tools, offered: kept.length === of.tools.length ? of : { ...of, tools: kept } }
    }
    return this.#offered.offered
  }

  /** Takes another configuration. Where a person has to be asked first, what runs goes on meanwhile. */
  take(entry: ConfigEntry): Change {
    this.#entry = entry
    return this.#resolve()
  }

  /**
   * Resolves when the server can be used: tries its configuration again where that was in vain (a variable may be set by
   * now), and waits for a person who is asked and for a former connection that still ends. Nothing where it can be used
   * at once.
   *
   * @throws ConfigError when it cannot be used as configured
   */
  mend(): Promise<void> | undefined {
    if (this.#error) this.#resolve()
    const isReady = !this.#error && this.#resolving === undefined && this.#leaving === undefined
    return isReady ? undefined : this.#mended()
  }

  async #mended(): Promise<void> {
    // Meanwhile the configuration may become another one, and so may what is waited for.
    while (this.#resolving !== undefined) await this.#resolving
    if (this.#error) throw this.#error
    while (this.#leaving !== undefined) await this.#leaving
  }

  /**
   * Starts it and resolves when that has come to something, for the first time: ready, waiting, failed. Never rejects.
   */
  async start(): Promise<ServerStatus> {
    await this.mend()?.catch(() => {})
    const connection = this.#connection
    if (!connection) return this.status
    connection.connect().catch(() => {})
    await cameToSomething(connection, this.#replaced)
    return this.status
  }

  async switch(on: boolean): Promise<void> {
    this.#switched = on
    this.#arrange(false)
    this.#host.changed(this)
    await this.#leaving
  }

  async close(): Promise<void> {
    this.#over = true
    this.#revision++
    this.#resolving = undefined
    this.#end()
    this.#leave()
    this.#host.changed(this)
    await this.#leaving
  }

  /** At once where nobody has to be asked, so that a hub has its connections from the beginning. */
  #resolve(): Change {
    const revision = ++this.#revision
    this.#resolving = undefined
    try {
      const options = this.#entry.resolve()
      if (!(options instanceof Promise)) return this.#adopt(this.#host.complete(options))
      const answered = options
        .then((asked) => {
          if (revision === this.#revision) this.#adopt(this.#host.complete(asked))
        })
        .catch((error: unknown) => {
          if (revision === this.#revision) this.#refuse(error)
        })
        .finally(() => {
          if (revision === this.#revision) this.#resolving = undefined
        })
      this.#resolving = Promise.race([answered, this.#ended])
      return 'replaced'
    } catch (error) {
      return this.#refuse(error)
    }
  }

  #adopt(options: ServerOptions): Change {
    if (this.#over) return 'none'
    const before = this.#options
    const hadError = this.#error !== undefined
    this.#options = options
    this.#error = undefined
    if (before && before.disabled !== options.disabled) this.#switched = undefined
    const change = before ? changeBetween(before, options) : 'replaced'
    const connection = this.#connection
    if (connection && change === 'configured') this.#configure(connection, before as ServerOptions, options)
    this.#arrange(change === 'replaced')
    this.#host.changed(this)
    return hadError ? 'replaced' : change
  }

  /** What runs under a configuration that was good is stopped: it is not what the file says any more. */
  #refuse(error: unknown): Change {
    if (this.#over) return 'none'
    const before = this.#error
    this.#error = this.#asConfigError(error)
    this.#options = undefined
    this.#leave()
    this.#former = undefined
    this.#host.changed(this)
    return String(before) === String(this.#error) ? 'none' : 'replaced'
  }

  #asConfigError(error: unknown): ConfigError {
    if (error instanceof ConfigError) return error
    const { at } = this.#entry
    const where = at.line === undefined ? '' : `${at.file}:${at.line}:${at.column}: `
    const what = error instanceof Error ? error.message : String(error)
    return new ConfigError(`${where}server '${this.name}': ${what}`, { cause: error, at })
  }

  #configure(connection: Connection, before: ServerOptions, { target, policy = {} }: ServerOptions): void {
    // What is not named any more has its default again.
    const cleared = (of: object = {}) => Object.fromEntries(Object.keys(of).map((name) => [name, undefined]))
    const timeouts = { ...cleared(before.policy?.timeouts), ...policy.timeouts }
    connection.configure({
      ...(changeBetween(before, { ...before, target }) !== 'none' && { target }),
      policy: { ...cleared(before.policy), ...policy, timeouts },
    })
  }

  /** There is a connection exactly where there should be one. `anew`: not the one that is there. */
  #arrange(anew: boolean): void {
    const runs = this.#connection && this.#connection.status !== 'idle'
    const isWanted = this.#options && !this.isDisabled
    if (anew || !isWanted) this.#leave()
    if (!isWanted) this.#former = undefined
    if (!this.#connection && this.#options && !this.isDisabled && !this.#over) {
      try {
        this.#join(this.#options)
      } catch (error) {
        // What only createConnection sees, such as a policy that cannot be meant.
        this.#error = this.#asConfigError(error)
        this.#options = undefined
        return
      }
      if (runs) void this.start()
    }
    this.#watchIdle()
  }

  #join({ disabled: _, lazy: _lazy, idleMs: _idleMs, tools: _tools, ...options }: ServerOptions): void {
    const { clock, random } = this.#host
    const connection = createConnection({ ...options, name: this.name, clock, random })
    this.#connection = connection
    const changed = () => this.#host.changed(this)
    connection.status$.pipe(takeUntil(this.#replaced)).subscribe(changed)
    connection.catalog$.pipe(takeUntil(this.#replaced)).subscribe(changed)
  }

  #leave(): void {
    this.#idleStop?.end()
    this.#idleStop = undefined
    const connection = this.#connection
    if (!connection) return
    if (connection.catalog.fetchedAt > 0) this.#former = connection.catalog
    this.#connection = undefined
    this.#offered = undefined
    this.#replaced.next()
    const leaving = Promise.all([this.#leaving, connection.close().catch(() => {})]).then(() => {
      if (this.#leaving === leaving) this.#leaving = undefined
    })
    this.#leaving = leaving
  }

  #watchIdle(): void {
    const idleMs = this.#options?.idleMs
    const connection = this.#connection
    if (connection && this.#idleStop?.isOf(connection, idleMs)) return
    this.#idleStop?.end()
    this.#idleStop = connection && idleMs !== undefined ? new IdleStop(connection, this.#host.clock, idleMs) : undefined
  }
}

/** Neither arguments, nor a url's credentials, path and query. */
function whereOf(target: Target): string {
  if ('command' in target) return `stdio ${target.command.split(/[/\\]/).at(-1)}`
  if ('open' in target) return 'custom'
  return `http ${URL.canParse(String(target.url)) ? new URL(target.url).host : 'not a URL'}`
}
