/** The redactor: whatever is planted does not come out, and ordinary words do. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact, redactValue } from '../src/redact.js'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const of = (alphabet: string, minLength: number, maxLength = minLength * 2) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength })
const opaque = of(`${letters}0123456789`, 20, 48)

/** Secrets whose shape tells that they are one, wherever they stand. */
const shaped = fc.oneof(
  opaque.map((key) => `sk-${key}`),
  opaque.map((key) => `sk-ant-api03-${key}`),
  opaque.map((key) => `ghp_${key}`),
  opaque.map((key) => `github_pat_${key}`),
  opaque.map((key) => `glpat-${key}`),
  opaque.map((key) => `xoxb-${key}`),
  of('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16, 16).map((key) => `AKIA${key}`),
  opaque.map((key) => `hf_${key}`),
  fc.tuple(opaque, opaque, opaque).map(([a, b, c]) => `eyJ${a}.${b}.${c}`),
)

/** Places that say of any word in them that it is a secret. */
const places: readonly ((secret: string) => string)[] = [
  (secret) => `Authorization: Bearer ${secret}`,
  (secret) => `authorization: ${secret}9`,
  (secret) => `{"access_token":"${secret}","expires_in":3600}`,
  (secret) => `{"client_secret": "${secret}"}`,
  (secret) => JSON.stringify({ text: JSON.stringify({ api_key: secret }) }),
  (secret) => `GET /mcp?api_key=${secret}&page=2 failed`,
  (secret) => `https://user:${secret}@example.com/mcp`,
  (secret) => `WEATHER_API_KEY=${secret} is not valid`,
  (secret) => `export GITHUB_TOKEN="${secret}"`,
  (secret) => `node server.js --api-key ${secret} --port 80`,
  (secret) => `node server.js --token=${secret}`,
  (secret) => `Cookie: session=${secret}; theme=dark`,
  (secret) => `x-api-key: ${secret}`,
  (secret) => `password: ${secret}1`,
  (secret) => `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`,
]

const prose = fc
  .array(fc.constantFrom('the', 'server', 'answered', 'with', 'an', 'error', 'at', 'line', '12', 'of', 'index.js:'), {
    maxLength: 8,
  })
  .map((words) => words.join(' '))

describe('what is planted does not come out', () => {
  it('a secret that its shape tells, in any text', () => {
    fc.assert(
      fc.property(prose, shaped, prose, (before, secret, after) => {
        expect(redact(`${before} ${secret} ${after}`)).not.toContain(secret)
      }),
    )
  })

  it('a word that its place tells to be a secret', () => {
    fc.assert(
      fc.property(prose, opaque, fc.constantFrom(...places), prose, (before, secret, place, after) => {
        expect(redact(`${before} ${place(secret)} ${after}`)).not.toContain(secret)
      }),
    )
  })

  it('a value that was named, whatever it looks like and how often it stands there, also as a part of another', () => {
    const value = fc.string({ minLength: 6, maxLength: 30 })
    fc.assert(
      fc.property(prose, value, fc.nat(3), (text, secret, times) => {
        const planted = `${text}${secret.repeat(times)} ${secret}${secret.slice(0, 3)}`
        const clean = redact(planted, {}, [secret.slice(0, 6), secret])
        // Only where the mark itself happens to hold it.
        fc.pre(!'[redacted]'.includes(secret))
        expect(clean).not.toContain(secret)
      }),
    )
  })

  it('a part of a path that is no word', () => {
    const text = 'https://mcp.example.com/api/s/MTY3OTk4ZjItZTI4Yi00/mcp and /home/user/my-long-project-name/index.js'
    expect(redact(text)).toBe(
      'https://mcp.example.com/api/s/[redacted]/mcp and /home/user/my-long-project-name/index.js',
    )
    expect(redact('https://h.io/550e8400-e29b-41d4-a716-446655440000/mcp')).toBe('https://h.io/[redacted]/mcp')
  })

  it('through a whole JSON value, under whatever key', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), opaque, fc.constantFrom(...places), (value, secret, place) => {
        const planted = { value, deep: [{ text: place(secret), token: secret, clientSecret: secret }] }
        expect(JSON.stringify(redactValue(planted))).not.toContain(secret)
      }),
    )
  })
})

describe('what is harmless stays', () => {
  it.each([
    'Session not found',
    'Error: WEATHER_API_KEY environment variable is required',
    "KeyError: 'OPENAI_API_KEY'",
    'Invalid token: the token has expired',
    'error="invalid_token", error_description="The access token expired"',
    'HTTP 401 to initialize: application/json',
    'Unexpected token < in JSON at position 0',
    'https://registry.npmjs.org/@modelcontextprotocol/server-everything-2026.8.31.tgz',
    'npm error code E404',
    'max_tokens: many, tokenState: fresh',
    'process exited with code 1 (SIGKILL)',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('keys that only describe a credential, and everything that is no string', () => {
    const value = { tokenState: 'fresh', credentialEpoch: 3, hasToken: true, none: null }
    expect(redactValue(value)).toEqual(value)
  })

  it('redacting what was redacted changes nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          prose,
          opaque.map((s) => places[0]?.(s) ?? s),
        ),
        fc.nat(places.length - 1),
        (text, at) => {
          const once = redact(places[at]?.(text) ?? text)
          expect(redact(once)).toBe(once)
        },
      ),
    )
  })
})

it('a long text that a server made up to be slow takes no time to speak of', () => {
  const parts = ['a-', '-', 'token', '"', 'https://', '-----BEGIN PRIVATE KEY-----', 'Bearer ', '=', ': ', '@', '\\"']
  for (const part of parts) {
    const text = part.repeat(20_000 / part.length)
    const from = performance.now()
    redact(text)
    expect([part, performance.now() - from < 1_000]).toEqual([part, true])
  }
})
