/**
 * `npm run docs:screenshots`: the pictures of the inspector in docs/images, taken of the real page over a handful of
 * connections in different states. Needs Chromium; not part of any check, since every machine draws a little otherwise.
 */
import { mkdirSync, statSync } from 'node:fs'
import { type Clock, type Connection, type ConnectionOptions, createConnection } from '../../src/index.js'
import { startInspector } from '../../src/inspect/index.js'
import { childServer } from '../../src/testing/child/index.js'
import { type FaultServer, startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { launch } from './chromium.js'

/** Lets five minutes pass in half a minute, so that the strips have something to show. */
class QuickClock implements Clock {
  #factor = 10
  #real = performance.now()
  #shown = 0

  now(): number {
    return Math.round(this.#shown + (performance.now() - this.#real) * this.#factor)
  }
  setTimeout(fn: () => void, ms: number): unknown {
    return setTimeout(fn, ms / this.#factor)
  }
  clearTimeout(id: NodeJS.Timeout): void {
    clearTimeout(id)
  }
  /** Resolves after so many of its seconds. */
  pass(seconds: number): Promise<void> {
    return new Promise((resolve) => this.setTimeout(resolve, seconds * 1_000))
  }
  /** From now on it goes as clocks go; what was set before still comes early. */
  slow(): void {
    this.#shown = this.now()
    this.#real = performance.now()
    this.#factor = 1
  }
}

const MOST_BYTES = 200_000
const folder = 'docs/images'

const inspector = await startInspector({ breakWire: () => undefined })
const [search, calendar, tickets] = await Promise.all([startFaultServer(), startFaultServer(), startFaultServer()])
const clock = new QuickClock()
const make = (name: string, target: ConnectionOptions['target'], baseMs = 1_500): Connection =>
  createConnection({
    name,
    target,
    clock,
    random: () => 0.5,
    policy: { backoff: { baseMs, capMs: baseMs * 4, jitter: 0 } },
    inspect: inspector.inspect,
  })

const connections = {
  files: make('files', childServer({})),
  search: make('search', { url: search.url }),
  calendar: make('calendar', { url: calendar.url }, 9_000),
  tickets: make('tickets', { url: tickets.url }, 2_500),
  mail: make('mail', { command: 'mail-mcp' }),
  archive: make('archive', { url: search.url }),
}
const { archive, ...used } = connections
await Promise.allSettled(Object.values(used).map((connection) => connection.connect()))
await clock.pass(100)
// Outages that are over: a short one, a longer one, and a server that was away for a moment only.
await outage(connections.search, search, 5)
await clock.pass(40)
await outage(connections.tickets, tickets, 8)
await clock.pass(30)
await outage(connections.search, search, 3)
await clock.pass(20)
// One that goes on.
calendar.answer('*', status(503, { body: { error: 'maintenance', until: '02:30' } }))
calendar.forgetSessions()
connections.calendar.callTool({ name: 'echo', arguments: { text: 'x' } }).catch(() => undefined)
await clock.pass(21)
clock.slow()

/** The server answers so many dials in a row with an error. */
async function outage(connection: Connection, server: FaultServer, times: number): Promise<void> {
  server.once('initialize', status(502), times)
  server.forgetSessions()
  await connection.callTool({ name: 'echo', arguments: { text: 'x' } })
}

const browser = await launch()
mkdirSync(folder, { recursive: true })
for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ viewport: { width: 1360, height: 880 }, colorScheme, reducedMotion: 'reduce' })
  await page.goto(inspector.url)
  await page.getByRole('option', { name: 'calendar' }).click()
  await page.locator('.node.active').first().waitFor()
  await page.locator('#trouble', { hasText: 'http.503' }).waitFor()
  await page.mouse.move(0, 0)
  const path = `${folder}/inspector-${colorScheme}.png`
  await page.screenshot({ path })
  const { size } = statSync(path)
  console.log(`${path}: ${Math.round(size / 1_000)} kB`)
  if (size > MOST_BYTES) throw new Error(`${path} is larger than ${MOST_BYTES} bytes.`)
  await page.close()
}
await browser.close()
await Promise.all(Object.values(connections).map((connection) => connection.close()))
await inspector.close()
await Promise.all([search, calendar, tickets].map((server) => server[Symbol.asyncDispose]()))
