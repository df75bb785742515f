/** The few requests of authorization: read as a whole, up to a limit, and never taken to another origin. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { loneFetch } from '../../../src/wire/index.js'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a lone fetch', () => {
  it.each([
    ['GET', 302],
    ['GET', 307],
    ['POST', 307],
    ['POST', 308],
  ])('of %s that is answered by %i follows it to no other origin', async (method, status) => {
    const seen: string[] = []
    const other = await listening((request, response) => {
      seen.push(request.url ?? '')
      response.end('{}')
    })
    const url = await listening((_, response) => response.writeHead(status, { location: `${other}/token` }).end())
    const init = method === 'POST' ? { method, body: 'code=canary' } : { method }
    const response = await loneFetch()(`${url}/token`, init).catch((error: unknown) => error)
    expect(seen).toEqual([])
    expect(response instanceof Response ? response.status : 'refused').toSatisfy(
      (it) => it === status || it === 'refused',
    )
  })

  it('reads an answer that never ends as far as any may go', async () => {
    let isGone = false
    const url = await listening((_, response) => {
      const more = () => {
        while (!isGone && response.write(' '.repeat(65_536)));
      }
      response.on('drain', more).on('close', () => {
        isGone = true
      })
      response.writeHead(200)
      more()
    })
    const response = await loneFetch()(url)
    const { length } = await response.text()
    expect(length).toBeGreaterThan(1_000_000)
    expect(length).toBeLessThan(3_000_000)
  })
})
