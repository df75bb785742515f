/** How real servers over HTTP deviate, numbers 1 to 12: sessions that are lost, kept, or never known. */
import { describe, expect, it } from 'vitest'
import { OutcomeUnknownError } from '../../../src/index.js'
import { type Play, rpcError, status } from '../../../src/testing/fault-server/index.js'
import { connected, failure, onStale, type Scene, scene } from '../rig.js'

const nobody = { id: null }

/** One new session, without the dead id; the call that met it ran once, in the new one. */
async function expectRenewed(it: Scene): Promise<void> {
  await it.settled()
  expect(it.connection.status).toBe('ready')
  expect(it.server.count('initialize')).toBe(2)
  expect(it.server.requests('initialize')[1]?.session).toBeUndefined()
  expect(it.ledger.total).toBe(1)
  expect(it.losses).toHaveLength(1)
}

describe('deviations: the words for a lost session', () => {
  const refusals: [string, Play][] = [
    [
      '1: 400 No valid session ID provided',
      rpcError(-32000, 'Bad Request: No valid session ID provided', { code: 400, ...nobody }),
    ],
    [
      '1: 400 or not an initialize request',
      rpcError(-32000, 'Bad Request: No valid session ID provided or not an initialize request', {
        code: 400,
        ...nobody,
      }),
    ],
    [
      '2: 400 Server not initialized',
      rpcError(-32000, 'Bad Request: Server not initialized', { code: 400, ...nobody }),
    ],
    [
      '2, 28: 400 Server not initialized, framed as SSE',
      rpcError(-32000, 'Bad Request: Server not initialized', { code: 400, framed: true, ...nobody }),
    ],
    [
      '3: 400 of the older Python SDK',
      rpcError(-32600, 'Bad Request: No valid session ID provided', { code: 400, id: 'server-error' }),
    ],
    [
      '3: 404 of the Python SDK, its id a string',
      rpcError(-32600, 'Session not found', { code: 404, id: 'server-error' }),
    ],
    ['4: 404 as it should be', rpcError(-32001, 'Session not found', { code: 404, ...nobody })],
    [
      '5: 500 around the text of the 400',
      status(500, { body: 'Error POSTing to endpoint (HTTP 400): Bad Request: No valid session ID provided' }),
    ],
    [
      '6: 503 unknown on this instance',
      rpcError(-32001, 'Service Unavailable: MCP session is unknown on this API instance', { code: 503, ...nobody }),
    ],
    ['7: 409', rpcError(-32000, 'Conflict: session expired', { code: 409, ...nobody })],
    ['8: 200 -32002 Server not initialized', rpcError(-32002, 'Server not initialized')],
    ['8: 200 -32600 missing or invalid', rpcError(-32600, 'missing or invalid Mcp-Session-Id')],
    ['9: 404 plain text', status(404, { body: 'Invalid session ID' })],
    ['9: 400 plain text', status(400, { body: 'Invalid session ID' })],
    ['10: 200 -32600 Client not initialized', rpcError(-32600, 'Client not initialized.')],
    ['10: 400 -32600 Unknown Mcp-Session-Id', rpcError(-32600, 'Unknown Mcp-Session-Id', { code: 400 })],
    ['10: 404 -32600 Unknown Mcp-Session-Id', rpcError(-32600, 'Unknown Mcp-Session-Id', { code: 404 })],
  ]
  it.each(refusals)('deviation %s', async (_case, play) => {
    await using it = await connected()
    it.server.forgetSessions()
    onStale(it.server, play)
    await it.call()
    await expectRenewed(it)
  })

  it('deviation 9: 404 with half an answer: the session is renewed, the call is not sent again', async () => {
    await using it = await connected()
    it.server.forgetSessions()
    onStale(it.server, status(404, { body: { jsonrpc: '2.0', id: 1 } }))
    expect(await failure(it.call())).toBeInstanceOf(OutcomeUnknownError)
    await it.call()
    await expectRenewed(it)
  })
})

describe('deviation 11: "already initialized" to a fresh handshake', () => {
  it.each([
    ['400', 'Invalid Request: Server already initialized', 400],
    ['200', 'Server is already initialized', 200],
  ])(
    'deviation 11: %s "%s": the old session is ended, once, and then it is asked again',
    async (_case, words, code) => {
      await using it = await connected()
      it.server.answer('initialize', (visit) =>
        visit.server.sessions.size > 0 ? rpcError(-32600, words, { code })(visit) : visit.healthy(),
      )
      it.server.once('tools/call', rpcError(-32000, 'Session not found', { code: 400, ...nobody }))
      await it.call()
      expect(it.server.count('DELETE')).toBe(1)
      expect(it.server.count('initialize')).toBe(3)
    },
  )
})

describe('deviation 12: the session is unknown right after it was given out', () => {
  it('deviation 12: handshakes become rarer, and the connection comes up when the instances agree', async () => {
    await using it = await scene()
    it.server.answer('notifications/initialized', rpcError(-32001, 'Session not found', { code: 404, ...nobody }))
    it.connection.connect().catch(() => undefined)
    await it.pass(60_000)
    expect(it.server.count('initialize')).toBeLessThan(18)
    expect(it.connection.fault).toMatchObject({ code: 'session.lost-at-once' })
    it.server.heal()
    await it.passUntil(() => it.connection.status === 'ready', 15_000)
  })
})
