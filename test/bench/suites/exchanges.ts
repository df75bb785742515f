/** Exchanges on the wire until a connection is ready: round trips that had to wait for each other, and messages. */
import { filter, firstValueFrom } from 'rxjs'
import { createConnection } from '../../../src/index.js'
import { type LoggedRequest, slow, startFaultServer } from '../../../src/testing/fault-server/index.js'

export interface Exchanges {
  /** Rounds of a fresh connect: initialize, initialized, all lists at once. The listening GET is not counted. */
  readonly connect: number
  /** Rounds until ready when a session is gone on with. */
  readonly resume: number
}

export async function countExchanges(): Promise<Exchanges> {
  await using server = await startFaultServer({
    capabilities: { tools: {}, resources: {}, prompts: {} },
  })
  // Slow enough that requests which do not wait for each other are seen to overlap.
  server.answer('POST', slow(50))
  await using connection = createConnection({ name: 'count', target: { url: server.url } })
  let seen: LoggedRequest[] = []
  let from = 0
  connection.actor.on('*', ({ type }) => {
    if (type === 'connection.ready') seen = server.requests('POST').slice(from)
  })
  await connection.connect()
  const connect = rounds(seen)

  await server.stop()
  const call = connection.callTool({ name: 'echo' }, { replay: 'always' })
  await firstValueFrom(connection.status$.pipe(filter((status) => status === 'backoff')))
  from = server.count('POST')
  await server.start()
  await call
  return { connect, resume: rounds(seen) }
}

/** A request that began after another had ended may have waited for it: each such step is one more round. */
function rounds(requests: readonly LoggedRequest[]): number {
  let count = 0
  let end = -1
  for (const { at, closedAt = Number.POSITIVE_INFINITY } of requests) {
    if (count === 0 || at >= end) {
      count++
      end = closedAt
    } else end = Math.min(end, closedAt)
  }
  return count
}
