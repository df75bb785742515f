/** A real authorization server, and in front of it an MCP server of the official SDK that lets nobody in without a token. */
import { AuthorizationServer, type AuthorizationServerOptions } from './authorization-server.js'
import { ProtectedServer, type ProtectedServerOptions } from './mcp-server.js'

export { browse } from './browser.js'

export interface Rig extends AsyncDisposable {
  readonly authority: AuthorizationServer
  readonly server: ProtectedServer
}

export async function startRig(options: AuthorizationServerOptions & ProtectedServerOptions = {}): Promise<Rig> {
  const authority = await new AuthorizationServer(options).start()
  const server = await new ProtectedServer(authority, options).start()
  return {
    authority,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await authority[Symbol.asyncDispose]()
    },
  }
}
