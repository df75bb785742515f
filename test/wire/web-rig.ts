import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { WireEvidence } from '../../machines/evidence.js'
import type { Clock } from '../../src/clock.js'
import { evidenceOf } from '../../src/wire/failure.js'
import type { JsonRpcMessage } from '../../src/wire/messages.js'
import type { Wire, WireEvent } from '../../src/wire/wire.js'

/** A clock that stands until it is told. */
export class ManualClock implements Clock {
  #now = 0
  #next = 0
  readonly #timers = new Map<number, { at: number; fn: () => void }>()

  now(): number {
    return this.#now
  }

  setTimeout(fn: () => void, ms: number): number {
    this.#next += 1
    this.#timers.set(this.#next, { at: this.#now + ms, fn })
    return this.#next
  }

  clearTimeout(id: number): void {
    this.#timers.delete(id)
  }

  get timers(): number {
    return this.#timers.size
  }

  /** How far the next timer is away. */
  get nextInMs(): number {
    return Math.min(...[...this.#timers.values()].map(({ at }) => at)) - this.#now
  }

  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0]
      if (due === undefined) break
      this.#timers.delete(due[0])
      this.#now = Math.max(this.#now, due[1].at)
      due[1].fn()
    }
    this.#now = end
  }
}

/** Waits for real input and output, not for time: gives way to the event loop until the condition holds. */
export async function until(isMet: () => boolean, what = 'a condition'): Promise<void> {
  const deadline = performance.now() + 15_000
  while (!isMet()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Lets whatever is on its way through sockets of this machine arrive. */
export async function quiet(rounds = 30): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((resolve) => setTimeout(resolve, 1))
}

export interface Answer {
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

/** A wire without the SDK: every answer, event and close is written down. */
export class WireRig<W extends Wire> implements AsyncDisposable {
  readonly wire: W
  readonly messages: JsonRpcMessage[] = []
  readonly events: WireEvent[] = []
  closes = 0
  #id = 0
  readonly #answers = new Map<unknown, (answer: Answer) => void>()
  /** Answers per id: each must come exactly once. */
  readonly answered = new Map<unknown, number>()

  constructor(wire: W) {
    this.wire = wire
    this.wire.events$.subscribe((event) => this.events.push(event))
    this.wire.onclose = () => {
      this.closes += 1
    }
    this.wire.onmessage = (message: JsonRpcMessage) => {
      this.messages.push(message)
      if ('method' in message) return
      this.answered.set(message.id, (this.answered.get(message.id) ?? 0) + 1)
      this.#answers.get(message.id)?.(message)
    }
  }

  /** Sends a request; resolves with its answer. */
  async ask(method: string, params: Record<string, unknown> = {}): Promise<Answer> {
    const { answer } = this.begin(method, params)
    return answer
  }

  begin(method: string, params: Record<string, unknown> = {}): { id: number; answer: Promise<Answer> } {
    this.#id += 1
    const id = this.#id
    const answer = new Promise<Answer>((resolve) => this.#answers.set(id, resolve))
    void this.wire.send({ jsonrpc: '2.0', id, method, params })
    return { id, answer }
  }

  /** Sends a request that must fail in the wire; resolves with the evidence. */
  async evidence(method: string, params: Record<string, unknown> = {}): Promise<WireEvidence> {
    const { error, result } = await this.ask(method, params)
    const evidence = evidenceOf(error)
    if (evidence === undefined) throw new Error(`no failure of the wire: ${JSON.stringify(error ?? result)}`)
    return evidence
  }

  notify(method: string, params?: Record<string, unknown>): Promise<void> {
    return this.wire.send({ jsonrpc: '2.0', method, ...(params && { params }) })
  }

  /** The handshake, as the SDK does it. */
  async initialize(protocolVersion = '2025-11-25'): Promise<void> {
    await this.ask('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'rig', version: '1' } })
    this.wire.setProtocolVersion?.(protocolVersion)
    await this.notify('notifications/initialized')
  }

  told(type: WireEvent['type']): WireEvent[] {
    return this.events.filter((event) => event.type === type)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.wire.close()
  }
}

/** The SDK's own client over a wire. */
export async function connected<W extends Wire>(wire: W) {
  const events: WireEvent[] = []
  wire.events$.subscribe((event) => events.push(event))
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(wire)
  return {
    client,
    wire,
    events,
    echo: (text: string) => client.callTool({ name: 'echo', arguments: { text } }),
    async [Symbol.asyncDispose]() {
      await client.close()
    },
  }
}

/** The evidence in a rejection of the SDK's client. */
export async function evidenceIn(promise: Promise<unknown>): Promise<WireEvidence> {
  const evidence = evidenceOf(
    await promise.then(
      () => undefined,
      (error: unknown) => error,
    ),
  )
  if (evidence === undefined) throw new Error('no failure of the wire')
  return evidence
}
