import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runExample, startEverything } from './run-example.js'

/** What each example says, in this order; it may say more. */
const said: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'authorization.ts': [/^log in at http:.*\/authorize$/, 'You are known here.', 'with a key: ready'],
  'call-errors.ts': [/^unknown: .+/, 'error -32601', 'ordered 1 time, the shop is ready again'],
  'embed-actor.ts': ['ready on link 1', 'Echo: hello', 'closed'],
  'embed-handle.ts': [
    'everything is idle',
    'everything is connecting',
    'everything is initializing',
    'everything is discovering',
    'everything is ready',
    'The sum of 2 and 3 is 5.',
    'everything is closing',
    'everything is closed',
  ],
  'embed-parent.ts': ['working', 'The sum of 20 and 22 is 42.'],
  'hub.ts': [
    'everything is idle',
    /^typo is failed: spawn\.ENOENT$/,
    'everything is ready',
    'tools: everything__echo, …',
    'The sum of 2 and 3 is 5.',
    'Echo: awake',
    'everything is closed',
  ],
  'hub-config.ts': [
    /^remote: headers\.Authorization needs \$\{NO_SUCH_TOKEN\}$/,
    'line 1: the file is not taken up',
    'removed remote, left alone everything',
  ],
  'inspect-other.ts': ['ws://127.0.0.1:PORT/feed?token=…'],
  'inspect-page.ts': [/^Open http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}$/, 'everything is ready'],
  'inspect-stately.ts': ['@xstate.actor ', '@xstate.event connect', '@xstate.event link.opened'],
  'own-rule.ts': ['server 2 did it'],
  'server-requests.ts': [/Current MCP Roots \(1 total\)/, '1. demo'],
  'simulated-time.ts': ['after 499 ms: backoff', 'after 500 ms: ready'],
  'target-custom.ts': ['It is Monday.'],
  'target-http.ts': [/^tools, protocol \d{4}-\d{2}-\d{2}$/],
  'telemetry.ts': [
    '{"level":30,"event":"connection.ready","connection":"clock","generation":1,"resumed":false,"msg":"ready"}',
  ],
  'watch.ts': [
    'now ready',
    'tools: day',
    'now backoff',
    'now connecting',
    'now ready',
    'loss by wire.closed, recovered after 0 failed attempts',
    'now closed',
  ],
  'why.ts': [
    /^Given up .* ago\. The variable WEATHER_API_KEY is missing\.$/,
    'Has the server the variables and keys that it asks for? the variable WEATHER_API_KEY is missing',
    /^Give it to the server: `env: \{ WEATHER_API_KEY: … \}`/,
    /✗ Does the server's process live\?/,
  ],
  'wrong-config.ts': [/^spawn\.ENOENT: .*Check that it is installed/, 'typo is ready'],
}

/** The lines that are still to come once the given ones were said in order. */
function unsaid(expected: readonly (string | RegExp)[], lines: readonly string[]): (string | RegExp)[] {
  const left = [...expected]
  for (const line of lines) {
    const [next] = left
    if (next !== undefined && (typeof next === 'string' ? line === next : next.test(line))) left.shift()
  }
  return left
}

test('every example is run here', () => {
  const files = readdirSync('docs/examples').filter((name) => name.endsWith('.ts') && !name.startsWith('demo'))
  expect(files.sort()).toEqual(Object.keys(said).sort())
})

test('a line that is missing, or comes too early, is noticed', () => {
  expect(unsaid(['a', /^b/], ['a', 'x', 'bc'])).toEqual([])
  expect(unsaid(['a', 'b'], ['b', 'a'])).toEqual(['b'])
})

test.each(Object.entries(said))(
  '%s does what it says, and ends by itself',
  { timeout: 40_000 },
  async (file, expected) => {
    const server = file === 'target-http.ts' ? await startEverything() : undefined
    try {
      const { lines, ...ending } = await runExample(`docs/examples/${file}`, server && { MCP_URL: server.url })
      expect(ending).toEqual({ code: 0, signal: null, stderr: '' })
      expect({ lines, unsaid: unsaid(expected, lines) }).toEqual({ lines, unsaid: [] })
    } finally {
      await server?.stop()
    }
  },
)
