/** From broken to usable: a killed process, a lost session, a cut stream, a server that is away, and what a cycle costs. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { filter, firstValueFrom } from 'rxjs'
import { type Connection, createConnection } from '../../../src/index.js'
import { startFaultServer } from '../../../src/testing/fault-server/index.js'
import { leanStdioTarget, stockClient, stockReady, stockTransport } from '../contenders.js'
import { boundDifference, boundRatio, boundValue, type Figure, type Suite, type Task } from '../figure.js'
import { type Comparison, compareTimes, middleHalf, quantile, timed } from '../measure.js'
import { StubTransport } from '../stub.js'

const echo = { name: 'echo', arguments: { text: 'x' } }

const idle = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

async function readyOn(url: string): Promise<Connection> {
  const connection = createConnection({ name: 'bench', target: { url } })
  await connection.connect()
  return connection
}

/** From SIGKILL to the first answer on the same handle, against a client that is made anew at once by hand. */
async function killed(rounds: number): Promise<Figure> {
  // A connection of its own each time: one that is lost again and again waits longer from time to time.
  const takeOurs = async () => {
    await using connection = createConnection({ name: 'bench', target: leanStdioTarget })
    await connection.connect()
    const { content } = await connection.callTool({ name: 'pid' })
    const lost = firstValueFrom(connection.status$.pipe(filter((status) => status !== 'ready')))
    return await timed(async () => {
      process.kill(Number(content[0]?.text), 'SIGKILL')
      await lost
      await connection.callTool(echo)
    })
  }
  const takeStock = async () => {
    let client: Client | undefined
    const ms = await timed(async () => {
      client = await stockClient(stockTransport(leanStdioTarget))
      await client.callTool(echo)
    })
    await client?.close()
    return ms
  }
  const { ours, stock, ratio, spread } = await compareTimes(rounds, takeOurs, takeStock)
  const compared = { with: 'start by hand, SDK client', value: stock }
  const promise = boundDifference(250, 600)
  return { name: 'SIGKILL to usable, stdio', unit: 'ms', ours, compared, ratio, spread, promise }
}

/** A call that meets a lost session, against what a program has to do by hand once it has been told. */
async function sessionLost(rounds: number): Promise<Figure> {
  await using server = await startFaultServer()
  const takeOurs = async () => {
    await using connection = await readyOn(server.url)
    server.forgetSessions()
    return await timed(() => connection.callTool(echo))
  }
  const takeStock = async () => {
    const client = await stockReady(stockTransport(new URL(server.url)))
    server.forgetSessions()
    let again: Client | undefined
    const ms = await timed(async () => {
      await client.callTool(echo).catch(() => undefined)
      again = await stockReady(stockTransport(new URL(server.url)))
      await again.callTool(echo)
    })
    await Promise.all([client.close(), again?.close()])
    return ms
  }
  await takeOurs()
  await takeStock()
  const { ours, stock, ratio, spread } = await compareTimes(rounds, takeOurs, takeStock)
  const compared = { with: 'the same by hand, SDK client', value: stock }
  const promise = boundRatio(1, 1.5)
  return { name: 'session lost to answer, json', unit: 'ms', ours, compared, ratio, spread, promise }
}

/** From the cut of the listening stream until it is open again: a second and some chance, so that none is in a hurry. */
async function streamCut(rounds: number): Promise<Figure> {
  const cut = async (open: (url: string) => Promise<{ close(): Promise<void> }>) => {
    await using server = await startFaultServer()
    const client = await open(server.url)
    await server.seen('GET')
    // It has to be there for a moment, as a stream that is ended at once is another thing.
    await idle(300)
    const ms = await timed(async () => {
      server.streams.cut()
      await server.seen('GET', 2)
    })
    await client.close()
    return ms
  }
  const { ours, stock, ratio, spread } = await compareTimes(
    rounds,
    () => cut(readyOn),
    () => cut((url) => stockClient(stockTransport(new URL(url)))),
  )
  const compared = { with: 'SDK client', value: stock }
  const promise = boundValue(1_300, 2_500)
  return { name: 'stream cut to reopened', unit: 'ms', ours, compared, ratio, spread, promise }
}

/**
 * A call waits while an HTTP server is away and comes back without its sessions. Pauses between attempts are drawn by
 * lot, so that many are needed to tell the middle one: twenty at a time, none of which needs more than some milliseconds.
 */
async function serverAway(rounds: number): Promise<Figure> {
  const seen: number[] = []
  for (let round = 0; round < rounds; round++)
    seen.push(...(await Promise.all(Array.from({ length: 20 }, (_, i) => answeredAgain(2_000 + i * 100)))))
  const [name, promise] = ['server back to waiting call answered', boundValue(800, 2_000)]
  return { name, unit: 'ms', ours: quantile(seen), spread: middleHalf(seen), promise }
}

async function answeredAgain(awayMs: number): Promise<number> {
  await using server = await startFaultServer()
  await using connection = await readyOn(server.url)
  await server.stop()
  const waiting = connection.callTool(echo, { replay: 'always' })
  await idle(awayMs)
  server.forgetSessions()
  await server.start()
  return await timed(() => waiting)
}

/** The work, in time of the processor, of one loss and recovery; no wire takes part. */
async function cycle(rounds: number): Promise<Figure> {
  let last: StubTransport | undefined
  const open = () => {
    last = new StubTransport()
    return last
  }
  await using connection = createConnection({
    name: 'bench',
    target: { open },
    random: () => 0,
    policy: { backoff: { baseMs: 1, capMs: 1 }, maxAttempts: 1_000_000 },
  })
  await connection.connect()
  const cycles = 50
  const takeOurs = () =>
    worked(cycles, async () => {
      const back = readyAgain(connection)
      last?.onclose?.()
      await back
    })
  const takeStock = () =>
    worked(cycles, async () => {
      const client = await stockReady(new StubTransport())
      // What the wait in between costs, which a program of one's own needs as well.
      await idle(1)
      await client.close()
    })
  await takeOurs()
  await takeStock()
  const { ours, stock, ratio, spread }: Comparison = await compareTimes(rounds, takeOurs, takeStock)
  const compared = { with: 'a new SDK client, connected and listed', value: stock }
  return { name: 'fault to ready, work', unit: 'µs', ours, compared, ratio, spread, promise: boundRatio(5, 8) }
}

/** Resolves when the connection is ready the next time. */
function readyAgain({ actor }: Connection): Promise<void> {
  return new Promise((resolve) => {
    const news = actor.on('*', ({ type }) => {
      if (type !== 'connection.ready') return
      news.unsubscribe()
      resolve()
    })
  })
}

/** Microseconds of the processor for each run. */
async function worked(times: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < times; i++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

export const recovering: Suite = {
  title: 'Recovering',
  figures({ short }): readonly Task[] {
    const task = (name: string, run: (rounds: number) => Promise<Figure>, rounds: number) => ({
      name,
      run: async () => [await run(rounds)],
    })
    return [
      task('SIGKILL to usable, stdio', killed, short ? 7 : 25),
      task('session lost to answer, json', sessionLost, short ? 10 : 30),
      task('stream cut to reopened', streamCut, short ? 3 : 9),
      ...(short ? [] : [task('server back to waiting call answered', serverAway, 5)]),
      task('fault to ready, work', cycle, short ? 5 : 12),
    ]
  },
}
