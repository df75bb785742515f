/** Field report 03.05: a stream that says nothing for longer than HTTP clients bear by default. */
import { Agent } from 'undici'
import { expect, it } from 'vitest'
import { slow, startFaultServer } from '../../../src/testing/fault-server/index.js'
import { quick, record } from '../../connection/rig.js'

it('03.05: a quiet listening stream and a long call outlive the limits of the HTTP client', async () => {
  await using server = await startFaultServer()
  // Limits of a dispatcher go by the real clock; the call takes three times as long as they would allow.
  const dispatcher = new Agent({ bodyTimeout: 250, headersTimeout: 250 })
  const connection = quick({ target: { url: server.url, dispatcher } })
  await connection.connect()
  await server.seen('GET')
  const statuses = record(connection)
  server.once('tools/call', slow(750))
  expect(await connection.callTool({ name: 'echo' })).toHaveProperty('content')
  const heard = new Promise((resolve) => connection.notifications$.subscribe(({ method }) => resolve(method)))
  server.streams.push({ method: 'notifications/message' })
  expect(await heard).toBe('notifications/message')
  expect(server.count('GET')).toBe(1)
  expect(statuses).toEqual(['ready'])
  await connection.close()
  await dispatcher.close()
})
