import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { WireEvidence } from '../../../machines/evidence.js'
import { type ChildLogLine, type ChildScript, childServer, readChildLog } from '../../../src/testing/child/index.js'
import { evidenceOf } from '../../../src/wire/failure.js'
import type { JsonRpcId, JsonRpcMessage } from '../../../src/wire/messages.js'
import { StdioWire, type StdioWireOptions } from '../../../src/wire/stdio/index.js'
import type { WireEvent } from '../../../src/wire/wire.js'

export { isAlive } from './is-alive.js'

const cleanups: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'stdio-wire-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, name)
}

/** Looks again and again until it is so; there is no event for what happens in other processes. */
export async function until(isSo: () => boolean, withinMs = 5000): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`not so within ${withinMs} ms: ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** A wire with everything that was seen of it. */
export class Rig {
  readonly wire: StdioWire
  readonly logFile: string | undefined
  readonly events: WireEvent[] = []
  /** What happened, in order: `answer 1`, `closed`, `complete`, `onclose`. */
  readonly order: string[] = []
  readonly messages: JsonRpcMessage[] = []
  readonly errors: Error[] = []
  readonly closed: Promise<WireEvidence>
  #id = 0
  #waiting = new Map<JsonRpcId, (message: JsonRpcMessage) => void>()

  constructor(options: StdioWireOptions, logFile?: string) {
    this.wire = new StdioWire(options)
    this.logFile = logFile
    this.closed = new Promise((resolve) => {
      this.wire.events$.subscribe({
        next: (event) => {
          this.events.push(event)
          if (event.type !== 'closed') return
          this.order.push('closed')
          resolve(event.evidence)
        },
        complete: () => this.order.push('complete'),
      })
    })
    this.wire.onclose = () => this.order.push('onclose')
    this.wire.onerror = (error) => this.errors.push(error)
    this.wire.onmessage = (message: JsonRpcMessage) => {
      this.messages.push(message)
      if ('method' in message || message.id === undefined) return
      this.order.push(`answer ${message.id}`)
      this.#waiting.get(message.id)?.(message)
    }
    cleanups.push(() => this.wire.close())
  }

  /** Sends a request; resolves with whatever answers it. */
  request(method: string, params: Record<string, unknown> = {}): Promise<Answer> {
    const id = ++this.#id
    const answer = new Promise<Answer>((resolve) => {
      this.#waiting.set(id, (message) => resolve(new Answer(message)))
    })
    return this.wire.send({ jsonrpc: '2.0', id, method, params }).then(() => answer)
  }

  call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    return this.request('tools/call', { name, arguments: args })
  }

  ofType<T extends WireEvent['type']>(type: T): Extract<WireEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<WireEvent, { type: T }> => event.type === type)
  }

  log(): ChildLogLine[] {
    return this.logFile === undefined ? [] : readChildLog(this.logFile)
  }

  /** Resolves when the child's log holds such a line. */
  async logged(event: ChildLogLine['event'], method?: string): Promise<ChildLogLine> {
    const isIt = (line: ChildLogLine) =>
      line.event === event && (method === undefined || line.message?.method === method)
    await until(() => this.log().some(isIt))
    return this.log().find(isIt) as ChildLogLine
  }
}

export class Answer {
  readonly message: JsonRpcMessage
  constructor(message: JsonRpcMessage) {
    this.message = message
  }
  /** The text of a tool's result. */
  get text(): string | undefined {
    const result = 'result' in this.message ? this.message.result : {}
    return (result as { content?: { text?: string }[] }).content?.[0]?.text
  }
  /** Why the wire answered in the server's stead. */
  get evidence(): WireEvidence | undefined {
    return 'error' in this.message ? evidenceOf(this.message.error) : undefined
  }
}

/** A wire to a scripted child, not started. Its grace times are short, as most tests' children are polite. */
export function rig(script: ChildScript = {}, options: Partial<StdioWireOptions> = {}): Rig {
  const logFile = script.log ?? temporaryFile('log')
  const target = childServer({ ...script, log: logFile })
  return new Rig({ eofGraceMs: 300, termGraceMs: 300, ...target, ...options }, logFile)
}

export async function started(script: ChildScript = {}, options: Partial<StdioWireOptions> = {}): Promise<Rig> {
  const made = rig(script, options)
  await made.wire.start()
  return made
}

/** Runs and measures. */
export async function timed<T>(run: () => Promise<T>): Promise<[result: T, ms: number]> {
  const before = performance.now()
  const result = await run()
  return [result, performance.now() - before]
}

export const initializeParams = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}
