import { describe, expect, it } from 'vitest'
import { oauth } from '../../src/auth/index.js'
import { AuthorizationRequiredError, type Connection } from '../../src/index.js'
import { failure } from '../connection/rig.js'
import { MemoryStore, memoryProvider, World } from './world.js'

const redirectUrl = 'http://localhost:9/callback'

/** The address that a person has to open. */
const address = ({ authorization }: Connection): URL => {
  if (!authorization) throw new Error('nobody is asked to log in')
  return authorization.url
}

describe('a first login', () => {
  it('finds, registers, asks, and goes on with the answer', async () => {
    const world = new World()
    const store = new MemoryStore()
    const connection = world.connect({ authorizer: oauth({ store, redirectUrl, scope: 'basic' }) })
    const call = connection.callTool({ name: 'echo', arguments: { n: 1 } })
    await world.settled()
    expect([connection.status, connection.authorization?.begunHere]).toEqual(['reauthorizing', true])
    const url = address(connection)
    expect(url.origin).toBe(world.as.origin)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'client-1',
      code_challenge_method: 'S256',
      resource: world.url,
      scope: 'basic',
    })
    await world.soon(connection.authorize(world.as.login(url)))
    expect(connection.status).toBe('ready')
    expect(connection.authorization).toBeUndefined()
    expect((await world.soon(call)).content).toEqual([{ type: 'text', text: '{"n":1}' }])
    expect(world.as.count('authorization_code')).toBe(1)
    expect(store.record).toMatchObject({ tokens: { issuer: world.as.origin }, client: { client_id: 'client-1' } })
    await world.soon(connection.close())
  })

  it('is the same by a provider written for the SDK', async () => {
    const world = new World()
    const provider = memoryProvider()
    const connection = world.connect({ authorizer: provider })
    const connected = connection.connect()
    await world.settled()
    expect(provider.opened).toHaveLength(1)
    await world.soon(connection.authorize(world.as.login(address(connection))))
    await world.soon(connected)
    expect(provider.kept.tokens).toMatchObject({ issuer: world.as.origin })
    await world.soon(connection.close())
  })

  it('is waited for by a call until its deadline, which then says what to do', async () => {
    const world = new World()
    const connection = world.connect({ authorizer: oauth({ store: new MemoryStore(), redirectUrl }) })
    const call = failure(connection.callTool({ name: 'echo' }, { timeoutMs: 5_000 }))
    const error = await world.soon(call)
    expect(error).toBeInstanceOf(AuthorizationRequiredError)
    expect(error).toMatchObject({
      code: 'AUTHORIZATION_REQUIRED',
      url: address(connection),
      fault: { code: 'http.401' },
    })
    await world.soon(connection.close())
  })
})
