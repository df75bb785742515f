/** What is read out of headers, whatever a server or a proxy puts there: nothing throws, hangs, grows or leaks. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEndpoint } from '../../src/wire/sse/endpoint.js'
import { CookieJar } from '../../src/wire/web/cookies.js'
import { targetOf } from '../../src/wire/web/index.js'
import { redirectTarget } from '../../src/wire/web/redirects.js'
import { mediaType, retryAfterMs, safeChallenge, safeUrl } from '../../src/wire/web/response-headers.js'
import { PATIENCE_MS, runs } from './fuzz.js'

const headers = (given: Record<string, string>) => ({ get: (name: string) => given[name], setCookies: () => [] })
const odd = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webUrl({ withQueryParameters: true }))
const parameter = fc
  .tuple(
    fc.constantFrom('realm', 'scope', 'error', 'resource_metadata', 'nonce', 'token'),
    fc.oneof(
      odd,
      fc.string().map((text) => `"${text}"`),
    ),
  )
  .map(([name, value]) => `${name}=${value}`)
const challenge = fc.oneof(
  odd,
  fc
    .tuple(fc.constantFrom('Bearer', 'Basic', 'DPoP', ''), fc.array(parameter))
    .map(([scheme, all]) => `${scheme} ${all.join(', ')}`),
  fc.stringMatching(/^(?:realm="|\\|"|=| |,|scope){0,400}$/),
)

describe('WWW-Authenticate', () => {
  it('of any kind is told without throwing, hanging or growing', () => {
    fc.assert(
      fc.property(challenge, (value) => {
        const began = performance.now()
        const told = safeChallenge(value)
        expect(performance.now() - began).toBeLessThan(PATIENCE_MS)
        expect(told?.length).toBeLessThanOrEqual(value.length + 2)
      }),
      runs,
    )
  })

  it('is told without what explains nothing', () => {
    expect(safeChallenge('scope ==')).toBe('scope')
    expect(safeChallenge('DPoP nonce="canary", realm="a, b", token=canary')).toBe('DPoP realm="a, b"')
  })

  it('of 16 KB, the most a head can hold, takes no time to speak of', () => {
    for (const unit of ['realm="', 'scope="\\', 'error=', '"\\"', 'realm = ', '://a@']) {
      const began = performance.now()
      safeChallenge(unit.repeat(Math.ceil(16_384 / unit.length)))
      expect(performance.now() - began).toBeLessThan(PATIENCE_MS)
    }
  })

  it('never shows the credentials of an address', () => {
    fc.assert(
      fc.property(fc.webUrl(), (url) => {
        const secret = url.replace('://', '://canary:canary@')
        expect(safeChallenge(`Bearer resource_metadata="${secret}"`)).not.toContain('canary')
        expect(safeUrl(secret)).not.toContain('canary')
      }),
      runs,
    )
  })
})

describe('other headers', () => {
  it('Retry-After is nothing, or a time that a timer can hold', () => {
    const times = fc.oneof(
      odd,
      fc.double().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    )
    fc.assert(
      fc.property(times, fc.option(odd, { nil: undefined }), (value, date) => {
        const ms = retryAfterMs(headers({ 'retry-after': value, ...(date !== undefined && { date }) }), 0)
        expect(ms === undefined || (ms >= 0 && ms < 2 ** 31)).toBe(true)
      }),
      runs,
    )
  })

  it('a media type is nothing, or lower case without parameters', () => {
    fc.assert(
      fc.property(odd, (value) => {
        const type = mediaType(headers({ 'content-type': value }))
        expect(type === undefined || (type !== '' && !type.includes(';') && type === type.toLowerCase())).toBe(true)
      }),
      runs,
    )
  })

  it('a redirect or an endpoint never leads to another origin', () => {
    const from = targetOf(new URL('https://server.test/mcp'))
    fc.assert(
      fc.property(
        fc.oneof(odd, fc.constantFrom('//evil.test/', 'http://server.test/', '\\\\evil.test', 'javascript:0')),
        (value) => {
          const redirected = redirectTarget(from, value)
          expect(redirected === undefined || redirected.origin === from.origin).toBe(true)
          const endpoint = readEndpoint(value, from)
          expect('kind' in endpoint || endpoint.origin === from.origin).toBe(true)
        },
      ),
      runs,
    )
  })

  it('cookies are kept within bounds, and never break the line', () => {
    const cookie = fc.oneof(
      odd,
      fc.tuple(fc.string(), fc.string()).map(([name, value]) => `${name}=${value}; Path=/`),
    )
    fc.assert(
      fc.property(fc.array(cookie, { maxLength: 20 }), (all) => {
        const jar = new CookieJar()
        jar.store('https://server.test', all)
        expect(jar.header('https://server.test') ?? '').not.toMatch(/[\r\n\0]/)
      }),
      runs,
    )
    const jar = new CookieJar()
    for (let i = 0; i < 10_000; i++) jar.store('https://server.test', [`c${i}=${'x'.repeat(100)}`])
    const kept = jar.header('https://server.test') ?? ''
    expect(kept.length).toBeLessThanOrEqual(4_096)
    // An affinity cookie that was set just now is not what is dropped.
    expect(kept).toContain('c9999=')
  })
})
