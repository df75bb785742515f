import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** A server on a free port of this machine. Closing it ends every socket. */
export interface Listening extends AsyncDisposable {
  readonly origin: string
}

/** Listens first and asks for the handler then, since most servers have to know their own address. */
export async function listen(handlerAt: (origin: string) => Handler): Promise<Listening> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a server without a port')
  const origin = `http://127.0.0.1:${address.port}`
  server.on('request', handlerAt(origin))
  return {
    origin,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
