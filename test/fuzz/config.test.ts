// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of configurations, whose variables they are
/** Configuration files of any bytes: they are read, or refused with a ConfigError, in no time and without their secrets. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/errors.js'
import { namesServers, parseConfig } from '../../src/hub/index.js'
import { PATIENCE_MS, runs } from './fuzz.js'

const file = '/etc/mcp/mcp.json'
const secret = 'canary-5f1c'

const variable = fc
  .tuple(
    fc.constantFrom('', 'env:', 'input:', 'workspaceFolder', 'userHome', 'ENV:', 'x:'),
    fc.constantFrom('TOKEN', 'UNSET', '', '__proto__', 'a.b', ':-', 'UNSET:-${UNSET:-${TOKEN}}', 'UNSET:-', '}'),
  )
  .map(([kind, name]) => `\${${kind}${name}}`)
const text = fc.oneof(
  fc.array(fc.oneof(variable, fc.constantFrom('$', '${', '}', '$${', '{'), fc.string()), { maxLength: 4 }).map(joined),
  fc.constantFrom('stdio', 'http', 'sse', 'node', 'https://host/mcp', 'file:///x', secret),
)
const value = fc.oneof(text, fc.jsonValue(), fc.constant(null), fc.boolean(), fc.double(), fc.array(text))
const name = fc.oneof(
  fc.constantFrom('command', 'args', 'env', 'envFile', 'inheritEnv', 'cwd', 'url', 'headers', 'type', 'policy'),
  fc.constantFrom('timeout', 'timeoutMs', 'disabled', 'includeTools', 'disabledTools', '__proto__', 'constructor', ''),
  fc.string(),
)
const entry = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom({ command: 'node' }, { url: 'https://host/mcp' }) },
  fc.record(
    { command: fc.constant('node'), args: fc.array(text), env: fc.dictionary(name, text) },
    { requiredKeys: ['command'] },
  ),
  value,
  fc.dictionary(name, fc.oneof(value, fc.dictionary(name, text))),
)
const servers = fc.oneof(
  value,
  fc.dictionary(fc.oneof(fc.constantFrom('__proto__', 'toString', 'a'), fc.string()), entry),
)
const section = fc.constantFrom('mcpServers', 'servers', 'mcp', 'context_servers', 'inputs', '__proto__')
const config = fc
  .dictionary(section, fc.oneof(servers, fc.dictionary(section, servers)))
  .map((whole) => JSON.stringify(whole))

/** A file as a slip of an editor leaves it: cut off, or with something in its midst. */
const damaged = fc
  .tuple(config, fc.nat(), fc.oneof(fc.string(), fc.constantFrom('', ',', '}', '/*', '//', '\uFEFF', '"', '\0', '[[')))
  .map(([whole, at, more]) => {
    const place = at % (whole.length + 1)
    return whole.slice(0, place) + more + (at % 2 === 0 ? '' : whole.slice(place))
  })
const bytes = fc.uint8Array({ maxLength: 400 }).map((some) => Buffer.from(some).toString('utf8'))

/** What comes of it: how many entries are good, and what was said of the others. */
async function outcomeOf(given: string): Promise<{ good: number; refused: ConfigError[] }> {
  const refused: ConfigError[] = []
  const met = (error: unknown) => {
    if (!(error instanceof ConfigError)) throw error
    refused.push(error)
  }
  let good = 0
  try {
    const { entries } = parseConfig(given, file, { env: { TOKEN: secret, ENV: secret } })
    for (const one of entries) {
      try {
        await one.resolve()
        good += 1
      } catch (error) {
        met(error)
      }
    }
  } catch (error) {
    met(error)
  }
  return { good, refused }
}

describe('a configuration', () => {
  it.each([
    ['whole', config],
    ['damaged', damaged],
    ['of any bytes', bytes],
    ['of any text', fc.string({ unit: 'binary' })],
  ])('%s is read or refused, in no time, and no value is told', async (_, written) => {
    let [read, seen] = [0, 0]
    await fc.assert(
      fc.asyncProperty(written, async (given) => {
        const began = performance.now()
        const { good, refused } = await outcomeOf(given)
        expect(performance.now() - began).toBeLessThan(PATIENCE_MS)
        for (const { message } of refused) expect(message).not.toContain(secret)
        read += good
        seen += 1
      }),
      runs,
    )
    expect(seen).toBeGreaterThan(0)
    if (written === config) expect(read).toBeGreaterThan(0)
  })

  it('is said to name servers or not, by the same rules', () => {
    fc.assert(
      fc.property(fc.oneof(config, damaged), (given) => {
        try {
          expect(typeof namesServers(given, file)).toBe('boolean')
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError)
        }
      }),
      runs,
    )
  })

  it.each([
    ['brackets that open', `{"a":`.repeat(50_000)],
    ['lists within lists', `{"servers":{"a":{"command":"x","b":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}`],
    ['variables within defaults', `{"servers":{"a":{"command":"${'${A:-'.repeat(2_000)}${'}'.repeat(2_000)}"}}}`],
    ['variables that are not closed', `{"servers":{"a":{"command":"${'${'.repeat(20_000)}"}}}`],
    ['names that stand there often', `{"servers":{${'"a":{"command":"x"},'.repeat(3_000)}"b":{}}}`],
  ])('with very many %s is read or refused in no time', async (_, given) => {
    const began = performance.now()
    const { good, refused } = await outcomeOf(given)
    expect(performance.now() - began).toBeLessThan(PATIENCE_MS)
    expect(good + refused.length).toBeGreaterThan(0)
  })
})

function joined(parts: readonly string[]): string {
  return parts.join('')
}
