/** A TCP proxy whose connections can be frozen: they stay open at both ends, and nothing goes through them any more. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface HalfOpenProxy extends AsyncDisposable {
  readonly url: string
  /** Freezes what is open now; connections made later work. */
  freeze(): void
}

export async function startHalfOpenProxy(target: { port: number }): Promise<HalfOpenProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer((near) => {
    const far = connect(target.port, '127.0.0.1')
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [one, other] of [pair, [far, near] as const]) {
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        pairs.delete(pair)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    freeze() {
      for (const pair of pairs) for (const socket of pair) socket.unpipe().pause()
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      await closed
    },
  }
}
