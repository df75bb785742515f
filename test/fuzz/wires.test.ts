/**
 * The parsers of the wires under whatever bytes a server sends, however they are cut: nothing is thrown past them, nothing
 * hangs, every request is settled once, and what is kept is bounded.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.js'
import { answeredId } from '../../src/wire/answered-id.js'
import type { JsonRpcMessage } from '../../src/wire/messages.js'
import { LineReader } from '../../src/wire/stdio/framing.js'
import { Inbox } from '../../src/wire/stdio/inbox.js'
import { NoiseMeter } from '../../src/wire/stdio/noise.js'
import { Pending } from '../../src/wire/stdio/pending.js'
import { EventStream } from '../../src/wire/web/event-stream.js'
import { OpenRequests } from '../../src/wire/web/open-requests.js'
import { chunked, chunkedTwice, json, PATIENCE_MS, runs, written } from './fuzz.js'

/** Frames as servers write them, and everything that is nearly one. */
const frame = fc.oneof(
  written.map((text) => `data: ${text}\n\n`),
  fc
    .tuple(fc.constantFrom('message', 'endpoint', 'x', ''), written)
    .map(([event, text]) => `event: ${event}\ndata: ${text}\n\n`),
  fc.string().map((id) => `id: ${id}\ndata: {}\n\n`),
  fc.oneof(fc.integer(), fc.string()).map((ms) => `retry: ${ms}\n\n`),
  fc.constantFrom(': alive\n\n', '\r\n\r\n', '\r', '\uFEFF', 'data\n\n', 'data:\n\n', 'id\n', '\0', ':'),
  fc.string({ unit: 'binary' }),
)
const stream = fc.array(frame, { maxLength: 12 }).map((frames) => frames.join(''))

function readStream(chunks: readonly Uint8Array[], limit = 1 << 20) {
  const seen: unknown[] = []
  const reader = new EventStream(
    {
      message: (value, id) => seen.push([value, id]),
      garbage: () => seen.push('garbage'),
      oversize: () => seen.push('oversize'),
      named: (event, data) => seen.push([event, data]),
    },
    limit,
  )
  for (const chunk of chunks) reader.feed(chunk)
  reader.finish()
  return { seen, at: [reader.lastEventId, reader.retryMs] }
}

describe('server-sent events', () => {
  it('of any bytes, in any pieces, throw nothing', () => {
    fc.assert(
      fc.property(chunked(fc.oneof(fc.uint8Array({ maxLength: 400 }), stream.map(bytesOf))), (chunks) => {
        expect(() => readStream(chunks, 200)).not.toThrow()
      }),
      runs,
    )
  })

  it('say the same however they are cut', () => {
    fc.assert(
      fc.property(chunkedTwice(stream), ([some, others]) => {
        expect(readStream(some)).toEqual(readStream(others))
      }),
      runs,
    )
  })

  it('take a time to wait from digits only', () => {
    fc.assert(
      fc.property(chunked(stream.map(bytesOf)), (chunks) => {
        const [, retryMs] = readStream(chunks).at
        expect(retryMs === undefined || (typeof retryMs === 'number' && retryMs >= 0)).toBe(true)
      }),
      runs,
    )
  })

  it('keep no more than the limit of a message without end', () => {
    let oversize = 0
    const nothing = () => {}
    const reader = new EventStream({ message: nothing, garbage: nothing, oversize: () => oversize++ }, 64 * 1024)
    const chunk = bytesOf(`data: ${'x'.repeat(10_000)}\n`)
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 5_000; i++) reader.feed(chunk)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(30 * 1024 * 1024)
    expect(oversize).toBe(1)
  })
})

/** Two requests that wait, and the whole way from bytes to what the client hears. */
function readLines(chunks: readonly Uint8Array[], limit = 500) {
  const pending = new Pending()
  for (const id of [1, 2]) pending.add(id, 'tools/call')
  const delivered: JsonRpcMessage[] = []
  const noise = new NoiseMeter(systemClock, () => {})
  const inbox = new Inbox({ pending, noise, deliver: (message) => delivered.push(message), suspect: () => {} })
  const reader = new LineReader(limit, inbox)
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  reader.end()
  noise.end()
  return delivered
}

const line = fc.oneof(
  written,
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.array(json).map((all) => JSON.stringify(all) ?? ''),
)
const lines = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '')), { maxLength: 12 })
  .map((all) => all.flat().join(''))

describe('lines of a child', () => {
  it('of any bytes, in any pieces, throw nothing, and settle a request at most once', () => {
    fc.assert(
      fc.property(chunked(fc.oneof(fc.uint8Array({ maxLength: 400 }), lines.map(bytesOf))), (chunks) => {
        const answers = readLines(chunks).flatMap((message) => ('method' in message ? [] : [message.id]))
        for (const id of [1, 2]) expect(answers.filter((one) => one === id).length).toBeLessThanOrEqual(1)
      }),
      runs,
    )
  })

  it('say the same however they are cut', () => {
    fc.assert(
      fc.property(chunkedTwice(lines), ([some, others]) => {
        expect(JSON.stringify(readLines(some))).toBe(JSON.stringify(readLines(others)))
      }),
      runs,
    )
  })

  it('tell whose answer a torn one was without hanging', () => {
    const torn = fc.oneof(written, fc.string({ maxLength: 4_096 }), fc.stringMatching(/^[[{"\\,:a ]{0,2000}$/))
    fc.assert(
      fc.property(torn, torn, (head, tail) => {
        const began = performance.now()
        const id = answeredId(head, tail)
        expect(['undefined', 'string', 'number']).toContain(typeof id)
        expect(performance.now() - began).toBeLessThan(PATIENCE_MS)
      }),
      runs,
    )
  })
})

describe('what comes for open requests', () => {
  it('settles each at most once, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 20 }), (values) => {
        const handed: JsonRpcMessage[] = []
        const requests = new OpenRequests({ hand: (message) => handed.push(message), noise: () => {} })
        const open = [1, 2].map((id) => ({
          id,
          method: 'tools/call',
          settled: false,
          finish: () => {},
          abandon: () => {},
          malformed: (summary: string) => ({ kind: 'malformed' as const, wire: 'http' as const, summary }),
        }))
        for (const request of open) requests.add(request)
        for (const value of values) requests.receive(value, open[0])
        const answers = handed.flatMap((message) => ('method' in message ? [] : [message.id]))
        for (const { id, settled } of open) {
          expect(answers.filter((one) => one === id)).toHaveLength(settled ? 1 : 0)
          expect(requests.has(id)).toBe(!settled)
        }
      }),
      runs,
    )
  })
})

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
