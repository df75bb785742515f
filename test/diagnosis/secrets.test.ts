/** Planted secrets, repeated by servers wherever they can: none of them may come out of any door (promise P19). */
import { describe, expect, it } from 'vitest'
import { createConnection, explanationText, type LogEvent, logEvents, type Target } from '../../src/index.js'
import { observe } from '../../src/otel/index.js'
import { childServer } from '../../src/testing/child/index.js'
import { type Play, startFaultServer } from '../../src/testing/fault-server/index.js'
import { failure, until } from '../connection/rig.js'

const canaries = {
  environment: 'violet otter by the river',
  key: 'k3y0',
  argument: 'amber-heron-of-the-lake',
  inline: 'crimson-lynx-of-the-hill',
  header: 'indigo-stork-of-the-bay',
  query: 'scarlet-finch-of-the-fen',
  password: 'emerald-raven-of-the-oak',
}

/** Everything that a connection tells in its life, as one text. */
async function everythingTold(target: Target): Promise<string> {
  const told: unknown[] = []
  const connection = createConnection({
    name: 'watched',
    target,
    policy: { backoff: { baseMs: 1, capMs: 2 }, maxAttempts: 2, timeouts: { closeMs: 500 } },
  })
  const logged: LogEvent[] = []
  logEvents(connection).subscribe((event) => logged.push(event))
  connection.incidents$.subscribe((incident) => told.push(incident))
  connection.actor.on('*', (news) => told.push(news))
  const note = (...args: unknown[]) => void told.push(args)
  const span = { setAttributes: note, addEvent: note, setStatus: note, end: note }
  observe(connection, {
    tracer: {
      startSpan(...args) {
        note(...args)
        return span
      },
    },
  })
  const error = await failure(
    connection.connect().then(() => connection.callTool({ name: 'echo' }, { replay: 'never' })),
  )
  await until(connection, 'failed', 'ready')
  const explanation = connection.explain()
  told.push(error instanceof Error ? [error.message, error] : error, explanation, connection.fault, connection.address)
  told.push(explanationText(explanation), connection.report(), logged, connection.actor.getSnapshot())
  await connection.close()
  return JSON.stringify(told)
}

const expectNone = (told: string, planted: readonly (keyof typeof canaries)[]) => {
  expect(told.length).toBeGreaterThan(1_000)
  for (const name of planted) expect([name, told.includes(canaries[name])]).toEqual([name, false])
}

it('a process that prints its environment and its arguments as it dies', async () => {
  const script = { onStart: [{ print: `${Object.values(canaries).join('\n')}\n`, to: 'stderr' as const }, { exit: 1 }] }
  const { command, args } = childServer(script)
  const told = await everythingTold({
    command,
    args: [...args, '--api-key', canaries.argument, `--auth-token=${canaries.inline}`],
    env: { WEATHER_API_KEY: canaries.key, GREETING: canaries.environment },
  })
  expect(told).toContain('[redacted]')
  expectNone(told, ['environment', 'key', 'argument', 'inline'])
})

describe.each<[string, number | undefined]>([
  ['refuses them', 401],
  ['fails', 500],
  ['answers a page', 200],
  ['answers an error of the protocol', undefined],
])('a server that repeats what it was sent, and %s', (_case, code) => {
  it('gives nothing away (P19)', async () => {
    await using server = await startFaultServer()
    const repeat: Play = ({ request, res }) => {
      const text = `${JSON.stringify(request.headers)} ${request.path} ${Object.values(canaries).join(' ')}`
      const error = { jsonrpc: '2.0', id: request.id, error: { code: -32000, message: text, data: { text } } }
      res.writeHead(code ?? 200, { 'content-type': code === undefined ? 'application/json' : 'text/html' })
      res.end(code === undefined ? JSON.stringify(error) : `<title>${text}</title>`)
    }
    server.answer('POST', repeat)
    const url = new URL(server.url)
    url.username = 'somebody'
    url.password = canaries.password
    url.searchParams.set('token', canaries.query)
    const told = await everythingTold({ url, kind: 'http', headers: { 'x-key': canaries.header } })
    expectNone(told, ['header', 'query', 'password'])
  })
})
