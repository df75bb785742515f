/** More scope, asked for in odd ways (specification 2025-11-25, scope selection and step-up; report 04.05). */
import { describe, expect, it } from 'vitest'
import { clientCredentials } from '../../src/auth/index.js'
import { failure } from '../connection/rig.js'
import { json } from './authorization-server.js'
import { address, echo, loggedIn, ready } from './scenes.js'
import { World } from './world.js'

/** A refusal that does not say which scope it wants. */
const unnamed = (world: World) => world.challenge(403, 'error="insufficient_scope"')

const isWrite = ({ body }: { body: Record<string, unknown> }) => Object(body.params).name === 'write'

/** A server that wants the scope `write` for a tool, without naming it, and names all its scopes in its description. */
function unnaming(scopes: string[] | undefined) {
  const given = loggedIn('basic')
  const { world } = given
  world.description = { ...world.description, ...(scopes && { scopes_supported: scopes }) }
  world.play = (asked) => {
    const { scope } = world.as.scopeOf(asked.token ?? '') ?? {}
    return isWrite(asked) && scope && !scope.includes('write') ? unnamed(world) : undefined
  }
  return given
}

describe('a refusal for want of a scope that it does not name', () => {
  it('asks for all that the server’s description names, and for what is had', async () => {
    const { world, authorizer } = unnaming(['read', 'write'])
    const connection = await ready(world, authorizer)
    const write = connection.callTool({ name: 'write' })
    const url = await address(world, connection)
    expect(url.searchParams.get('scope')).toBe('basic read write')
    await world.soon(connection.authorize(world.as.login(url)))
    await world.soon(write)
    expect([connection.status, world.as.logins.length]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })

  it.each([
    ['names none', undefined],
    ['names none but those that are had', ['basic']],
  ])('is a refusal of that call where the description %s', async (_, scopes) => {
    const { world, authorizer } = unnaming(scopes)
    const connection = await ready(world, authorizer)
    for (let n = 0; n < 3; n++) {
      expect(await world.soon(failure(connection.callTool({ name: 'write' })))).toMatchObject({ code: 'CALL_REFUSED' })
    }
    expect([connection.status, connection.authorization, world.as.count()]).toEqual(['ready', undefined, 0])
    await world.soon(connection.close())
  })

  it('for ever ends after one login', async () => {
    const { world, authorizer } = unnaming(['write'])
    world.play = (asked) => (isWrite(asked) ? unnamed(world) : undefined)
    const connection = await ready(world, authorizer)
    const write = failure(connection.callTool({ name: 'write' }))
    await world.soon(connection.authorize(world.as.login(await address(world, connection))))
    expect(await world.soon(write)).toMatchObject({ code: 'CALL_REFUSED' })
    for (let n = 0; n < 5; n++) await world.soon(failure(connection.callTool({ name: 'write' })))
    expect([connection.status, world.as.logins.length]).toEqual(['ready', 1])
    await world.soon(connection.close())
  })

  it('at the handshake asks for the same', async () => {
    const { world, authorizer } = unnaming(['start'])
    world.play = ({ method, token }) =>
      method === 'initialize' && !world.as.scopeOf(token ?? '')?.scope?.includes('start') ? unnamed(world) : undefined
    const connection = world.connect({ authorizer })
    const connected = connection.connect()
    const url = await address(world, connection)
    expect(url.searchParams.get('scope')).toBe('basic start')
    await world.soon(connection.authorize(world.as.login(url)))
    await world.soon(connected)
    await world.soon(connection.close())
  })

  it('is met by a program without anybody', async () => {
    const world = new World()
    world.as.clients.add('robot')
    world.description = { ...world.description, scopes_supported: ['write'] }
    world.play = (asked) =>
      isWrite(asked) && !world.as.scopeOf(asked.token ?? '')?.scope?.includes('write') ? unnamed(world) : undefined
    const own = { issuer: world.as.origin, clientId: 'robot', clientSecret: 'x', scope: 'read' }
    const connection = await ready(world, clientCredentials(own))
    await world.soon(connection.callTool({ name: 'write' }))
    expect(world.as.tokenRequests.map(({ params }) => params.scope)).toEqual(['read', 'read write'])
    await world.soon(connection.close())
  })
})

describe('a refusal for want of scope that never ends', () => {
  it('at the handshake ends in a failure after three logins', async () => {
    const { world, authorizer } = loggedIn('basic')
    world.play = ({ method }) =>
      method === 'initialize' ? world.challenge(403, 'error="insufficient_scope", scope="start"') : undefined
    const connection = world.connect({ authorizer })
    connection.connect().catch(() => {})
    for (let n = 0; n < 3; n++) {
      const login = connection.authorize(world.as.login(await address(world, connection)))
      await world.soon(login.catch(() => {}))
    }
    await world.pass(600_000, 10_000)
    expect([connection.status, world.as.logins.length]).toEqual(['failed', 3])
    expect(world.as.count()).toBe(3)
    await world.soon(connection.close())
  })
})

describe('scopes that a refresh has taken away', () => {
  it('are asked for again when a call needs them', async () => {
    const { world, authorizer } = loggedIn('basic')
    world.needs = (asked) => (isWrite(asked) ? 'write' : undefined)
    const connection = await ready(world, authorizer)
    const agree = async () => {
      const url = await address(world, connection)
      expect(url.searchParams.get('scope')).toBe('basic write')
      await world.soon(connection.authorize(world.as.login(url)))
    }
    const write = connection.callTool({ name: 'write' })
    await agree()
    await world.soon(write)
    world.as.onToken = () => {
      world.as.onToken = undefined
      return json({ ...world.as.issue('basic'), token_type: 'Bearer', scope: 'basic' })
    }
    world.as.expire()
    await world.soon(echo(connection))
    const again = connection.callTool({ name: 'write' })
    await agree()
    await world.soon(again)
    expect([connection.status, world.as.logins.length]).toEqual(['ready', 2])
    await world.soon(connection.close())
  })
})
