/** The React example as its visitors get it: bundled for browsers, and driven in one. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../docs/examples/embedding/cors-server.js'
import { type Bundle, bundle } from './bundle.js'
import { launch } from './chromium.js'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.map': 'application/json',
}

const patience = { timeout: 30_000 }

let page: Bundle
/** A page with the library and nothing else. */
let bare: Bundle
let browser: Browser
beforeAll(async () => {
  page = bundle('docs/examples/embedding/page')
  bare = bundle('test/browser/bare')
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  for (const { folder } of [page, bare]) rmSync(folder, { recursive: true, force: true })
})

describe('the bundles', () => {
  it('hold nothing of Node', () => {
    for (const { modules, code } of [page, bare]) {
      expect(modules.some((path) => path.includes('connection/handle'))).toBe(true)
      expect(
        modules.filter((path) => /undici|cross-spawn|browser-external|wire\/stdio\/(?!browser)/.test(path)),
      ).toEqual([])
      expect(code).not.toMatch(/["'`]node:|child_process/)
    }
  })

  it('are not larger than they were', () => {
    const size = ({ gzipBytes }: Bundle) => Math.round(gzipBytes / 1024)
    console.log(`Compressed script: ${size(bare)} KiB for the library alone, ${size(page)} KiB for the page with React`)
    expect(size(bare)).toBeLessThan(180)
    expect(size(page)).toBeLessThan(250)
  })
})

/** Serves a bundle on an origin of its own. */
async function serve({ folder }: Bundle): Promise<{ origin: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname
    const name = join(folder, path === '/' ? 'index.html' : path)
    response.setHeader('content-type', types[extname(name)] ?? 'text/plain')
    if (existsSync(name)) response.end(readFileSync(name))
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('a page, in Chromium', () => {
  it('connects to a server of another origin, calls its tool, loses it and gets it back', async () => {
    await using files = await serve(page)
    const errors: string[] = []
    const asked = new Set<string>()
    const tab = await browser.newPage()
    tab.on('pageerror', (error) => errors.push(String(error)))
    tab.on('request', (request) => asked.add(new URL(request.url()).hostname))
    const first = await startServer()
    await tab.goto(`${files.origin}/?url=${encodeURIComponent(first.url)}`)
    await tab.waitForSelector('#status:text-is("ready")')
    await tab.click('text=weekday')
    await expect.poll(() => tab.textContent('pre'), patience).toMatch(/^[A-Z][a-z]+day$/)

    await first.stop()
    await tab.waitForSelector('#status:text-is("backoff")')
    // First that nobody answers there any more; then, from each attempt, why.
    const away = `The server at ${new URL(first.url).origin} could not be reached`
    await expect.poll(() => tab.textContent('#advice'), patience).toContain(away)
    await tab.click('text=weekday')

    const second = await startServer(first.port)
    await tab.waitForSelector('#status:text-is("ready")')
    await expect.poll(() => tab.textContent('pre'), patience).toMatch(/^([A-Z][a-z]+day\n?){2}$/)
    expect(errors).toEqual([])
    expect([...asked]).toEqual(['127.0.0.1'])
    await second.stop()
  })

  it('is told at once that a browser starts no processes', async () => {
    await using files = await serve(bare)
    const tab = await browser.newPage()
    await tab.goto(files.origin)
    await tab.waitForSelector('#refused:not(:empty)')
    expect(await tab.textContent('#refused')).toBe(
      "TypeError: Connection 'child': target.command does not serve here: a browser starts no processes; give the address of a server (target.url).",
    )
  })
})
