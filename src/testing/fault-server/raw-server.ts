/** Faults below HTTP: a TCP server that writes bytes, or none. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** What a raw server does with a connection. `requestRead` resolves when a whole head has come. */
export type RawBehaviour = (socket: Socket, requestRead: Promise<string>) => void | Promise<void>

export interface RawServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** Connections accepted so far. */
  readonly connections: number
  readonly open: number
}

/** Accepts and never writes a byte. */
export const silent: RawBehaviour = () => {}

/** Resets every connection as soon as it is accepted. */
export const resetAtOnce: RawBehaviour = (socket) => {
  socket.resetAndDestroy()
}

/** Resets once the request has come: the server may have run it. */
export const resetAfterRequest: RawBehaviour = async (socket, requestRead) => {
  await requestRead
  socket.resetAndDestroy()
}

/** Closes cleanly once the request has come, without an answer. */
export const endAfterRequest: RawBehaviour = async (socket, requestRead) => {
  await requestRead
  socket.end()
}

/** Answers with these bytes, then closes, cuts or stays. */
export function bytes(text: string, then: 'end' | 'reset' | 'stay' = 'end'): RawBehaviour {
  return async (socket, requestRead) => {
    await requestRead
    socket.write(text, () => {
      if (then === 'end') socket.end()
      if (then === 'reset') socket.resetAndDestroy()
    })
  }
}

export async function startRawServer(behaviour: RawBehaviour): Promise<RawServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    void behaviour(socket, headOf(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function headOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let head = ''
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1')
      if (head.includes('\r\n\r\n')) resolve(head)
    })
  })
}
