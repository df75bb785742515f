import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answeredId } from '../../../src/wire/answered-id.js'
import { readEndpoint } from '../../../src/wire/sse/endpoint.js'
import { LastingStream } from '../../../src/wire/sse/lasting-stream.js'
import { targetOf } from '../../../src/wire/web/index.js'

describe('a stream with messages over the limit', () => {
  const limit = 2_000
  const read = (chunks: Uint8Array[]) => {
    const seen = { ids: [] as unknown[], skipped: [] as unknown[], named: [] as string[], garbage: 0 }
    const stream = new LastingStream(
      {
        message: (value) => seen.ids.push(Object(value).id),
        garbage: () => {
          seen.garbage += 1
        },
        named: (event) => seen.named.push(event),
        oversize: (head, tail) => seen.skipped.push(answeredId(head, tail)),
      },
      limit,
    )
    for (const chunk of chunks) stream.feed(chunk)
    stream.finish()
    return { ...seen, retryMs: stream.retryMs }
  }

  it('loses those and no others, however the bytes are cut, and knows whose they were', () => {
    const kinds = fc.constantFrom('small', 'big, id first', 'big, id last', 'comment', 'named')
    fc.assert(
      fc.property(
        fc.array(kinds, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: limit / 2 }),
        (events, newline, size) => {
          const long = 'é'.repeat(limit * 2)
          const text = events
            .map((kind, id) => {
              if (kind === 'comment') return `: {"id":0}${newline}${newline}`
              if (kind === 'named') return `event: other${newline}data: x${newline}${newline}`
              const result = kind === 'small' ? {} : { id: 'inner', text: long, last: { id: 'inner' } }
              const message = kind === 'big, id last' ? { result, jsonrpc: '2.0', id } : { jsonrpc: '2.0', id, result }
              return `event: message${newline}data: ${JSON.stringify(message)}${newline}${newline}`
            })
            .join('')
          const whole = new TextEncoder().encode(`retry: 5${newline}${text}`)
          const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
            whole.slice(n * size, (n + 1) * size),
          )
          const idsOf = (start: string) => events.flatMap((kind, id) => (kind.startsWith(start) ? [id] : []))
          const { ids, skipped, named, garbage, retryMs } = read(chunks)
          expect(ids).toEqual(idsOf('small'))
          expect(skipped).toEqual(idsOf('big'))
          expect(named).toHaveLength(idsOf('named').length)
          expect([garbage, retryMs]).toEqual([0, 5])
        },
      ),
    )
  })

  it('keepalive comments without end take no room and hide nothing', () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    const big = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 7, result: { text: 'x'.repeat(9_000) } })}\n\n`
    const chunks = Array.from({ length: 2_000 }, () => bytes(': {"id":3} keepalive\n\n'))
    for (let at = 0; at < big.length; at += 500) chunks.push(bytes(big.slice(at, at + 500)))
    expect(read(chunks).skipped).toEqual([7])
  })
})

describe('the endpoint event', () => {
  const stream = targetOf(new URL('https://host.example:8443/tenant-12345678/sse?key=abcdefgh1'))

  it.each([
    ['/messages?sid=1', 'https://host.example:8443/messages?sid=1'],
    ['messages', 'https://host.example:8443/tenant-12345678/messages'],
    [' /spaced \n', 'https://host.example:8443/spaced'],
    ['https://HOST.example:8443/m', 'https://host.example:8443/m'],
    ['https://user:pw@host.example:8443/m', 'https://host.example:8443/m'],
    ['/m#part', 'https://host.example:8443/m'],
  ])('%j is taken as %s', (data, href) => {
    expect(readEndpoint(data, stream)).toMatchObject({ href })
  })

  it.each([
    'https://host.example/m',
    'http://host.example:8443/m',
    '//other.example/m',
    'https://host.example:8443@other.example/m',
    '\\\\other.example\\m',
    'javascript:alert(1)',
  ])('%j leaves the origin and is refused', (data) => {
    expect(readEndpoint(data, stream)).toMatchObject({ kind: 'config', subject: 'url' })
  })

  it('names what must not be told: what looks like an id and did not stand in the url', () => {
    const endpoint = readEndpoint('/tenant-12345678/messages/0f8fad5b-d9cb?sessionId=c1a2b3c4d5&v=2024', stream)
    expect(endpoint).toMatchObject({ secrets: ['0f8fad5b-d9cb', 'c1a2b3c4d5'] })
  })
})
