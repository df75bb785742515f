import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ConfigError } from '../../src/errors.js'
import { type Inspector, type InspectorOptions, startInspector } from '../../src/inspect/index.js'

async function started(options?: InspectorOptions) {
  const inspector = await startInspector(options)
  onTestFinished(() => inspector.close())
  const { host, port, hash } = new URL(inspector.url)
  return { inspector, host, port: Number(port), token: hash.replace('#token=', '') }
}

interface Asked {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A request as it is, without what fetch would correct. */
async function ask(port: number, { path = '/', method = 'GET', headers = {} }: Asked) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
      .on('error', reject)
      .end()
  })
}

/** How a WebSocket is answered: `open`, or the status by which it is refused. */
async function knock(url: string, headers: Record<string, string> = {}): Promise<'open' | number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { headers })
    socket.on('open', () => {
      socket.terminate()
      resolve('open')
    })
    socket.on('unexpected-response', (_, response) => {
      response.resume()
      socket.terminate()
      resolve(response.statusCode ?? 0)
    })
    socket.on('error', () => undefined)
  })
}

describe('who may hear what the page hears', () => {
  const at = (host: string, token: string) => `ws://${host}/live?token=${token}`

  test('its own page with the token', async () => {
    const { host, token } = await started()
    expect(await knock(at(host, token), { origin: `http://${host}` })).toBe('open')
  })

  test('nobody without the token, nor with another one', async () => {
    const { host, token } = await started()
    const origin = `http://${host}`
    for (const wrong of ['', 'x', token.slice(1), `${token}x`, token.toLowerCase(), `${token}&token=`.slice(1)])
      expect([wrong, await knock(at(host, wrong), { origin })]).toEqual([wrong, 401])
    expect(await knock(`ws://${host}/live`, { origin })).toBe(401)
  })

  test('no page of another site, even with the token', async () => {
    const { host, port, token } = await started()
    for (const origin of [
      'https://evil.example',
      `http://evil.example:${port}`,
      'null',
      `http://127.0.0.1:${port + 1}`,
      `https://${host}`,
      `http://localhost:${port}`,
      `http://${host}.evil.example`,
    ])
      expect([origin, await knock(at(host, token), { origin })]).toEqual([origin, 403])
    // Browsers always name an origin: what names none is no page.
    expect(await knock(at(host, token))).toBe(403)
  })

  test('no name but loopback: one that was made to point here (DNS rebinding) is turned away', async () => {
    const { host, port, token } = await started()
    for (const name of [
      `evil.example:${port}`,
      'evil.example',
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `0.0.0.0:${port}`,
    ])
      expect([name, await knock(at(host, token), { host: name, origin: `http://${name}` })]).toEqual([name, 421])
    expect(await knock(at(host, token), { host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe('open')
  })

  test('at no other path', async () => {
    const { host, token } = await started()
    expect(await knock(`ws://${host}/other?token=${token}`, { origin: `http://${host}` })).toBe(404)
  })
})

describe('who may send to the feed', () => {
  test('a program with the token; of browser pages only those whose origin was named', async () => {
    const { inspector, host } = await started({ feedOrigins: ['http://localhost:5173'] })
    expect(await knock(inspector.feedUrl)).toBe('open')
    expect(await knock(inspector.feedUrl, { origin: 'http://localhost:5173' })).toBe('open')
    expect(await knock(inspector.feedUrl, { origin: 'http://localhost:5174' })).toBe(403)
    expect(await knock(inspector.feedUrl, { origin: `http://${host}` })).toBe(403)
    expect(await knock(inspector.feedUrl.slice(0, -1))).toBe(401)
    expect(await knock(inspector.feedUrl, { host: 'evil.example' })).toBe(421)
  })
})

describe('files', () => {
  test('are served to loopback names only, and only those there are', async () => {
    const { port } = await started()
    expect((await ask(port, {})).status).toBe(200)
    expect((await ask(port, { headers: { host: `evil.example:${port}` } })).status).toBe(421)
    for (const path of ['/../package.json', '/..%2f..%2fpackage.json', '/toString', '/page/main.js', '/tsconfig.json'])
      expect([path, (await ask(port, { path })).status]).toEqual([path, 404])
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect([method, (await ask(port, { method })).status]).toEqual([method, 405])
    expect(await ask(port, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
  })

  test('carry a policy that lets nothing in from elsewhere, and hold no inline code', async () => {
    const { port } = await started()
    const { headers, body } = await ask(port, {})
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(body).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=|https?:/)
  })

  test('that the page asks for are all there, and name no other place', async () => {
    const { port } = await started()
    const { body } = await ask(port, {})
    const seen = new Set<string>()
    const due = [...body.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path)
    while (due.length > 0) {
      const path = due.pop() ?? ''
      if (seen.has(path)) continue
      seen.add(path)
      const file = await ask(port, { path })
      expect([path, file.status]).toEqual([path, 200])
      // The name of SVG is no address.
      expect(file.body.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\//)
      for (const [, name = ''] of file.body.matchAll(/^import .* from '\.\/(.+)'$/gm)) due.push(`/${name}`)
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining(['/chart.js', '/main.js', '/base.css']))
  })
})

test('only loopback is listened on', async () => {
  for (const host of ['0.0.0.0', '::', '192.168.0.1', 'example.com', ''])
    await expect(startInspector({ host })).rejects.toThrow(TypeError)
})

test('a port that is taken is said', async () => {
  const { port } = await started()
  await expect(startInspector({ port })).rejects.toThrow(ConfigError)
  await expect(startInspector({ port })).rejects.toThrow(/EADDRINUSE/)
})

test('every start has a token of its own, and it is in no file', async () => {
  const [one, two] = [await started(), await started()]
  expect(one.token).not.toBe(two.token)
  expect(one.token.length).toBeGreaterThanOrEqual(32)
  expect((await ask(one.port, {})).body).not.toContain(one.token)
})

test('who was turned away and never closes its end holds nothing open', async () => {
  const inspector = await startInspector()
  const socket = connect({ port: Number(new URL(inspector.url).port), host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  socket.write('GET /live HTTP/1.1\r\nhost: evil.example\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 421 /)
  await inspector.close()
  socket.destroy()
})

test('closing ends the port, open pages and feeds; twice is once', async () => {
  const inspector: Inspector = await startInspector()
  const socket = new WebSocket(inspector.feedUrl)
  await new Promise((resolve) => socket.on('open', resolve))
  const ended = new Promise((resolve) => socket.on('close', resolve))
  await Promise.all([inspector.close(), inspector.close(), ended])
  await expect(ask(Number(new URL(inspector.url).port), {})).rejects.toThrow(/ECONNREFUSED/)
})
