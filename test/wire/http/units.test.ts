import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact, redactValue } from '../../../src/redact.js'
import { StdioWire } from '../../../src/wire/stdio/browser.js'
import { overDispatcher, overOwnAgent } from '../../../src/wire/web/browser-exchange.js'
import { CookieJar } from '../../../src/wire/web/cookies.js'
import { errnoOf, provesUnsent } from '../../../src/wire/web/errno.js'
import { EventStream } from '../../../src/wire/web/event-stream.js'
import { targetOf } from '../../../src/wire/web/exchange.js'
import { overFetch } from '../../../src/wire/web/fetch-exchange.js'
import { mediaType, retryAfterMs, safeChallenge, safeUrl } from '../../../src/wire/web/response-headers.js'

const headers = (record: Record<string, string>) => ({ get: (name: string) => record[name], setCookies: () => [] })

describe('event streams', () => {
  const read = (chunks: Uint8Array[], limit = 1_000_000) => {
    const seen = { messages: [] as unknown[], garbage: 0, oversize: 0 }
    const stream = new EventStream(
      {
        message: (value) => seen.messages.push(value),
        garbage: () => {
          seen.garbage += 1
        },
        oversize: () => {
          seen.oversize += 1
        },
      },
      limit,
    )
    for (const chunk of chunks) stream.feed(chunk)
    stream.finish()
    return { ...seen, id: stream.lastEventId, retryMs: stream.retryMs }
  }
  const bytes = (text: string) => new TextEncoder().encode(text)

  it('however the bytes are cut into chunks, the messages are the same', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: fc.string({ unit: 'grapheme' }), comment: fc.boolean() }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        fc.array(fc.nat(400), { maxLength: 12 }),
        (events, newline, isLastClosed, cuts) => {
          const lines = events.flatMap(({ text, comment }, n) => [
            ...(comment ? [': alive', ''] : []),
            `id: ${n}`,
            `data: ${JSON.stringify({ text })}`,
            '',
          ])
          const whole = bytes(lines.join(newline) + (isLastClosed ? newline : ''))
          const points = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b)
          const chunks = [0, ...points].map((from, n) => whole.slice(from, points[n] ?? whole.length))
          const { messages, garbage, id } = read(chunks)
          expect(messages).toEqual(events.map(({ text }) => ({ text })))
          expect(garbage).toBe(0)
          expect(id).toBe(String(events.length - 1))
        },
      ),
    )
  })

  it('arbitrary bytes never throw', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), (chunks) => {
        expect(read(chunks, 300).oversize).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('an empty id takes the last one back, and retry is what the server wrote last', () => {
    expect(read([bytes('id: a\ndata: 1\n\nid\ndata: 2\n\nretry: 5\nretry: 7\n\n')])).toMatchObject({
      id: undefined,
      retryMs: 7,
    })
  })

  it('a message over the limit is told once, and nothing after it', () => {
    const big = `data: ${'x'.repeat(50)}`
    expect(read([bytes(big), bytes(big), bytes('\n\ndata: 1\n\n')], 60)).toMatchObject({ oversize: 1, messages: [] })
  })
})

describe('headers', () => {
  it('any Retry-After is absent or a delay that a timer can take', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String), fc.date().map(String)),
        (value) => {
          const ms = retryAfterMs(headers({ 'retry-after': value }), 0)
          if (ms === undefined) return
          expect(ms).toBeGreaterThanOrEqual(0)
          expect(ms).toBeLessThanOrEqual(2 ** 31 - 1)
        },
      ),
    )
  })

  it('the media type is read without its parameters and in lower case', () => {
    expect(mediaType(headers({ 'content-type': ' Text/Event-Stream ;charset=utf-8' }))).toBe('text/event-stream')
    expect(mediaType(headers({ 'content-type': '' }))).toBeUndefined()
    expect(mediaType(headers({}))).toBeUndefined()
  })

  it('a URL is told as origin and path', () => {
    expect(safeUrl('https://u:p@h:8443/a?b=c#d')).toBe('https://h:8443/a')
    expect(safeUrl('/login?x=1', 'https://h/mcp')).toBe('https://h/login')
    expect(safeUrl('http://', 'nonsense')).toBeUndefined()
  })

  it('a challenge keeps only what explains it', () => {
    expect(safeChallenge('Digest realm="r", nonce="n", opaque="o"')).toBe('Digest realm="r"')
    expect(safeChallenge(undefined)).toBeUndefined()
  })
})

describe('redaction', () => {
  it('takes out what the request carried, whole and in parts', () => {
    const sent = { authorization: 'Bearer abcdef123', cookie: 'a=secret-a; b=secret-b', accept: 'application/json' }
    const text = redact('abcdef123 secret-a secret-b application/json', sent)
    expect(text).toBe('[redacted] [redacted] [redacted] application/json')
  })

  it.each([
    'Authorization: Bearer sk-live-12345678',
    '{"access_token":"sk-live-12345678"}',
    'https://h/cb?code=sk-live-12345678&x=1',
    'https://user:sk-live-12345678@h/',
    '{"client_secret" : "sk-live-12345678"}',
  ])('knows a credential by its shape: %s', (text) => {
    expect(redact(text)).not.toContain('sk-live-12345678')
  })

  it('goes through values and keeps their shape', () => {
    expect(redactValue({ supported: ['2025-06-18'], api_key: 'x', n: 1, deep: [{ token: 'y' }] })).toEqual({
      supported: ['2025-06-18'],
      api_key: '[redacted]',
      n: 1,
      deep: [{ token: '[redacted]' }],
    })
  })

  it('leaves the words of a lost session', () => {
    expect(redact('Session session-12345 not found', { 'mcp-session-id': 'session-12345' })).toBe(
      'Session [redacted] not found',
    )
  })
})

describe('errno', () => {
  it('is found in causes and in aggregates', () => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' })
    expect(errnoOf(new TypeError('fetch failed', { cause: refused }))).toBe('ECONNREFUSED')
    expect(errnoOf(new TypeError('fetch failed', { cause: new AggregateError([refused]) }))).toBe('ECONNREFUSED')
    expect(errnoOf(new Error('none'))).toBeUndefined()
    const ring = new Error('ring')
    ring.cause = ring
    expect(errnoOf(ring)).toBeUndefined()
  })

  it('proves nothing of a reset', () => {
    expect(provesUnsent('ECONNREFUSED')).toBe(true)
    expect(provesUnsent('CERT_HAS_EXPIRED')).toBe(true)
    expect(provesUnsent('ECONNRESET')).toBe(false)
    expect(provesUnsent('UND_ERR_SOCKET')).toBe(false)
    expect(provesUnsent(undefined)).toBe(false)
  })
})

describe('cookies', () => {
  it('are kept per origin, replaced and deleted', () => {
    const jar = new CookieJar()
    jar.store('http://a', ['s=1; Path=/x; Secure', 'bad', '=worse', 't=a=b'])
    expect(jar.header('http://a')).toBe('s=1; t=a=b')
    expect(jar.header('http://b')).toBeUndefined()
    expect(jar.header('http://b', 'own=1')).toBe('own=1')
    jar.store('http://a', ['s=2', 't=; Expires=Wed, 21 Oct 2015 07:28:00 GMT'], 'Wed, 21 Oct 2020 07:28:00 GMT')
    expect(jar.header('http://a')).toBe('s=2')
    jar.store('http://a', ['s=; max-age=-1'])
    expect(jar.header('http://a')).toBeUndefined()
  })
})

describe('where there is no undici', () => {
  it('a redirect that a browser hides is told as one, so that it is not taken for an answer', async () => {
    const hidden = { type: 'opaqueredirect', status: 0, headers: new Headers(), body: null } as unknown as Response
    const seen = await new Promise((resolve) => {
      const sink = { head: resolve, data() {}, end() {}, fail: resolve }
      overFetch(async () => hidden).exchange(
        { method: 'POST', target: targetOf(new URL('http://a/')), headers: {} },
        sink,
      )
    })
    expect(seen).toBe(302)
  })

  it('fetch serves, and what needs Node is refused with a sentence', async () => {
    expect(() => overDispatcher()).toThrow(/no dispatchers/)
    expect(() => new StdioWire({ command: 'npx' })).toThrow(/a browser starts no processes/)
    await overOwnAgent().close()
  })
})
