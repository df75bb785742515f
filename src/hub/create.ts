import { defer, from, merge, type Observable, Subject } from 'rxjs'
import type { CallOptions } from '../calls/index.js'
import { systemClock, systemRandom } from '../clock.js'
import type { Connection } from '../connection/index.js'
import { ConnectionClosedError, UnknownServerError } from '../errors.js'
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../protocol.js'
import { Budget } from './budget.js'
import { CatalogOfAll, type HubCatalog, type HubTool } from './catalog.js'
import { checked } from './check-options.js'
import { type ConfigEntry, ConfigWatcher, type HubConfig, Inputs, parseConfig, readText } from './config/index.js'
import { withDefaults } from './defaults.js'
import type { Applied, ConfigNews, Hub, HubOptions, Servers } from './hub.js'
import { Member, type MemberHost, type ServerStatus } from './member.js'
import { checkFilter } from './tool-filter.js'
import { ToolFinder } from './tool-finder.js'

/**
 * A hub with its servers; nothing runs until `start()`, `connect()` or the first call.
 *
 * @throws ConfigError when the file cannot be read or is not what it should be. What is wrong with one server is told
 * by that server's status; the others are not touched by it.
 * @throws TypeError when there is neither a file nor servers, or both, or a filter that is none
 */
export function createHub(options: HubOptions): Hub {
  return new Registry(options)
}

/** Nothing but a map of root actors: one root above thousands would make XState's work grow with their square. */
class Registry implements Hub {
  readonly #options: HubOptions
  readonly #inputs: Inputs
  readonly #members = new Map<string, Member>()
  readonly #connections = new Map<string, Connection>()
  readonly #catalog = new CatalogOfAll(this.#members)
  readonly #finder: ToolFinder
  readonly #status = new Subject<ServerStatus>()
  /** What was told of each server last. */
  readonly #told = new Map<string, { readonly status: ServerStatus; readonly connection: Connection | undefined }>()
  readonly #config = new Subject<ConfigNews>()
  readonly #host: MemberHost
  #watcher: ConfigWatcher | undefined
  /** Servers that come later are started too. */
  #started = false
  #closing: Promise<void> | undefined
  #applying: Promise<unknown> = Promise.resolve()

  constructor(options: HubOptions) {
    const { servers, configFile, clock = systemClock, random = systemRandom } = options
    if ((servers === undefined) === (configFile === undefined))
      throw new TypeError('A hub needs either servers or a configFile.')
    checkFilter('tools', options.tools)
    this.#options = options
    this.#inputs = new Inputs(options.input)
    this.#finder = new ToolFinder(this.#members, this.#catalog, options.tools)
    this.#host = {
      clock,
      random,
      filter: options.tools,
      complete: (given) => checked(withDefaults(given, options.defaults)),
      changed: (member) => this.#changed(member),
    }
    const text = configFile === undefined ? undefined : readText(configFile)
    const config = configFile === undefined ? servers : parseConfig(text ?? '', configFile, options, this.#inputs)
    for (const entry of entriesOf(config as Servers | HubConfig)) this.#add(entry)
    if (configFile !== undefined && text !== undefined && options.watch !== false) this.#watch(configFile, text)
  }

  get connections(): ReadonlyMap<string, Connection> {
    return this.#connections
  }
  get servers(): readonly ServerStatus[] {
    return [...this.#members.values()].map(({ status }) => status)
  }
  get tools(): readonly HubTool[] {
    return this.#catalog.catalog.tools
  }
  get catalog(): HubCatalog {
    return this.#catalog.catalog
  }
  get warnings(): readonly string[] {
    return [...this.#members.values()].flatMap(({ entry }) => entry.warnings)
  }

  get status$(): Observable<ServerStatus> {
    return merge(
      defer(() => from(this.servers)),
      this.#status,
    )
  }
  get catalog$(): Observable<HubCatalog> {
    return this.#catalog.catalog$
  }
  get changes$() {
    return this.#catalog.changes$
  }
  get config$(): Observable<ConfigNews> {
    return this.#config.asObservable()
  }

  async start(): Promise<readonly ServerStatus[]> {
    this.#refuseWhenClosed()
    this.#started = true
    await Promise.all([...this.#members.values()].map((member) => this.#startIfDue(member)))
    return this.servers
  }

  async connect(name: string, { keep = false }: { readonly keep?: boolean } = {}): Promise<void> {
    await this.#use(name, (connection) =>
      connection.status === 'ready' && !keep ? connection.reconnect() : connection.connect(),
    )
  }

  async reconnect(name: string): Promise<void> {
    await this.#use(name, (connection) => connection.reconnect())
  }

  async disconnect(name: string): Promise<void> {
    await this.#member(name).connection?.disconnect()
  }

  async enable(name: string): Promise<void> {
    const member = this.#member(name)
    await member.switch(true)
    await this.connect(name, { keep: true })
  }

  async disable(name: string): Promise<void> {
    await this.#member(name).switch(false)
  }

  async callTool(
    { name, server, ...rest }: { name: string; server?: string; arguments?: Record<string, unknown> },
    options: CallOptions = {},
  ): Promise<CallToolResult> {
    this.#refuseWhenClosed()
    const budget = this.#budget('tools/call', options)
    const found = server === undefined ? await this.#finder.find(name, budget) : { server, name }
    if (server !== undefined) await this.#finder.check(this.#enabled(server), name, budget)
    const call = { ...rest, name: found.name }
    return this.#call(found.server, budget, (connection, left) => connection.callTool(call, left))
  }

  async readResource(params: { server: string; uri: string }, options?: CallOptions): Promise<ReadResourceResult> {
    const budget = this.#budget('resources/read', options)
    const { server, uri } = params
    return this.#call(server, budget, (connection, left) => connection.readResource({ uri }, left))
  }

  async getPrompt(
    { server, ...params }: { server: string; name: string; arguments?: Record<string, string> },
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    const budget = this.#budget('prompts/get', options)
    return this.#call(server, budget, (connection, left) => connection.getPrompt(params, left))
  }

  async apply(config: Servers | HubConfig): Promise<Applied> {
    this.#refuseWhenClosed()
    // One after the other: what is still leaving must be gone before it may come again.
    const applied = this.#applying.then(() => this.#apply(config))
    this.#applying = applied.catch(() => {})
    return applied
  }

  entry(name: string): ConfigEntry | undefined {
    return this.#members.get(name)?.entry
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    const members = [...this.#members.values()]
    // What was taken away just before may still be ending.
    await Promise.all([this.#watcher?.stop(), this.#applying, ...members.map((member) => member.close())])
    this.#catalog.end()
    this.#status.complete()
    this.#config.complete()
  }

  async #apply(config: Servers | HubConfig): Promise<Applied> {
    this.#refuseWhenClosed()
    const entries = entriesOf(config)
    const names = new Set(entries.map(({ name }) => name))
    const leaving = [...this.#members.values()].filter(({ name }) => !names.has(name))
    const gone = leaving.map((member) => this.#remove(member))
    const added = entries.filter(({ name }) => !this.#members.has(name))
    const changed: ConfigEntry[] = []
    for (const entry of entries) {
      const member = this.#members.get(entry.name) ?? this.#add(entry)
      const wasUnusable = member.connection === undefined || added.includes(entry)
      if (!added.includes(entry) && member.take(entry) !== 'none') changed.push(entry)
      if (wasUnusable && this.#started) void this.#startIfDue(member)
    }
    this.#order(entries)
    await Promise.all(gone)
    const namesOf = (some: readonly { readonly name: string }[]) => some.map(({ name }) => name)
    return {
      added: namesOf(added),
      removed: namesOf(leaving),
      changed: namesOf(changed),
      unchanged: namesOf(entries.filter((entry) => !added.includes(entry) && !changed.includes(entry))),
      warnings: [...added, ...changed].flatMap(({ warnings }) => warnings),
    }
  }

  #add(entry: ConfigEntry): Member {
    const member = new Member(entry, this.#host)
    this.#members.set(entry.name, member)
    this.#changed(member)
    return member
  }

  async #remove(member: Member): Promise<void> {
    const gone = member.close()
    this.#members.delete(member.name)
    this.#connections.delete(member.name)
    this.#told.delete(member.name)
    this.#catalog.refresh(member.name)
    await gone
  }

  /** The order of the configuration is the order of what is shown. */
  #order(entries: readonly ConfigEntry[]): void {
    const before = [...this.#members.keys()]
    if (entries.every(({ name }, i) => name === before[i])) return
    for (const { name } of entries) {
      const member = this.#members.get(name)
      if (!member) continue
      this.#members.delete(name)
      this.#members.set(name, member)
    }
    this.#catalog.reorder()
  }

  #startIfDue(member: Member): Promise<ServerStatus> {
    return member.isDisabled || member.isLazy ? Promise.resolve(member.status) : member.start()
  }

  #changed(member: Member): void {
    // A member tells of itself from the beginning, before it is one.
    if (this.#members.get(member.name) !== member) return
    const { connection, name } = member
    if (connection) this.#connections.set(name, connection)
    else this.#connections.delete(name)
    const before = this.#told.get(name)
    const { status } = member
    this.#told.set(name, { status, connection })
    if (before?.connection !== connection || !isSame(before?.status, status)) this.#status.next(status)
    this.#catalog.refresh(name)
  }

  #member(name: string): Member {
    this.#refuseWhenClosed()
    const member = this.#members.get(name)
    if (!member) throw new UnknownServerError(name)
    return member
  }

  #budget(method: string, options: CallOptions = {}): Budget {
    return new Budget(this.#host.clock, method, options)
  }

  #enabled(name: string): Member {
    const member = this.#member(name)
    if (member.isDisabled) throw new UnknownServerError(name, 'it is disabled; enable it first')
    return member
  }

  /** At the very moment at which the server can be used: a step later its connection may be another one. */
  async #use<T>(name: string, use: (connection: Connection) => Promise<T>, budget?: Budget): Promise<T> {
    const member = this.#enabled(name)
    for (let mending = member.mend(); mending !== undefined; mending = member.mend())
      await (budget ? budget.wait(mending) : mending)
    if (!member.connection) throw new ConnectionClosedError(name)
    return use(member.connection)
  }

  #call<T>(
    name: string,
    budget: Budget,
    call: (connection: Connection, options: CallOptions) => Promise<T>,
  ): Promise<T> {
    return this.#use(name, (connection) => call(connection, budget.options), budget)
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) throw new ConnectionClosedError('hub')
  }

  #watch(file: string, text: string): void {
    this.#watcher = new ConfigWatcher(file, text, this.#host.clock, {
      take: (changed) => {
        const config = parseConfig(changed, file, this.#options, this.#inputs)
        this.apply(config).then(
          (applied) => this.#config.next({ type: 'applied', applied }),
          () => {},
        )
      },
      trouble: (error) => this.#config.next({ type: 'trouble', error }),
      back: () => this.#config.next({ type: 'back' }),
    })
  }
}

const isSame = (before: ServerStatus | undefined, now: ServerStatus): boolean =>
  before !== undefined &&
  (['where', 'status', 'error', 'fault', 'capabilities'] as const).every((part) => before[part] === now[part])

function entriesOf(config: Servers | HubConfig): readonly ConfigEntry[] {
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new TypeError('Servers are given as an object: their options by their names.')
  if ('entries' in config && Array.isArray(config.entries)) return config.entries
  return Object.entries(config as Servers).map(([name, options]) => ({
    name,
    at: { server: name },
    warnings: [],
    extra: {},
    resolve: () => options,
  }))
}
