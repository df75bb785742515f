/** One outage from beginning to end, with calls before, in, and after it. */
import { filter, firstValueFrom, type Observable, Subject, takeUntil } from 'rxjs'
import type { Clock } from '../../clock.js'
import type { Catalog, Connection, ListKind } from '../../index.js'
import { stateText } from '../view.js'
import { CALL_MS, type CallLog, echo, slow } from './calls.js'
import type { OutageFacts } from './facts.js'

/** What is done to a connection. */
export interface Deed {
  /** As in "did not come back after …". */
  readonly name: string
  /** Breaks it. */
  strike(): Promise<void>
  /** Makes it possible again, where that is not the connection's own affair. */
  mend?(): Promise<void>
}

/** So long a call is with the server before the server dies. */
const UNDER_WAY_MS = 150
/** So long there is no server, where we are the ones to start it again. */
const AWAY_MS = 800
const NOTICE_MS = 3_000
const REREAD_MS = 5_000

export async function outage(
  connection: Connection,
  deed: Deed,
  calls: CallLog,
  clock: Clock,
  onDeed: (text: string) => void,
): Promise<OutageFacts> {
  const pause = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms))
  await calls.make(connection, 'before', echo('before'))
  const atServer = connection.catalog.tools.some(({ name }) => name === slow.name)
    ? calls.make(connection, 'in flight', slow)
    : undefined
  await pause(UNDER_WAY_MS)

  const before = connection.catalog
  onDeed(deed.name)
  const struckAt = clock.now()
  await deed.strike()
  // Before the loss is noticed, a call could still be written to a pipe that nobody reads: its outcome were unknown.
  const noticedAlone = !deed.mend && (await lost(connection, NOTICE_MS, clock))
  const during = calls.make(connection, 'during', echo('during'))
  const noticed = noticedAlone || (await lost(connection, NOTICE_MS, clock))
  if (deed.mend) {
    await pause(Math.max(0, struckAt + AWAY_MS - clock.now()))
    await deed.mend()
  }
  const awayMs = deed.mend ? clock.now() - struckAt : 0
  const facts = { connection: connection.name, deed: deed.name, noticed, awayMs }

  const lists = listsOf(connection)
  const recoveredMs = await connection.ready({ timeoutMs: CALL_MS }).then(
    () => clock.now() - struckAt,
    () => undefined,
  )
  if (recoveredMs === undefined) {
    const stuckIn = `${stateText(connection.actor.getSnapshot().value)} with ${connection.fault?.code ?? 'no fault'}`
    return { ...facts, lists, listsReread: [], fetchedLater: false, stuckIn }
  }
  await Promise.all([during, atServer])
  const after = await reread(connection, before, lists, clock)
  await calls.make(connection, 'after', echo('after'))
  return {
    ...facts,
    recoveredMs,
    lists,
    listsReread: lists.filter((list) => after[list] !== before[list]),
    fetchedLater: after.fetchedAt > before.fetchedAt,
  }
}

/** Whether the connection leaves `ready` within the time. */
async function lost({ status$ }: Connection, withinMs: number, clock: Clock): Promise<boolean> {
  return (await firstWithin(status$.pipe(filter((status) => status !== 'ready')), withinMs, clock)) !== undefined
}

/** The catalog, once every list is another than it was; or as it is when the time is up. A list that is read is new. */
async function reread(connection: Connection, before: Catalog, lists: readonly ListKind[], clock: Clock) {
  const isNew = (catalog: Catalog) => lists.every((list) => catalog[list] !== before[list])
  return (await firstWithin(connection.catalog$.pipe(filter(isNew)), REREAD_MS, clock)) ?? connection.catalog
}

async function firstWithin<T>(source: Observable<T>, ms: number, clock: Clock): Promise<T | undefined> {
  const late = new Subject<void>()
  const timer = clock.setTimeout(() => late.next(), ms)
  const first = await firstValueFrom(source.pipe(takeUntil(late)), { defaultValue: undefined })
  clock.clearTimeout(timer)
  return first
}

function listsOf({ session }: Connection): ListKind[] {
  const { tools, resources, prompts } = session?.capabilities ?? {}
  return [
    ...(tools ? (['tools'] as const) : []),
    ...(resources ? (['resources', 'resourceTemplates'] as const) : []),
    ...(prompts ? (['prompts'] as const) : []),
  ]
}
