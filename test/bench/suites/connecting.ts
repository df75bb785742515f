/** From nothing to ready: time and requests, for one server and for many, with few tools and with many. */
import { type BenchServer, withServer } from '../contenders.js'
import { boundRatio, boundValue, type Effort, type Figure, type Suite, type Task } from '../figure.js'
import { type Comparison, compareTimes } from '../measure.js'
import { type Contenders, withContenders } from '../processes.js'
import type { Work } from '../work.js'
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

async function connectRow(row: Row, { short }: Effort): Promise<Figure[]> {
  // In short rounds, as with calls; the first connections of a process pay for code that is not warm.
  const rounds = Math.ceil((short ? 0.4 : 1) * (row.servers >= 100 ? 16 : row.servers > 1 ? 20 : 60))
  const warmUp = Math.max(4, Math.ceil(30 / row.servers))
  const measure = async (server: BenchServer, both: Contenders): Promise<Figure[]> => {
    const url = new URL(`?tools=${row.tools}&pages=${row.pages}`, server.url).href
    // The first after a pause meets a process that has cooled down.
    const work = { do: 'connect', servers: row.servers, url, times: row.servers === 1 ? 7 : 1 } as const
    const { ours, stock, ratio, spread } = await compareWork(both, work, rounds, warmUp)
    const requests: number[] = []
    for (const contender of [both.ours, both.stock]) {
      await server.posts()
      await contender.take({ ...work, times: 1 })
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
  }
  return await withServer('json', (server) => withContenders((both) => measure(server, both)))
}

async function compareWork(
  { ours, stock }: Contenders,
  work: Work,
  rounds: number,
  warmUp: number,
): Promise<Comparison> {
  for (let i = 0; i < warmUp; i++) {
    await ours.take(work)
    await stock.take(work)
  }
  return await compareTimes(
    rounds,
    () => ours.take(work),
    () => stock.take(work),
  )
}

/** Twenty servers in a hub against twenty bare clients that connect and list at once. */
async function hubOf(name: string, work: Work, rounds: number, warmUp: number): Promise<Figure> {
  const { ours, stock, ratio, spread } = await withContenders((both) => compareWork(both, work, rounds, warmUp))
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
        run: () =>
          withServer('json', async ({ url: { href } }) => [
            await hubOf('hub of 20, json', { do: 'hub', url: href }, 2 * rounds, 10),
          ]),
      },
      {
        name: 'hub of 20, stdio',
        run: async () => [await hubOf('hub of 20, stdio', { do: 'hub' }, rounds, 1)],
      },
    ]
  },
}
