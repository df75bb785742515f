import { oauth } from '../../src/auth/index.js'
import type { Connection, ConnectionOptions } from '../../src/index.js'
import { MemoryStore, memoryProvider, World } from './world.js'

export const redirectUrl = 'http://localhost:9/callback'
/** Under which the world's server is remembered. */
export const key = 'http://mcp.test/mcp'

/** A world in which somebody has logged in before, and what remembers it. */
export function loggedIn(scope?: string) {
  const world = new World()
  const { access_token, refresh_token } = world.as.issue(scope)
  world.as.clients.add('client-0')
  const issuer = world.as.origin
  const tokens = {
    access_token,
    refresh_token,
    token_type: 'Bearer',
    issuer,
    login_id: 'first',
    expires_in: world.as.lifeS,
    expires_at: world.as.lifeS,
    ...(scope && { scope }),
  }
  const client = { client_id: 'client-0', issuer }
  const store = new MemoryStore()
  store.values.set(key, JSON.stringify({ v: 1, tokens, client }))
  const provider = memoryProvider()
  Object.assign(provider.kept, { tokens, client })
  return { world, store, provider, authorizer: oauth({ store, redirectUrl }) }
}

export async function ready(
  world: World,
  authorizer: ConnectionOptions['authorizer'],
  options: Partial<ConnectionOptions> = {},
): Promise<Connection> {
  const connection = world.connect({ authorizer, ...options })
  await world.soon(connection.connect())
  return connection
}

export const echo = (connection: Connection, n = 0, options = {}) =>
  connection.callTool({ name: 'echo', arguments: { n } }, options)

/** The address that a person has to open, once one is there. */
export async function address(world: World, connection: Connection): Promise<URL> {
  await world.until(() => connection.authorization !== undefined)
  if (!connection.authorization) throw new Error('nobody is asked to log in')
  return connection.authorization.url
}
