/** The servers of the soak: each can be harmed and healed, and counts what it ran. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import type { CustomTarget, Target } from '../../src/index.js'
import {
  childServer,
  destroy,
  type FaultServer,
  hang,
  html,
  readChildLog,
  stall,
  startFaultServer,
  status,
} from '../../src/testing/index.js'
import type { Chance } from './chance.js'

export interface Peer {
  readonly kind: 'memory' | 'http' | 'stdio'
  readonly target: Target
  /** Does it some harm and says which. */
  harm(chance: Chance): string
  /** From now on it is well. */
  heal(): Promise<void>
  /** Ids of the calls that ran, one for each run. */
  runs(): string[]
  close(): Promise<void>
}

const answer = (id: string) => ({ content: [{ type: 'text' as const, text: id }] })

/** A server of the official SDK in this process. */
export class MemoryPeer implements Peer {
  readonly kind = 'memory'
  readonly #ran: string[] = []
  #end = () => {}
  #isUp = true
  #isSilent = false

  readonly target: CustomTarget = {
    open: () => {
      if (!this.#isUp) throw new Error('nobody is there')
      const server = new McpServer({ name: 'memory', version: '1.0.0' })
      const inputSchema = { id: z.string(), ms: z.number() }
      server.registerTool('slow', { inputSchema }, async ({ id, ms }) => {
        this.#ran.push(id)
        if (ms > 0) await pause(ms)
        return answer(id)
      })
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      const send = theirs.send.bind(theirs)
      theirs.send = (message, options) => (this.#isSilent ? Promise.resolve() : send(message, options))
      void server.connect(theirs)
      this.#end = () => void theirs.close()
      return ours
    },
  }

  harm(chance: Chance): string {
    return chance.pick<() => string>([
      () => this.#drop('a link cut'),
      () => {
        this.#isUp = false
        return this.#drop('a server away')
      },
      () => {
        this.#isSilent = true
        return 'a silent server'
      },
      () => {
        void this.heal()
        return 'a server back'
      },
    ])()
  }

  async heal(): Promise<void> {
    this.#isUp = true
    this.#isSilent = false
  }

  runs(): string[] {
    return this.#ran
  }

  async close(): Promise<void> {
    this.#end()
  }

  #drop(what: string): string {
    this.#end()
    return what
  }
}

/** A server over real sockets, for many connections. */
export class HttpPeer implements Peer {
  readonly kind = 'http'
  readonly target: Target
  readonly #server: FaultServer
  readonly #ran: string[]
  #change: Promise<unknown> = Promise.resolve()

  private constructor(server: FaultServer, ran: string[], target: Target) {
    this.#server = server
    this.#ran = ran
    this.target = target
  }

  static async start(replies: 'json' | 'sse' | 'legacy', sessions = true): Promise<HttpPeer> {
    const ran: string[] = []
    const legacy = replies === 'legacy'
    const server = await startFaultServer({
      replies: replies === 'sse' ? 'sse' : 'json',
      sessions,
      legacy,
      tools: [{ name: 'slow', inputSchema: { type: 'object' } }],
      call: async (_name, { id, ms }) => {
        ran.push(String(id))
        if (Number(ms) > 0) await pause(Number(ms))
        return answer(String(id))
      },
    })
    return new HttpPeer(server, ran, legacy ? { url: server.legacyUrl, kind: 'sse' } : { url: server.url })
  }

  harm(chance: Chance): string {
    const server = this.#server
    // The log is for tests of a moment; here it would grow for as long as the soak lasts.
    server.log.all.length = 0
    const [what, harm] = chance.pick<[string, () => unknown]>([
      ['sockets cut', () => server.dropSockets()],
      ['sessions forgotten', () => server.forgetSessions()],
      ['restart, sessions kept', () => this.#then(() => server.restart({ keepSessions: true }))],
      ['restart, sessions gone', () => this.#then(() => server.restart())],
      ['away for a while', () => this.#then(() => this.#away(chance.between(100, 1_500)))],
      ['calls refused by 503', () => server.once('tools/call', status(503, { retryAfter: 1 }), 5)],
      ['calls refused by 429', () => server.once('tools/call', status(429), 5)],
      ['calls failed by 500', () => server.once('tools/call', status(500), 5)],
      ['calls answered by a page', () => server.once('tools/call', html(502), 5)],
      ['calls cut', () => server.once('tools/call', destroy(), 5)],
      ['calls never answered', () => server.once('tools/call', hang(), 2)],
      ['answers that stop half way', () => server.once('tools/call', stall(200, '{"jsonrpc":', { cut: true }), 3)],
      ['handshakes refused by 503', () => server.once('initialize', status(503), 5)],
      ['handshakes never answered', () => server.once('initialize', hang(), 2)],
      ['listening streams cut', () => server.once('GET', destroy(), 5)],
    ])
    harm()
    return what
  }

  async heal(): Promise<void> {
    await this.#change
    this.#server.heal()
  }

  runs(): string[] {
    return this.#ran
  }

  async close(): Promise<void> {
    await this.#change
    await this.#server[Symbol.asyncDispose]()
  }

  async #away(ms: number): Promise<void> {
    await this.#server.stop()
    await pause(ms)
    await this.#server.start()
  }

  /** One change of a server after the other. */
  #then(change: () => Promise<void>): void {
    this.#change = this.#change.then(change)
  }
}

/** A child process for each link. */
export class ChildPeer implements Peer {
  readonly kind = 'stdio'
  readonly target: Target
  readonly #log: string

  constructor(folder: string, name: string) {
    this.#log = join(folder, name)
    this.target = childServer({ log: this.#log, tools: ['slow'] })
  }

  harm(chance: Chance): string {
    const pid = readChildLog(this.#log).findLast(({ event }) => event === 'start')?.pid
    const signal = chance.pick(['SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGCONT'] as const)
    try {
      if (pid !== undefined) process.kill(pid, signal)
    } catch {
      // It is gone already.
    }
    return `a child gets ${signal}`
  }

  async heal(): Promise<void> {
    const pids = new Set(readChildLog(this.#log).map(({ pid }) => pid))
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGCONT')
      } catch {
        // It is gone already.
      }
    }
  }

  runs(): string[] {
    return readChildLog(this.#log).flatMap(({ message }) => {
      const { method, params } = (message ?? {}) as { method?: string; params?: { arguments?: { id?: string } } }
      return method === 'tools/call' && params?.arguments?.id !== undefined ? [params.arguments.id] : []
    })
  }

  async close(): Promise<void> {}
}
