/** The loopback callback: one response, and nothing else from anywhere. */
import { getEventListeners } from 'node:events'
import { connect } from 'node:net'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { type CallbackOptions, listenForCallback } from '../../src/auth/callback.js'
import { CallbackError } from '../../src/errors.js'
import { failure } from '../reports/rig.js'
import { ManualClock, until } from '../wire/web-rig.js'

async function visit(url: string, headers: Record<string, string> = {}, method: 'GET' | 'POST' = 'GET') {
  const response = await request(url, { headers, method })
  return { status: response.statusCode, headers: response.headers, body: await response.body.text() }
}

test('the first response is handed on as it came, the browser gets a page, and the port is free again', async () => {
  await using callback = await listenForCallback()
  expect(callback.redirectUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  const { status, body, headers } = await visit(
    `${callback.redirectUrl}?code=a-code&state=a%20state&iss=https%3A%2F%2Fas`,
  )
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(body).not.toContain('a-code')
  expect(body).not.toContain('script')
  const response = await callback.response
  expect(Object.fromEntries(response.searchParams)).toEqual({ code: 'a-code', state: 'a state', iss: 'https://as' })
  expect(response.href.startsWith(callback.redirectUrl)).toBe(true)
  expect(Object(await failure(visit(`${callback.redirectUrl}?code=second`))).code).toBe('ECONNREFUSED')
})

test('a refusal of the authorization server is a response too', async () => {
  await using callback = await listenForCallback()
  const { body } = await visit(`${callback.redirectUrl}?error=access_denied&state=s`)
  expect(body).toContain('refused')
  expect((await callback.response).searchParams.get('error')).toBe('access_denied')
})

test.each<[string, number, (url: string) => ReturnType<typeof visit>]>([
  ['another path', 404, (url) => visit(`${new URL(url).origin}/favicon.ico`)],
  ['a path below', 404, (url) => visit(`${url}/more?code=x`)],
  ['another host', 403, (url) => visit(`${url}?code=x`, { host: 'rebound.example' })],
  ['the host without its port', 403, (url) => visit(`${url}?code=x`, { host: '127.0.0.1' })],
  ['another method', 405, (url) => visit(`${url}?code=x`, {}, 'POST')],
  ['neither code nor error', 400, (url) => visit(`${url}?state=x`)],
  ['a page that fetches it', 403, (url) => visit(`${url}?code=x`, { 'sec-fetch-mode': 'no-cors' })],
  ['a state of somebody else', 400, (url) => visit(`${url}?code=x&state=theirs`)],
])('%s is refused, and the login is still waited for', async (_what, status, play) => {
  await using callback = await listenForCallback({ accept: (url) => url.searchParams.get('state') === 'mine' })
  expect((await play(callback.redirectUrl)).status).toBe(status)
  await visit(`${callback.redirectUrl}?code=right&state=mine`, { 'sec-fetch-mode': 'navigate' })
  expect((await callback.response).searchParams.get('code')).toBe('right')
})

test('a first line that names another host does not make the response come from there', async () => {
  await using callback = await listenForCallback()
  const { host, port } = new URL(callback.redirectUrl)
  for (const target of ['http://evil.example/callback?code=x', '//evil.example/callback?code=x']) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.end(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
    let said = ''
    for await (const chunk of socket) said += chunk
    expect(said).toMatch(/^HTTP\/1.1 404 /)
  }
  await visit(`${callback.redirectUrl}?code=right`)
  expect((await callback.response).origin).toBe(new URL(callback.redirectUrl).origin)
})

test('of several responses at once exactly one counts', async () => {
  await using callback = await listenForCallback()
  const visits = Array.from({ length: 5 }, (_, i) => visit(`${callback.redirectUrl}?code=${i}`))
  await callback.response
  await Promise.allSettled(visits)
  const code = (await callback.response).searchParams.get('code')
  expect(code).toMatch(/^[0-4]$/)
})

test('the path and the port may be chosen; a port that is taken is named', async () => {
  await using callback = await listenForCallback({ redirectUrl: 'http://localhost:0/oauth/done' })
  const { redirectUrl } = callback
  const port = Number(new URL(redirectUrl).port)
  expect(redirectUrl).toBe(`http://localhost:${port}/oauth/done`)
  const error = await failure(listenForCallback({ redirectUrl: `http://127.0.0.1:${port}/callback` }))
  expect(error).toBeInstanceOf(CallbackError)
  expect(error).toMatchObject({ reason: 'unavailable', message: expect.stringContaining(`port ${port}`) })
  await callback.close()
  await using again = await listenForCallback({ redirectUrl })
  expect(again.redirectUrl).toBe(redirectUrl)
})

const ends: [
  string,
  (at: { clock: ManualClock; abort: AbortController; close: () => Promise<void> }) => unknown,
  unknown,
][] = [
  ['time', ({ clock }) => clock.advance(300_000), { code: 'LOGIN_CALLBACK', reason: 'timeout' }],
  ['a signal', ({ abort }) => abort.abort(new RangeError('given up')), { message: 'given up' }],
  ['close', ({ close }) => close(), { code: 'LOGIN_CALLBACK', reason: 'closed' }],
]

test.each(ends)('%s ends the waiting, and no socket and no timer is left', async (_what, end, expected) => {
  const clock = new ManualClock()
  const abort = new AbortController()
  const options: CallbackOptions = { clock, signal: abort.signal }
  await using callback = await listenForCallback(options)
  // A browser that opens a socket and says nothing.
  const socket = connect(Number(new URL(callback.redirectUrl).port), '127.0.0.1')
  await until(() => socket.readyState === 'open', 'the socket')
  const outcome = failure(callback.response)
  void end({ clock, abort, close: () => callback.close() })
  expect(await outcome).toMatchObject(Object(expected))
  await until(() => socket.destroyed || socket.readableEnded, 'its end')
  await callback.close()
  expect([clock.timers, getEventListeners(abort.signal, 'abort').length]).toEqual([0, 0])
})

test.each(['https://127.0.0.1:0/callback', 'http://192.0.2.1:0/callback', 'http://localhost.example/', 'callback'])(
  'an address that is none of this machine is refused: %s',
  async (redirectUrl) => {
    expect(await failure(listenForCallback({ redirectUrl }))).toBeInstanceOf(TypeError)
  },
)

test('a signal that has spoken already starts nothing', async () => {
  expect(await failure(listenForCallback({ signal: AbortSignal.abort(new RangeError('before')) }))).toBeInstanceOf(
    RangeError,
  )
})
