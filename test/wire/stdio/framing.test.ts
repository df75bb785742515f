import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answeredId } from '../../../src/wire/answered-id.js'
import { LineReader, type OversizeLine } from '../../../src/wire/stdio/framing.js'
import { BLANK, NOT_JSON, parseLine } from '../../../src/wire/stdio/line.js'

function read(limit: number, chunks: Buffer[]) {
  const lines: string[] = []
  const oversize: OversizeLine[] = []
  const reader = new LineReader(limit, {
    line: (bytes, start, end) => lines.push(bytes.toString('utf8', start, end)),
    oversize: (line) => oversize.push(line),
  })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return { lines, oversize }
}

function cut(bytes: Buffer, places: number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, n) => bytes.subarray(n === 0 ? 0 : ends[n - 1], end))
}

const anyLine = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\n', ' '))

describe('lines of a byte stream', () => {
  it('02.10: are the same however the stream is chunked', () => {
    fc.assert(
      fc.property(fc.array(anyLine), fc.array(fc.nat()), (lines, places) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        expect(read(1000, cut(bytes, places)).lines).toEqual(lines)
      }),
    )
  })

  it('02.10: are over the limit or not, however the stream is chunked', () => {
    fc.assert(
      fc.property(fc.array(anyLine), fc.array(fc.nat()), fc.integer({ min: 1, max: 60 }), (lines, places, limit) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        const fits = (line: string) => Buffer.byteLength(line) <= limit
        const found = read(limit, cut(bytes, places))
        expect(found.lines).toEqual(lines.filter(fits))
        expect(found.oversize.map(({ bytes }) => bytes)).toEqual(
          lines.filter((line) => !fits(line)).map((line) => Buffer.byteLength(line)),
        )
      }),
    )
  })

  it('keep the same ends of a line over a small limit, however the stream is chunked', () => {
    const line = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(600)}"}\n`)
    const [whole] = read(500, [line]).oversize
    const [cutOnce] = read(500, cut(line, [510])).oversize
    expect(cutOnce).toEqual(whole)
  })

  it('keep only the two ends of a line over the limit', () => {
    const line = Buffer.from(`HEAD${'x'.repeat(1 << 20)}TAIL\n`)
    const chunks = cut(
      line,
      Array.from({ length: 40 }, (_, n) => n * 31_337),
    )
    const [skipped] = read(10_000, chunks).oversize
    expect(skipped?.bytes).toBe(line.length - 1)
    expect(skipped?.head.toString()).toMatch(/^HEADx{4092}$/)
    expect(skipped?.tail.toString()).toMatch(/^x{252}TAIL$/)
  })

  it('take linear time for a message that comes byte by byte', () => {
    const message = Buffer.alloc(1 << 20, 'y')
    const chunks = Array.from(message, (_, n) => message.subarray(n, n + 1))
    const before = performance.now()
    expect(read(4 << 20, [...chunks, Buffer.from('\n')]).lines[0]).toHaveLength(1 << 20)
    // Copying what is there for each byte would take minutes.
    expect(performance.now() - before).toBeLessThan(3000)
  })
})

describe('one line', () => {
  const parse = (bytes: Buffer | string) => parseLine(Buffer.from(bytes), 0, Buffer.byteLength(bytes))

  it.each(['', '\r', '  \t\r'])('%j is blank', (text) => {
    expect(parse(text)).toBe(BLANK)
  })
  it.each(['server ready', '42', '"text"', '{broken', '[1,'])('%j is not JSON', (text) => {
    expect(parse(text)).toBe(NOT_JSON)
  })
  it('02.09: loses a byte order mark before the value and keeps one within a string', () => {
    expect(parse('\uFEFF{"text":"\uFEFFa"}\r')).toEqual({ text: '\uFEFFa' })
  })
})

describe('whose answer a message over the limit was', () => {
  const of = (text: string) =>
    answeredId(Buffer.from(text).subarray(0, 4096).toString(), Buffer.from(text).subarray(-256).toString())
  const long = 'x'.repeat(10_000)

  it('is read when the id comes first', () => {
    expect(of(JSON.stringify({ jsonrpc: '2.0', id: 7, result: { text: long } }))).toBe(7)
    expect(of(JSON.stringify({ id: 'a"b', jsonrpc: '2.0', result: { text: long } }))).toBe('a"b')
  })
  it('is read when the id comes last, as the TypeScript SDK has it', () => {
    expect(of(JSON.stringify({ result: { text: long }, jsonrpc: '2.0', id: 8 }))).toBe(8)
  })
  it('is not taken from an id within the result', () => {
    expect(of(JSON.stringify({ jsonrpc: '2.0', result: { id: 5, text: long } }))).toBeUndefined()
    expect(of(JSON.stringify({ jsonrpc: '2.0', result: { list: [{ id: 5 }], text: long }, id: 9 }))).toBe(9)
    expect(of(JSON.stringify({ jsonrpc: '2.0', result: { text: long, last: { a: 1, id: 5 } } }))).toBeUndefined()
    expect(of(`{"jsonrpc":"2.0","result":{"text":"${long}","say":"x,\\"id\\":5}"}}`)).toBeUndefined()
  })
  it('is nobody when the message is a request or a notification of the server', () => {
    expect(of(JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'roots/list', params: { long } }))).toBeUndefined()
    expect(of(JSON.stringify({ method: 'roots/list', params: { long }, jsonrpc: '2.0', id: 3 }))).toBeUndefined()
  })
  it('is the true one for any answer, or nobody', () => {
    const id = fc.oneof(fc.integer({ min: 0 }), fc.string())
    fc.assert(
      fc.property(id, fc.jsonValue(), fc.boolean(), (id, value, first) => {
        const message = first ? { id, result: { value, long } } : { result: { value, long }, id }
        expect([id, undefined]).toContain(of(JSON.stringify(message)))
      }),
    )
  })
})
