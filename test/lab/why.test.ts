/** What a connection says of real proxies. */
import { expect, it } from 'vitest'
import { type Connection, createConnection, type Explanation } from '../../src/index.js'
import { lasting, passing, through } from './configs.js'
import { Site, until } from './rig.js'

const badOf = (explanation: Explanation) =>
  explanation.checklist.filter(({ verdict }) => verdict === 'bad').map(({ id }) => id)

/** Explains as soon as something is held to be bad. */
async function explained(connection: Connection): Promise<Explanation> {
  await until(() => connection.explain().cause !== undefined, 'a cause to be named', 60_000)
  return connection.explain()
}

it('nginx that closes idle streams is named, with the time, and nothing else is blamed', async () => {
  await using site = new Site()
  const one = await site.replica('one')
  const cutting = 'proxy_buffering off; proxy_read_timeout 2s;'
  const nginx = await site.nginx((port) => passing(port, `server 127.0.0.1:${one.port};`, cutting))
  await using connection = createConnection({ name: 'lab', target: { url: nginx.url } })
  await connection.connect()
  const explanation = await explained(connection)
  expect(badOf(explanation)).toEqual(['idle-proxy'])
  expect(explanation.cause?.evidence).toContain('after 2 s without a byte')
  expect(explanation.cause?.advice).toContain('proxy_read_timeout')
})

it('two replicas without affinity behind haproxy are named', async () => {
  await using site = new Site()
  const [one, two] = [await site.replica('one'), await site.replica('two')]
  const servers = `server one 127.0.0.1:${one.port}\n    server two 127.0.0.1:${two.port}`
  const haproxy = await site.haproxy((port) => through(port, lasting, `balance roundrobin\n    ${servers}`))
  await using connection = createConnection({ name: 'lab', target: { url: haproxy.url } })
  connection.connect().catch(() => {})
  await until(() => connection.explain().cause?.id === 'instances', 'the instances to be named', 60_000)
  expect(badOf(connection.explain())[0]).toBe('instances')
})
