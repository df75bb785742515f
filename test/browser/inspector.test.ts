import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Connection, type ConnectionOptions, createConnection } from '../../src/index.js'
import { type Inspector, startInspector } from '../../src/inspect/index.js'
import { type FaultServer, startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { launch } from './chromium.js'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

interface Scene {
  readonly inspector: Inspector
  readonly server: FaultServer
  readonly connections: Readonly<Record<'good' | 'away' | 'wrong', Connection>>
}

/** One connection that is ready, one that waits for its server, one that can never be. */
async function scene(): Promise<Scene> {
  const server = await startFaultServer()
  const away = await startFaultServer()
  away.answer('*', status(503))
  const inspector = await startInspector({ breakWire: () => server.restart() })
  const make = (name: string, options: Omit<ConnectionOptions, 'name'>) =>
    createConnection({ name, inspect: inspector.inspect, ...options })
  const connections = {
    good: make('good', { target: { url: server.url } }),
    away: make('away', {
      target: { url: away.url },
      policy: { backoff: { baseMs: 600_000, capMs: 600_000, jitter: 0 } },
    }),
    wrong: make('wrong', { target: { command: 'no-such-command' } }),
  }
  connections.away.connect().catch(() => undefined)
  await Promise.allSettled([connections.good.connect(), connections.wrong.connect()])
  await expect.poll(() => connections.away.status).toBe('backoff')
  onTestFinished(async () => {
    await Promise.all(Object.values(connections).map((connection) => connection.close()))
    await inspector.close()
    await Promise.all([server[Symbol.asyncDispose](), away[Symbol.asyncDispose]()])
  })
  return { inspector, server, connections }
}

interface Looks {
  readonly width?: number
  readonly dark?: boolean
}

/** The page, open. Whatever goes wrong in it, or is asked for elsewhere, fails the test. */
async function open(
  { inspector }: Pick<Scene, 'inspector'>,
  { width = 1280, dark = false }: Looks = {},
): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(String(error)))
  page.on('console', (message) => message.type() !== 'log' && wrong.push(message.text()))
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(inspector.url).host) wrong.push(request.url())
  })
  onTestFinished(async () => {
    await page.close()
    expect(wrong).toEqual([])
  })
  await page.goto(inspector.url)
  return page
}

const row = (page: Page, name: string) => page.getByRole('option', { name })
const node = (page: Page, path: string) =>
  page.locator('.node', { has: page.locator(`title:text-matches("^${path}(:|$)")`) })
const heading = (page: Page) => page.locator('#name')

describe('it shows', () => {
  test('every connection with its status, and the selected one in its chart', async () => {
    const page = await open(await scene())
    await row(page, 'good').click()
    expect(await row(page, 'good').textContent()).toContain('ready')
    expect(await row(page, 'away').textContent()).toContain('backoff')
    expect(await row(page, 'wrong').textContent()).toContain('spawn.ENOENT')
    await node(page, 'linked.ready.catalog.fresh').and(page.locator('.active')).waitFor()
    expect(await node(page, 'backoff.waiting').getAttribute('class')).toBe('node')
    await row(page, 'away').click()
    await node(page, 'backoff.waiting').and(page.locator('.active.tone-wait')).waitFor()
    expect(await node(page, 'linked.ready.catalog.fresh').getAttribute('class')).toBe('node')
    await page.locator('.edge.taken').first().waitFor({ state: 'attached' })
    expect(await page.locator('.chip-text').allTextContents()).toEqual(['fault V7'])
  })

  test('fault with evidence and advice, and a countdown that counts', async () => {
    const page = await open(await scene())
    await row(page, 'away').click()
    await page.getByText('HTTP 503 to initialize').first().waitFor()
    const trouble = await page.locator('#trouble').textContent()
    expect(trouble).toContain('http.503')
    expect(trouble).toMatch(/HTTP status\s*503/)
    const next = page.locator('#next')
    const before = await next.textContent()
    expect(before).toMatch(/^Next attempt in \d+ min|s/)
    await row(page, 'wrong').click()
    await expect.poll(() => next.isVisible()).toBe(false)
  })

  test('a change while it happens, and the incident after it', async () => {
    const { server, ...rest } = await scene()
    const page = await open(rest)
    await row(page, 'good').click()
    await page.locator('#incidents', { hasText: 'Never lost so far.' }).waitFor()
    server.once('initialize', status(503))
    server.forgetSessions()
    await rest.connections.good.callTool({ name: 'echo', arguments: { text: 'x' } })
    await page.locator('#incidents', { hasText: 'recovered' }).waitFor()
    await page.locator('#steps', { hasText: 'fault V7' }).waitFor()
  })

  test('tools of the server', async () => {
    const page = await open(await scene())
    await row(page, 'good').click()
    await page.getByText('tools 1').click()
    await page.locator('.names li', { hasText: 'echo' }).waitFor()
  })

  test('that the line to the program was lost', async () => {
    const first = await scene()
    const page = await open(first)
    await row(page, 'good').waitFor()
    await first.inspector.close()
    await page.getByText('connection to the program lost').waitFor()
  })
})

describe('its buttons', () => {
  test('retry, disconnect and connect', async () => {
    const all = await scene()
    const page = await open(all)
    await row(page, 'wrong').click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await expect.poll(() => all.connections.wrong.status).toBe('idle')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect.poll(() => all.connections.wrong.status).toBe('failed')
    const { generation } = all.connections.wrong.actor.getSnapshot().context
    await page.getByRole('button', { name: 'Retry now' }).click()
    await expect.poll(() => all.connections.wrong.actor.getSnapshot().context.generation).toBeGreaterThan(generation)
  })

  test('breaking the wire', async () => {
    const { server, ...rest } = await scene()
    const page = await open(rest)
    await row(page, 'good').click()
    const { connections } = server
    await page.getByRole('button', { name: 'Break the wire' }).click()
    // The stream on which the server speaks is opened anew, over another socket.
    await expect.poll(() => server.connections, { timeout: 20_000 }).toBeGreaterThan(connections)
    await expect.poll(() => rest.connections.good.status).toBe('ready')
  })
})

test('everything can be done by keyboard, in the order in which it is read', async () => {
  const all = await scene()
  const page = await open(all)
  await row(page, 'good').waitFor()
  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()')
  const order: unknown[] = []
  for (let i = 0; i < 6; i++) {
    await page.keyboard.press('Tab')
    order.push(await focused())
  }
  expect(order).toEqual(['Skip to the selected connection', 'filter', 'list', 'Disconnect', 'Break the wire', 'chart'])
  await page.locator('#list').focus()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => heading(page).textContent()).toBe('away')
  expect(await row(page, 'away').getAttribute('aria-selected')).toBe('true')
  expect(await page.locator('#list').getAttribute('aria-activedescendant')).toBe(
    await row(page, 'away').getAttribute('id'),
  )
  await page.keyboard.press('End')
  await expect.poll(() => heading(page).textContent()).toBe('wrong')
  await page.keyboard.press('/')
  await page.keyboard.type('back')
  await expect.poll(() => page.getByRole('option').count()).toBe(1)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('option').count()).toBe(3)
  expect(await focused()).toBe('list')
  // Who pressed a button that goes with its state is not thrown to the start of the page.
  await page.getByRole('button', { name: 'Disconnect' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => all.connections.wrong.status).toBe('idle')
  await expect.poll(focused).toBe('Connect')
})

/** Texts whose colour is too near to what lies behind them: contrast below 4.5 (WCAG 2.2, 1.4.3). */
const faintTexts = `(() => {
  const light = (c) => {
    const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const parse = (c) => c.match(/[\\d.]+/g).map(Number)
  const solid = (c) => parse(c).length < 4 || parse(c)[3] > 0
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = e.closest('svg') === e || e.namespaceURI.endsWith('html') ? getComputedStyle(e).backgroundColor : 'rgba(0,0,0,0)'
      if (solid(c)) return c
    }
    return 'rgb(255, 255, 255)'
  }
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())
  return [...document.querySelectorAll('body *')].filter((e) => own(e) && e.checkVisibility() && e.tagName !== 'title').flatMap((e) => {
    const isSvg = !e.namespaceURI.endsWith('html')
    const box = isSvg && e.parentElement.querySelector('rect')
    const fill = box && getComputedStyle(box).fill
    const ground = fill && fill !== 'none' && solid(fill) ? fill : behind(e)
    const ink = isSvg ? getComputedStyle(e).fill : getComputedStyle(e).color
    const [a, b] = [light(parse(ink)), light(parse(ground))].sort((x, y) => y - x)
    const ratio = (a + 0.05) / (b + 0.05)
    return ratio < 4.5 ? [e.tagName + '.' + (e.getAttribute('class') ?? '') + ' ' + e.textContent.trim().slice(0, 30) + ': ' + ratio.toFixed(2)] : []
  })
})()`

describe.each([
  ['light', false],
  ['dark', true],
] as const)('in %s', (_, dark) => {
  test('every text can be read, whatever is selected', async () => {
    const page = await open(await scene(), { dark })
    for (const name of ['good', 'away', 'wrong']) {
      await row(page, name).click()
      await expect.poll(() => heading(page).textContent()).toBe(name)
      await page.locator('.node.active').first().waitFor()
      expect(await page.evaluate(faintTexts)).toEqual([])
    }
  })

  test('it fits a narrow screen: nothing but the chart scrolls sideways', async () => {
    const page = await open(await scene(), { width: 375, dark })
    await row(page, 'away').click()
    await node(page, 'backoff.waiting').and(page.locator('.active')).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
    // What is active was brought into view.
    const box = await node(page, 'backoff.waiting').boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(375)
  })
})

test('a hundred connections with ten events a second each: the page goes on answering', async () => {
  const inspector = await startInspector()
  // Nothing is dialled: what is measured is the page.
  const neverOpen = () => ({ start: () => new Promise<void>(() => {}), send: async () => {}, close: async () => {} })
  const connections = Array.from({ length: 100 }, (_, i) =>
    createConnection({ name: `c${i}`, target: { open: neverOpen }, inspect: inspector.inspect }),
  )
  let events = 0
  const beat = setInterval(() => {
    for (const { actor } of connections) {
      // From idle to connecting and back: list, chart, strips and log all have something to show.
      actor.send({ type: events % 2 === 0 ? 'reconnect' : 'disconnect' })
    }
    events++
  }, 100)
  onTestFinished(async () => {
    clearInterval(beat)
    await Promise.all(connections.map((connection) => connection.close()))
    await inspector.close()
  })
  const page = await open({ inspector })
  await row(page, 'c99').waitFor()
  await page.evaluate(`globalThis.frames_ = []; (function beat(last) {
    requestAnimationFrame((now) => { if (last) frames_.push(now - last); beat(now) })
  })()`)
  const from = events
  await expect.poll(() => events, { timeout: 20_000 }).toBeGreaterThan(from + 30)
  const begin = performance.now()
  await page.locator('#filter').fill('c77')
  await expect.poll(() => page.getByRole('option').count()).toBe(1)
  const answered = performance.now() - begin
  const gaps = (await page.evaluate('frames_.sort((a, b) => a - b)')) as number[]
  const median = gaps[Math.floor(gaps.length / 2)] ?? 0
  const p95 = gaps[Math.floor(gaps.length * 0.95)] ?? 0
  console.log(
    `pictures: median ${median.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms; filter answered in ${answered.toFixed(0)} ms`,
  )
  // A screen that is alive; the machine of a test may have little to give.
  expect(median).toBeLessThan(150)
  expect(answered).toBeLessThan(5_000)
  expect(await page.locator('.row .ribbon rect').count()).toBeLessThan(100 * 130)
})

test('a page of another origin gets nothing, though it knows the token', async () => {
  const { inspector } = await scene()
  const evil = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>evil</title>'))
  evil.listen(0, '127.0.0.1')
  await once(evil, 'listening')
  const page = await browser.newPage()
  onTestFinished(async () => {
    await page.close()
    evil.close()
  })
  await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`)
  const { host, hash } = new URL(inspector.url)
  const tries = (path: string) =>
    page.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket('ws://${host}${path}?${hash.slice(1)}')
      socket.onopen = () => resolve('open')
      socket.onerror = () => resolve('refused')
    })`)
  expect(await tries('/live')).toBe('refused')
  expect(await tries('/feed')).toBe('refused')
  expect(await page.evaluate(`fetch('http://${host}/').then(() => 'read', () => 'refused')`)).toBe('refused')
  const framed = `new Promise((resolve) => {
    const frame = document.createElement('iframe')
    frame.src = '${inspector.url}'
    frame.onload = () => { try { resolve(frame.contentDocument ? 'blank' : 'kept out') } catch { resolve('kept out') } }
    document.body.append(frame)
  })`
  expect(await page.evaluate(framed)).toBe('kept out')
})

test('the token is taken out of the address bar, outlives a reload, and without it nothing is shown', async () => {
  const { inspector } = await scene()
  const page = await open({ inspector })
  await row(page, 'good').waitFor()
  expect(page.url()).toBe(`${new URL(inspector.url).origin}/`)
  await page.reload()
  await row(page, 'good').waitFor()
  const other = await browser.newPage()
  await other.goto(new URL(inspector.url).origin)
  await other.getByText('Open the link that the program printed').waitFor()
  expect(await other.getByRole('option').count()).toBe(0)
  await other.close()
})
