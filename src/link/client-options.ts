import type { Capabilities, Result } from '../protocol.js'

/** Version of this library. */
export const libraryVersion = '0.1.0'

export type ServerRequestHandler = (
  params: Record<string, unknown>,
  context: { signal: AbortSignal },
) => Result | Promise<Result>

/** Requests that a server may make of a client. */
export type ServerRequest = (typeof serverRequests)[number]

export const serverRequests = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const

/** Who we say we are, and what a server may ask of us. */
export interface ClientOptions {
  readonly info: { readonly name: string; readonly version: string; readonly title?: string }
  readonly capabilities: Capabilities
  readonly handlers: Readonly<Partial<Record<ServerRequest, ServerRequestHandler>>>
}

interface GivenClient {
  name?: string
  version?: string
  capabilities?: Capabilities
  handlers?: ClientOptions['handlers']
}

/** For all connections that say nothing of it. */
const plainClient: ClientOptions = clientOptions({})

/**
 * A handler that is given is a capability that is there, unless the application described the capability itself.
 *
 * @throws TypeError for a handler of a request that no server makes
 */
export function clientOptions(given: GivenClient | undefined): ClientOptions {
  if (given === undefined) return plainClient
  const { name = 'mcp-lifeline', version = libraryVersion, capabilities = {}, handlers = {} } = given
  for (const [method, handler] of Object.entries(handlers)) {
    if (!serverRequests.some((known) => known === method) || typeof handler !== 'function') {
      throw new TypeError(
        `client.handlers takes functions for ${serverRequests.join(', ')}; '${method}' is none of them.`,
      )
    }
  }
  return {
    info: { name, version },
    capabilities: {
      ...(handlers['elicitation/create'] && { elicitation: { form: { applyDefaults: true } } }),
      ...(handlers['sampling/createMessage'] && { sampling: {} }),
      ...(handlers['roots/list'] && { roots: {} }),
      ...capabilities,
    },
    handlers,
  }
}
