/** `login` and `logout` as programs, against oidc-provider and a server of the official SDK. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'
import { expect, test, vi } from 'vitest'
import { browse, startRig } from '../auth/rig/index.js'
import { configOf, folder } from '../cli/files.js'
import { inTerminal, piped, type Run } from './rig.js'

// Real programs start here, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 90_000 })

/** Where the person is sent, as the command says it. */
async function addressIn(run: Run): Promise<string> {
  await run.until(/\n {2}http\S+state=\S+\r?\n/)
  const [, address = ''] = /\n {2}(http\S+)\r?\n/.exec(run.text) ?? []
  return address
}

/** The person agrees, and the browser comes back. */
async function agree(address: string): Promise<number> {
  const { statusCode, body } = await request(await browse(address))
  await body.dump()
  return statusCode
}

test('after a login, call goes on where it waited, others need none, and logout ends that', async () => {
  await using rig = await startRig()
  const config = configOf({ mine: { url: rig.server.url } })
  const run = (...words: string[]) => piped(...words, '-c', config)

  const listed = run('list')
  expect(await listed.ended, listed.text).toBe(1)
  expect(listed.text).toMatch(/mine {2}reauthorizing.*\n {2}needs a login\. Run: lifeline login mine --config \S+\n/)
  const examined = run('doctor', '--json')
  expect(await examined.ended).toBe(1)
  expect(JSON.parse(examined.output).servers[0]).toMatchObject({
    isWell: false,
    login: expect.stringContaining('login mine'),
  })
  const vain = run('call', 'mine/read', 'text=this', '--timeout', '1')
  expect([await vain.ended, vain.output], vain.text).toEqual([4, ''])
  // Whoever only looks registers no client.
  expect([rig.authority.registrations, rig.authority.authorizations]).toEqual([0, 0])

  const watching = run('watch')
  await watching.until(/mine +linked\.reauthorizing\.awaitingUser.*run: lifeline login mine/)
  const calling = run('call', 'mine/read', 'text=this')
  await calling.until(/mine needs a login; the call waits for it\. Run: lifeline login mine/)

  const login = run('login', 'mine', '--no-open')
  expect(await agree(await addressIn(login))).toBe(200)
  expect(await login.ended, login.text).toBe(0)
  expect(login.output).toBe('mine: logged in.\n')
  expect(await calling.ended, calling.text).toBe(0)
  expect(calling.output).toBe('read this\n')
  await watching.until(/mine +linked\.ready +2 tools/)
  watching.process.kill('SIGINT')
  await watching.ended

  const again = run('login', 'mine', '--json')
  expect([await again.ended, JSON.parse(again.output)]).toEqual([
    0,
    { server: 'mine', result: 'already-logged-in', message: expect.any(String) },
  ])
  const { authority } = rig
  expect([authority.registrations, authority.authorizations]).toEqual([1, 1])

  const logout = run('logout', 'mine')
  expect([await logout.ended, logout.output]).toEqual([0, 'mine: logged out; its tokens are forgotten here.\n'])
  const twice = run('logout', 'mine', '--json')
  expect([await twice.ended, JSON.parse(twice.output)]).toMatchObject([0, { result: 'not-logged-in' }])
  const after = run('list')
  expect([await after.ended, after.text]).toEqual([1, expect.stringContaining('needs a login')])
})

test('the browser is opened by the program of the system, and the output holds no secret', async () => {
  await using rig = await startRig()
  const bin = folder()
  const seen = join(bin, 'seen')
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > ${seen}\n`)
  chmodSync(join(bin, 'xdg-open'), 0o755)
  const config = configOf({ mine: { url: rig.server.url } })
  const env = { PATH: `${bin}:${process.env.PATH}` }
  const login = inTerminal('cols 250 rows 30', `login mine --json -c ${config}`, 'true', { env })
  const address = await addressIn(login)
  await login.until(/waiting for the login in the browser/)
  await expect.poll(() => existsSync(seen) && readFileSync(seen, 'utf8')).toBe(address)
  expect(await agree(address)).toBe(200)
  expect(await login.ended).toBe(0)
  expect(login.text).toContain('code=0')
  expect(login.text).toMatch(/"result": "logged-in"/)
  const told = login.text.slice(login.text.indexOf('"server"'))
  expect(told).not.toMatch(/state=|code_challenge|token/)
})

test('nobody comes in time, a stray answer, an interruption: each is told, and another try works', async () => {
  await using rig = await startRig()
  const config = configOf({ mine: { url: rig.server.url } })
  const late = piped('login', 'mine', '--no-open', '--timeout', '0.5', '-c', config)
  expect([await late.ended, late.text]).toEqual([
    4,
    expect.stringMatching(/mine: Nobody came back from the login within/),
  ])

  const left = piped('login', 'mine', '--no-open', '-c', config)
  const address = await addressIn(left)
  const back = new URL(new URL(address).searchParams.get('redirect_uri') ?? '')
  const stray = await request(new URL(`${back}?code=forged&state=forged`))
  await stray.body.dump()
  expect(stray.statusCode).toBe(400)
  const other = piped('login', 'mine', '--no-open', '-c', config)
  expect([await other.ended, other.text]).toEqual([1, expect.stringContaining('another program waits for a login')])
  left.process.kill('SIGINT')
  expect(await left.ended).toBe(130)

  const again = piped('login', 'mine', '--no-open', '-c', config)
  // The one that was left is gone on with: a browser window of before is as good as a new one.
  expect(await addressIn(again)).toBe(address)
  expect(await agree(address)).toBe(200)
  expect(await again.ended, again.text).toBe(0)
})

test('a login that the server has revoked is no obstacle to the next one', async () => {
  await using rig = await startRig()
  const config = configOf({ mine: { url: rig.server.url } })
  for (const logins of [1, 2]) {
    const login = piped('login', 'mine', '--no-open', '-c', config)
    await agree(await addressIn(login))
    expect(await login.ended, login.text).toBe(0)
    expect([rig.authority.authorizations, rig.authority.registrations]).toEqual([logins, 1])
    rig.authority.revokeRefreshTokens()
    rig.authority.expireAccessTokens()
  }
})

test('more scope: the call says what to do, and login --scope does it', async () => {
  await using rig = await startRig()
  const config = configOf({ mine: { url: rig.server.url } })
  const login = piped('login', 'mine', '--no-open', '-c', config, '--scope', 'mcp:read')
  await agree(await addressIn(login))
  expect(await login.ended, login.text).toBe(0)
  const refused = piped('call', 'mine/write', 'text=it', '-c', config)
  expect(await refused.ended, refused.text).toBe(1)
  expect(refused.text).toMatch(/Run: lifeline login mine --config \S+ --scope mcp:write\n/)
  const more = piped('login', 'mine', '--no-open', '-c', config, '--scope', 'mcp:write')
  await agree(await addressIn(more))
  expect(await more.ended, more.text).toBe(0)
  const called = piped('call', 'mine/write', 'text=it', '-c', config)
  expect([await called.ended, called.output]).toEqual([0, 'write it\n'])
})

test.each([
  ['a server that nobody has', 'nobody', 2, /has no server 'nobody'/],
  ['a program', 'program', 2, /'program' is a program: it takes its secrets in env/],
  ['one with a header of its own', 'fixed', 2, /'fixed' has an Authorization header/],
  ['one that is disabled', 'off', 2, /'off' is disabled/],
  ['one that is away', 'away', 1, /Nothing listens at[\s\S]*away: cannot be asked for a login/],
])('%s', async (_, name, code, said) => {
  const url = 'http://127.0.0.1:9/mcp'
  const config = configOf({
    program: { command: 'node' },
    fixed: { url, headers: { authorization: 'Bearer canary-token' } },
    off: { url, disabled: true },
    away: { url },
  })
  const run = piped('login', name, '-c', config)
  expect(await run.ended, run.text).toBe(code)
  expect(run.text).toMatch(said)
  expect(run.text).not.toContain('canary')
})
