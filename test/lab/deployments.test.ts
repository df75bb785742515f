/** What a deployment does to those who are connected while it happens. */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createConnection } from '../../src/index.js'
import { lasting, passing, through } from './configs.js'
import { underLoad } from './load.js'
import { type Replica, Site, until } from './rig.js'

const proxied = (port: number, { port: upstream }: Replica) => passing(port, `server 127.0.0.1:${upstream};`)

const answering = (port: number, what: string) => `server { listen 127.0.0.1:${port}; location / { ${what} } }`

describe('a proxy that answers in place of its server', () => {
  it.each([
    ['404, as a default backend does', 'return 404;'],
    ['410', 'return 410;'],
    ['503 with a page', "default_type text/html; return 503 '<h1>Back soon</h1>';"],
    ['200 with a page', "default_type text/html; return 200 '<h1>Back soon</h1>';"],
    ['a redirect to a page for people', 'return 302 https://status.example/;'],
  ])('%s, for 2 s: everything recovers', async (what, answer) => {
    await using site = new Site()
    const one = await site.replica('one')
    const nginx = await site.nginx((port) => proxied(port, one))
    const plan = { target: { url: nginx.url } }
    const tally = await underLoad(site, `nginx answers ${what}, for 2 s`, plan, async () => {
      await pause(500)
      nginx.reload(answering(nginx.port, answer))
      await pause(2_000)
      nginx.reload(proxied(nginx.port, one))
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
    expect(tally.recoveredMs).toBeLessThan(12_000)
  })

  it('moves the endpoint to another path, by 308: followed, and the session kept', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    const nginx = await site.nginx((port) => proxied(port, one))
    const moved = proxied(nginx.port, one).replace('location /', 'location = /mcp { return 308 /v2/mcp; } location /')
    const plan = { target: { url: nginx.url } }
    const tally = await underLoad(site, 'the endpoint moves within its origin by 308', plan, async () => {
      await pause(500)
      nginx.reload(moved)
      await pause(2_000)
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
  })
})

describe('haproxy', () => {
  it('is reloaded under load', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    const haproxy = await site.haproxy((port) => through(port, lasting, `server one 127.0.0.1:${one.port}`))
    const plan = { target: { url: haproxy.url }, takesMs: 100 }
    const tally = await underLoad(site, 'haproxy is reloaded five times', plan, async () => {
      for (let i = 0; i < 5; i++) {
        await pause(700)
        haproxy.reload()
      }
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
  })
})

describe('a server over HTTP that is asked to end', () => {
  it('lets its calls end, and a supervisor starts it again', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    const plan = { target: { url: `${one.origin}/mcp` }, takesMs: 1_000 }
    const tally = await underLoad(site, 'SIGTERM three times, calls of 1 s under way', plan, async (connection) => {
      for (let i = 0; i < 3; i++) {
        // A deployment goes on when what was started last serves.
        await connection.ready()
        await pause(1_500)
        await one.restart('SIGTERM')
      }
    })
    expect(tally).toMatchObject({ lost: 0, doubled: 0 })
    // Nearly all could have been answered. What has come to an open socket and was not read yet when the server closed it
    // is lost with it: none on a fast machine, up to a tenth where the server is slow. Without draining it is a third.
    expect(tally.told).toBeLessThan(tally.calls / 6)
    expect(tally.recoveredMs).toBeLessThan(20_000)
  })

  it('answers the call of a second that is under way, and leaves the one of a minute in doubt', async () => {
    await using site = new Site()
    const one = await site.replica('one')
    await using connection = createConnection({ name: 'lab', target: { url: `${one.origin}/mcp` } })
    await connection.connect()
    const call = (id: string, takesMs: number) => connection.callTool({ name: 'work', arguments: { id, takesMs } })
    const short = call('short', 1_000)
    const long = call('long', 60_000).then(
      () => 'answered',
      (error) => error.code,
    )
    await until(() => site.runs().length === 2, 'both to run')
    await one.restart('SIGTERM')
    expect(await short).toMatchObject({ content: [{ text: 'one: short' }] })
    expect(await long).toBe('OUTCOME_UNKNOWN')
    expect(site.runs().sort()).toEqual(['long', 'short'])
  })
})
