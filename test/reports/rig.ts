/** What the field reports are played on: a fault server, a connection to it, one driven clock for both, and a ledger. */
import { SimulatedClock } from 'xstate'
import { type CallToolResult, type Connection, type ConnectionOptions, createConnection } from '../../src/index.js'
import {
  type FaultServer,
  type FaultServerOptions,
  type LoggedRequest,
  type Play,
  startFaultServer,
} from '../../src/testing/fault-server/index.js'

/** Every run of a tool on the server. No call of these tests is safe to repeat: each has a number and may run once. */
export class Ledger {
  readonly #runs = new Map<unknown, number>()

  note(args: unknown): void {
    const call = isRecord(args) ? args.n : undefined
    this.#runs.set(call, (this.#runs.get(call) ?? 0) + 1)
  }

  /** How often tools ran altogether. */
  get total(): number {
    return [...this.#runs.values()].reduce((sum, runs) => sum + runs, 0)
  }

  /** Calls that ran more than once. */
  get repeated(): unknown[] {
    return [...this.#runs].flatMap(([call, runs]) => (runs > 1 ? [call] : []))
  }

  /** The tool runs, and then the server fails. */
  ran(play: Play): Play {
    return (visit) => {
      const { body } = visit.request
      if (isRecord(body) && isRecord(body.params)) this.note(body.params.arguments)
      return play(visit)
    }
  }
}

export type SceneOptions = Omit<ConnectionOptions, 'name' | 'clock' | 'target'> & {
  server?: Omit<FaultServerOptions, 'clock'>
  headers?: Record<string, string>
  /** Default: as the library does it. */
  kind?: 'http' | 'sse' | 'auto'
  /** Path of the address that is configured. Default: the server's endpoint. */
  path?: string
  /** Speak to the server of another scene. */
  at?: { readonly url: string; readonly origin?: string }
}

/** One connection to one fault server. Disposing of it closes both and fails when any call ran twice. */
export class Scene implements AsyncDisposable {
  readonly clock: SimulatedClock
  readonly server: FaultServer
  readonly connection: Connection
  readonly ledger: Ledger
  /** Statuses from the beginning, in order. */
  readonly statuses: string[] = []
  /** Faults by which the connection was lost. */
  readonly losses: string[] = []
  #calls = 0

  constructor(server: FaultServer, ledger: Ledger, clock: SimulatedClock, options: SceneOptions) {
    const { server: _options, headers, at, path, kind, ...rest } = options
    const { url, origin = server.origin } = at ?? server
    this.clock = clock
    this.server = server
    this.ledger = ledger
    this.connection = createConnection({
      name: 'test',
      clock,
      random: () => 0.5,
      target: {
        url: path === undefined ? url : `${origin}${path}`,
        ...(headers && { headers }),
        ...(kind && { kind }),
      },
      ...rest,
    })
    this.connection.status$.subscribe((status) => this.statuses.push(status))
    this.connection.actor.on('*', (news) => {
      if (news.type === 'connection.lost') this.losses.push(news.fault.code)
    })
  }

  /** Calls a tool that must not run twice. */
  call(options?: Parameters<Connection['callTool']>[1]): Promise<CallToolResult> {
    this.#calls += 1
    return this.connection.callTool({ name: 'append', arguments: { n: this.#calls } }, options)
  }

  /** Calls, and lets the time of the call pass; resolves with its error. */
  async overdue(timeoutMs: number): Promise<unknown> {
    const failed = failure(this.call({ timeoutMs }))
    await this.pass(timeoutMs)
    return await failed
  }

  /** Lets time pass, in steps, and everything that is on its way through sockets arrive in between. */
  async pass(ms: number, stepMs = 250): Promise<void> {
    await this.settled()
    for (let left = ms; left > 0; left -= stepMs) {
      this.clock.increment(Math.min(stepMs, left))
      await this.settled()
    }
  }

  /** Lets time pass until the condition holds; resolves with the time that it took. */
  async passUntil(isMet: () => boolean, atMostMs: number, stepMs = 250): Promise<number> {
    const from = this.clock.now()
    await this.settled()
    while (!isMet()) {
      if (this.clock.now() - from >= atMostMs) throw new Error(`waited in vain for ${atMostMs} ms: ${isMet}`)
      this.clock.increment(stepMs)
      await this.settled()
    }
    return this.clock.now() - from
  }

  /** Resolves when nothing moves any more while the clock stands. */
  async settled(): Promise<void> {
    for (let before = ''; before !== this.#state(); ) {
      before = this.#state()
      await turns(16)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    let isClosed = false
    const closing = this.connection.close().finally(() => {
      isClosed = true
    })
    await this.settled()
    // A server that does not answer the end of a session is waited for, in the time of the clock.
    for (let second = 0; !isClosed && second < 30; second++) await this.pass(1_000, 1_000)
    await closing
    await this.server[Symbol.asyncDispose]()
    const { repeated } = this.ledger
    if (repeated.length > 0) throw new Error(`these calls ran more than once: ${repeated.join(', ')}`)
  }

  #state(): string {
    const { all } = this.server.log
    const open = all.filter(({ closedAt }) => closedAt === undefined).length
    return `${all.length} ${open} ${this.server.connections} ${this.server.sockets} ${this.connection.status}`
  }
}

/** A scene whose connection has not begun. */
export async function scene(options: SceneOptions = {}): Promise<Scene> {
  const clock = new SimulatedClock()
  const ledger = new Ledger()
  const call = (_name: string, args: Record<string, unknown>) => {
    ledger.note(args)
    return { content: [{ type: 'text', text: JSON.stringify(args) }] }
  }
  const server = await startFaultServer({ call, ...options.server, clock })
  return new Scene(server, ledger, clock, options)
}

/** A scene that is ready, with everything quiet. */
export async function connected(options: SceneOptions = {}): Promise<Scene> {
  const made = await scene(options)
  await made.connection.connect()
  await made.settled()
  return made
}

/** Plays so to every request under a session that the server does not know. */
export function onStale(server: FaultServer, play: Play): void {
  server.answer('*', (visit) => {
    const { session } = visit.request
    return session !== undefined && !server.sessions.has(session) ? play(visit) : visit.healthy()
  })
}

/** Gaps between requests, in milliseconds. */
export const gaps = (requests: readonly LoggedRequest[]): number[] =>
  requests.slice(1).map(({ at }, i) => at - (requests[i]?.at ?? 0))

/** The error a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('this should have been rejected')
}

/** Gives way to the event loop so many times. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
