/** No secret of a configuration in what the command line writes, however often the server repeats it (P19). */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configOf } from '../cli/files.js'
import { piped } from './rig.js'

const token = 'canary-4f8c2d1a9b'
let asked = 0

/** Refuses everything, and repeats the credential wherever an answer has room for it. */
const server = createServer((request, response) => {
  const { authorization = '' } = request.headers
  if (authorization.includes(token)) asked += 1
  const said = authorization.replace('Bearer ', '')
  const status = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 401)
  response.writeHead(status, {
    'content-type': 'application/json',
    location: `/${said}`,
    'www-authenticate': `Bearer error="invalid_token", error_description="not ${said}", scope="${said}"`,
  })
  const error = { code: -32000, message: `bad ${said}`, data: { said } }
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error, hint: said }))
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

describe('a server that repeats the token', () => {
  it.each([
    [401, 'doctor', ['doctor', 'it', '--json']],
    [401, 'doctor, for people', ['doctor', 'it']],
    [401, 'list', ['list', '--json']],
    [403, 'call', ['call', 'it/echo', '{}', '--json']],
    [302, 'doctor', ['doctor', 'it', '--json']],
  ])('in an answer %i shows none of it by %s', async (status, _, words) => {
    const { port } = server.address() as AddressInfo
    const it = { url: `http://127.0.0.1:${port}/${status}`, headers: { Authorization: `Bearer ${token}` } }
    const before = asked
    const run = piped(...words, '--config', configOf({ it }))
    await run.ended
    expect(run.text).toContain('it')
    expect(run.text).not.toContain(token)
    expect(asked).toBeGreaterThan(before)
  })
})
