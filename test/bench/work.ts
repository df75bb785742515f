/** What a contender does in a process of its own, and what it tells of it. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createConnection, createHub, type Target } from '../../src/index.js'
import { redacted, startInspector } from '../../src/inspect/index.js'
import {
  type HttpServerKind,
  inMemory,
  leanStdioTarget,
  type Opened,
  ours,
  stdioTarget,
  stock,
  stockReady,
  stockTransport,
} from './contenders.js'
import { quantile, timed } from './measure.js'

export type Side = 'ours' | 'stock'

export type Wire = 'memory' | 'stdio' | 'sdk-stdio' | HttpServerKind

/** What calls go through. */
export interface Calling {
  readonly wire: Wire
  /** Of the text that a call brings and takes back. */
  readonly bytes: number
  /** Of a server over HTTP. */
  readonly url?: string
  /** Looked at, by the page and by an inspector. */
  readonly inspected?: true
}

/** Each is answered by one number. */
export type Work =
  /** What calls go through from now on, in place of what was there. `beside`: a second one, which has its own calls. */
  | { readonly do: 'open'; readonly calling: Calling; readonly beside?: true }
  /** Median of one call, in microseconds; of its share in a batch where many are under way. */
  | { readonly do: 'call'; readonly count: number; readonly inFlight: number; readonly beside?: true }
  | { readonly do: 'close'; readonly beside?: true }
  /** Milliseconds from nothing until so many are ready, which are closed then; the median of so many times. */
  | { readonly do: 'connect'; readonly servers: number; readonly url: string; readonly times: number }
  /** As `connect`, for twenty: ours in a hub. Without an address over stdio. */
  | { readonly do: 'hub'; readonly url?: string }

const opened: { first?: Opened; second?: Opened } = {}

const placeOf = ({ beside }: { readonly beside?: true }) => (beside ? 'second' : 'first')

export async function done(side: Side, work: Work): Promise<number> {
  switch (work.do) {
    case 'open':
      await opened[placeOf(work)]?.close()
      opened[placeOf(work)] = await open(side, work.calling)
      return 0
    case 'call':
      return await timeCalls(opened[placeOf(work)], work.count, work.inFlight)
    case 'close':
      await opened[placeOf(work)]?.close()
      delete opened[placeOf(work)]
      return 0
    case 'connect':
      return await medianOf(work.times, () => connect(side, work.servers, new URL(work.url)))
    case 'hub':
      return await hubOf(side, work.url)
  }
}

async function open(side: Side, { wire, bytes, url, inspected }: Calling): Promise<Opened> {
  const text = 'x'.repeat(bytes)
  if (wire === 'memory') {
    if (side === 'stock') return stock(inMemory(), text)
    return inspected ? await looked(text) : await ours({ open: inMemory }, text)
  }
  const target = url !== undefined ? new URL(url) : wire === 'stdio' ? leanStdioTarget : stdioTarget
  if (side === 'stock') return stock(stockTransport(target), text)
  return ours(target instanceof URL ? { url: target } : target, text)
}

async function looked(text: string): Promise<Opened> {
  const inspector = await startInspector()
  const toAnother = redacted(() => {})
  const contender = await ours({ open: inMemory }, text, {
    inspect(event) {
      inspector.inspect(event)
      toAnother(event)
    },
  })
  return {
    call: contender.call,
    async close() {
      await contender.close()
      await inspector[Symbol.asyncDispose]()
    },
  }
}

async function timeCalls(contender: Opened | undefined, count: number, inFlight: number): Promise<number> {
  if (!contender) throw new Error('nothing is open')
  const { call } = contender
  const times: number[] = []
  for (let calls = 0; calls < count; calls += inFlight) {
    const begin = performance.now()
    if (inFlight === 1) await call()
    else await Promise.all(Array.from({ length: inFlight }, call))
    times.push(((performance.now() - begin) * 1_000) / inFlight)
  }
  return quantile(times)
}

const drained = (response: IncomingMessage) => void response.resume()

/** A single one finds no sockets to its server: the stock client would use those that the one before it left to it. */
async function connect(side: Side, servers: number, url: URL): Promise<number> {
  // When the second is answered the ends of all sockets are under way, and a moment later they are here: the stock client
  // would send by one that has ended.
  if (servers === 1) {
    for (let i = 0; i < 2; i++) await once(get(new URL('/idle', url), { agent: false }, drained), 'close')
    await delay(5)
  }
  return await timedOpen(servers, () => ready(side, url))
}

async function ready(side: Side, url: URL): Promise<{ close(): Promise<void> }> {
  if (side === 'stock') return await stockReady(stockTransport(url))
  const connection = createConnection({ name: 'bench', target: { url } })
  await connection.connect()
  return connection
}

async function medianOf(times: number, take: () => Promise<number>): Promise<number> {
  const taken: number[] = []
  while (taken.length < times) taken.push(await take())
  return quantile(taken)
}

async function timedOpen<T extends { close(): Promise<void> }>(count: number, make: () => Promise<T>): Promise<number> {
  let made: T[] = []
  const ms = await timed(async () => {
    made = await Promise.all(Array.from({ length: count }, make))
  })
  await Promise.all(made.map((one) => one.close()))
  return ms
}

async function hubOf(side: Side, url: string | undefined): Promise<number> {
  const target = url === undefined ? leanStdioTarget : new URL(url)
  if (side === 'stock') return await timedOpen(20, () => stockReady(stockTransport(target)))
  // No two servers of a configuration are one command. If they are, the gate lets the first of them go ahead.
  const targetOf = (i: number): Target =>
    target instanceof URL ? { url: target } : { ...target, args: [...(target.args ?? []), `--number=${i}`] }
  const hub = createHub({
    servers: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`s${i}`, { target: targetOf(i) }])),
  })
  let statuses: readonly { readonly status: string }[] = []
  const ms = await timed(async () => {
    statuses = await hub.start()
  })
  await hub.close()
  if (statuses.length < 20 || statuses.some(({ status }) => status !== 'ready')) throw new Error('not all are ready')
  return ms
}
