/** From nothing to ready: time and requests, for one server and for many, with few tools and with many. */
import { type Connection, createConnection, createHub, type StdioTarget, type Target } from '../../../src/index.js'
import { leanStdioTarget, stockReady, stockTransport, withServer } from '../contenders.js'
import { boundRatio, boundValue, type Effort, type Figure, type Suite, type Task } from '../figure.js'
import { compareTimes, timed } from '../measure.js'
import { countExchanges } from './exchanges.js'

interface Row {
  readonly servers: number
  readonly tools: number
  readonly pages: number
  /** Left out of a short run. */
  readonly long?: true
}

const rows: readonly Row[] = [
  { servers: 1, tools: 1, pages: 1 },
  { servers: 1, tools: 200, pages: 1, long: true },
  { servers: 1, tools: 200, pages: 10, long: true },
  { servers: 20, tools: 1, pages: 1, long: true },
  { servers: 20, tools: 200, pages: 1, long: true },
  { servers: 20, tools: 200, pages: 10 },
  { servers: 100, tools: 1, pages: 1, long: true },
  { servers: 100, tools: 200, pages: 10, long: true },
]

const nameOf = ({ servers, tools, pages }: Row) =>
  `connect, json, ${servers} × ${tools} tools${pages > 1 ? ` in ${pages} pages` : ''}`

const all = <T>(count: number, make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, make))

/** The time until all are ready; they are closed outside of it. */
async function timedOpen<T extends { close(): Promise<void> }>(count: number, make: () => Promise<T>): Promise<number> {
  let made: T[] = []
  const ms = await timed(async () => {
    made = await all(count, make)
  })
  await Promise.all(made.map((one) => one.close()))
  return ms
}

async function readyConnection(target: Target): Promise<Connection> {
  const connection = createConnection({ name: 'bench', target })
  await connection.connect()
  return connection
}

async function connectRow(row: Row, { short }: Effort): Promise<Figure[]> {
  // In short rounds, as with calls; the first connections of a process pay for code that is not warm.
  const rounds = Math.ceil((short ? 0.4 : 1) * (row.servers >= 100 ? 16 : row.servers > 1 ? 20 : 60))
  const warmUp = Math.max(4, Math.ceil(200 / row.servers))
  return await withServer('json', async (server) => {
    const url = new URL(`?tools=${row.tools}&pages=${row.pages}`, server.url)
    const [takeOurs, takeStock] = [
      () => timedOpen(row.servers, () => readyConnection({ url })),
      () => timedOpen(row.servers, () => stockReady(stockTransport(url))),
    ]
    for (let i = 0; i < warmUp; i++) {
      await takeOurs()
      await takeStock()
    }
    const { ours, stock, ratio, spread } = await compareTimes(rounds, takeOurs, takeStock)
    const requests: number[] = []
    for (const take of [takeOurs, takeStock]) {
      await server.posts()
      await take()
      requests.push((await server.posts()) / row.servers)
    }
    const [mine = Number.NaN, theirs = Number.NaN] = requests
    const name = nameOf(row)
    return [
      {
        name,
        unit: 'ms',
        ours,
        compared: { with: 'SDK clients, in parallel', value: stock },
        ratio,
        spread,
        promise: boundRatio(1.1, 1.4),
      },
      {
        name: `${name}: POSTs per server`,
        unit: 'requests',
        ours: mine,
        compared: { with: 'SDK client', value: theirs },
        ratio: mine / theirs,
        promise: boundRatio(1),
      },
    ]
  })
}

/** Twenty servers in a hub against twenty bare clients that connect and list at once. */
async function hubOf(name: string, target: StdioTarget | URL, rounds: number, warmUp: number): Promise<Figure> {
  // No two servers of a configuration are one command. If they are, the gate lets the first of them go ahead.
  const targetOf = (i: number): Target =>
    target instanceof URL ? { url: target } : { ...target, args: [...(target.args ?? []), `--number=${i}`] }
  const servers = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`s${i}`, { target: targetOf(i) }]))
  const takeOurs = async () => {
    const hub = createHub({ servers })
    let statuses: readonly { readonly status: string }[] = []
    const ms = await timed(async () => {
      statuses = await hub.start()
    })
    await hub.close()
    if (statuses.length < 20 || statuses.some(({ status }) => status !== 'ready')) throw new Error('not all are ready')
    return ms
  }
  const takeStock = () => timedOpen(20, () => stockReady(stockTransport(target)))
  for (let i = 0; i < warmUp; i++) {
    await takeOurs()
    await takeStock()
  }
  const { ours, stock, ratio, spread } = await compareTimes(rounds, takeOurs, takeStock)
  const compared = { with: 'SDK clients, in parallel', value: stock }
  return { name, unit: 'ms', ours, compared, ratio, spread, promise: boundRatio(1.1, 1.4) }
}

async function exchanges(): Promise<Figure[]> {
  const { connect, resume } = await countExchanges()
  return [
    { name: 'exchanges, connect to ready', unit: 'rounds', ours: connect, promise: boundValue(3) },
    { name: 'exchanges, resume to ready', unit: 'rounds', ours: resume, promise: boundValue(1) },
  ]
}

export const connecting: Suite = {
  title: 'Connecting',
  figures(effort): readonly Task[] {
    const rounds = effort.short ? 5 : 12
    return [
      { name: 'exchanges', run: exchanges },
      ...rows
        .filter(({ long }) => !long || !effort.short)
        .map((row) => ({ name: nameOf(row), run: () => connectRow(row, effort) })),
      {
        name: 'hub of 20, json',
        run: () => withServer('json', async ({ url }) => [await hubOf('hub of 20, json', url, 2 * rounds, 4)]),
      },
      {
        name: 'hub of 20, stdio',
        run: async () => [await hubOf('hub of 20, stdio', leanStdioTarget, rounds, 1)],
      },
    ]
  },
}
