// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of configurations, whose variables they are
/** Report 11.01 on a real server: what it is sent, and that it is sent nothing. */
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/hub/index.js'
import { startFaultServer } from '../../src/testing/fault-server/index.js'
import { hubOf, statusesOf } from './rig.js'

test('11.01: a header is sent with its variable filled in', async () => {
  await using server = await startFaultServer()
  const text = JSON.stringify({ servers: { a: { url: server.url, headers: { Authorization: 'Bearer ${MY_TOKEN}' } } } })
  const hub = hubOf({ servers: {} })
  await hub.apply(parseConfig(text, 'mcp.json', { env: { MY_TOKEN: 'a$b$$c' } }))
  await hub.start()
  expect(statusesOf(hub)).toEqual({ a: 'ready' })
  expect(server.requests('initialize')[0]?.headers.authorization).toBe('Bearer a$b$$c')
})

test('11.01: one that is not set is told with server, field and name, and nothing is sent', async () => {
  await using server = await startFaultServer()
  const text = JSON.stringify({ servers: { a: { url: server.url, headers: { Authorization: 'Bearer ${MY_TOKEN}' } } } })
  const hub = hubOf({ servers: {} })
  await hub.apply(parseConfig(text, 'mcp.json', { env: {} }))
  const [status] = await hub.start()
  expect(status?.error?.at).toMatchObject({ server: 'a', field: 'headers.Authorization', variable: '${MY_TOKEN}' })
  expect([server.count('*'), server.connections]).toEqual([0, 0])
})
