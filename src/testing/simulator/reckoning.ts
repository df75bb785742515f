import type { Connection } from '../../connection/index.js'
import type { SimulatedApplication } from './application.js'
import { dialogue } from './dialogue.js'
import type { DrivenClock } from './driven-clock.js'
import { isOfServer } from './exchange.js'
import type { Pass } from './pass.js'
import type { Deed } from './schedule.js'
import type { Surroundings } from './surroundings.js'
import type { Traits } from './traits.js'
import type { Watch } from './watch.js'

type CallDeed = Extract<Deed, { do: 'call' }>

interface Parties {
  readonly connection: Connection
  readonly application: SimulatedApplication
  readonly world: Surroundings
  readonly watch: Watch
  readonly clock: DrivenClock
  readonly traits: Traits
  readonly pass: Pass
}

/** A server's own listening streams are asked for again within this time; only then can it tell of changes. */
const RELISTEN_MS = 4_500_000
/** The longest time that a simulated server names, and the share that is added to it. */
const COOLING_MS = 22_000

/** A credential may have to be asked for several times, under a lock that others hold, and a person be asked. */
const AUTHORIZING_MS = 120_000
/** A request for a token that was begun is finished: the login would be lost with its answer. */
const LAST_TOKENS_MS = 120_000

/** Offline, a connection looks again so often at the latest. */
const OFFLINE_MS = 37_500

/** The world is well again: from here on everything has to come right (liveness). */
export async function recovery(parties: Parties): Promise<void> {
  const { connection, watch } = parties
  for (let round = 1; ; round++) {
    if (!(await becomesReady(parties))) return
    // This may be what finds out that the session is gone.
    const found = await called(parties, { tool: 'read', replay: 'always' })
    if (found === undefined) break
    // Where the application lets that end the connection, it has to be set going once more.
    if (round < 3 && isAway(connection)) continue
    watch.breach('once all is well, calls are answered (liveness)', found)
    return
  }
  if (parties.traits.grants.stepUp && parties.world.authorization) await agreed(parties)
  const refused = await called(parties, { tool: 'write' })
  if (refused !== undefined) watch.breach('once all is well, calls are answered (liveness)', refused)
  await remembered(parties)
  const { world, traits } = parties
  await dialogue({ ...parties, session: () => sessionOf(world, traits, watch.session) })
}

/** The person has agreed to more scope, if the server wants it. */
async function agreed({ connection, application, pass }: Parties): Promise<void> {
  void application.call({ do: 'call', times: 1, tool: 'write' })
  const asks = () => connection.actor.getSnapshot().hasTag('stepping-up')
  await pass(AUTHORIZING_MS, () => application.open.size === 0 && !asks())
}

/** However it stands, it gets ready within the time that its policy allows. */
export async function becomesReady({ connection, watch, pass, clock, traits, world }: Parties): Promise<boolean> {
  const { policy } = connection.actor.getSnapshot().context
  const bound =
    COOLING_MS +
    // A longer time that is named holds for the address, whoever dials it.
    Math.max(0, watch.pace.namedUntil - clock.elapsed) * 1.1 +
    2 * policy.backoff.capMs * 1.5 +
    // A start that was too slow gets up to four times as long.
    policy.connectMs * (traits.wire === 'stdio' ? 4 : 1) +
    policy.initializeMs +
    policy.discoverMs +
    policy.closeMs +
    (policy.slowProbeMs || 0) * 1.25 +
    OFFLINE_MS +
    (world.authorization ? AUTHORIZING_MS : 0)
  const end = clock.elapsed + bound
  for (;;) {
    if (isAway(connection)) {
      watch.released()
      connection.connect().catch(() => {})
    }
    await pass(end - clock.elapsed, () => connection.status === 'ready' || isAway(connection))
    if (isAway(connection) && clock.elapsed < end) continue
    if (connection.status !== 'ready') {
      const { value } = connection.actor.getSnapshot()
      const message = `after ${bound} ms in ${JSON.stringify(value)}`
      watch.breach('once all is well, the connection becomes ready (liveness)', message)
      return false
    }
    // What was dead without a sign may still have to be found out.
    if (!(await pass(15_000, () => connection.status !== 'ready'))) return true
  }
}

/** What went wrong with one call, if anything did. */
async function called({ connection, application, pass }: Parties, deed: Omit<CallDeed, 'do' | 'times'>) {
  void application.call({ do: 'call', times: 1, ...deed })
  const call = application.calls.at(-1)
  const { callMs } = connection.actor.getSnapshot().context.policy
  await pass(callMs + 1_000, () => application.open.size === 0)
  return call?.outcome === 'answered' ? undefined : `${call?.key} ${call?.outcome ?? 'is not settled'}`
}

/** It rests, has failed for good, or has failed where nothing but a command sets it going again. */
function isAway({ actor, status }: Connection): boolean {
  const { value, context } = actor.getSnapshot()
  const { failed } = value as { failed?: unknown }
  return status === 'idle' || failed === 'permanent' || (failed !== undefined && context.policy.slowProbeMs === false)
}

/** The server remembers what it was asked to, and its lists are known. */
async function remembered({ connection, watch, pass, world, application, traits }: Parties): Promise<void> {
  const differs = (): string | undefined => {
    const { subscriptions = [], logLevel } = connection.checkpoint()
    const session = sessionOf(world, traits, watch.session)
    if (!session) return 'the server knows no session'
    const uris = new Set([...subscriptions, ...session.subscriptions].filter((uri) => !application.unsure.has(uri)))
    const wrong = [...uris].filter((uri) => subscriptions.includes(uri) !== session.subscriptions.has(uri))
    if (wrong.length > 0)
      return `subscribed to ${[...session.subscriptions].join() || 'nothing'}, not ${subscriptions.join()}`
    const unsure = application.unsure.has('log level')
    return unsure || logLevel === session.logLevel ? undefined : `log level ${session.logLevel}, not ${logLevel}`
  }
  if (!(await pass(120_000, () => application.asking === 0 && differs() === undefined)))
    watch.breach('subscriptions and log level are those asked for (P11)', differs() ?? 'the application waits')
  // Where nothing can tell of a change, nothing knows of it.
  if (traits.wire === 'http' && (!traits.listening || world.overtaken.isLast)) return
  const isKnown = () => connection.catalog.tools.map(({ name }) => name).join() === world.server.toolNames.join()
  if (!(await pass(RELISTEN_MS, isKnown)))
    watch.breach('the lists are those of the server (P10)', connection.catalog.tools.map(({ name }) => name).join())
}

const sessionOf = (world: Surroundings, traits: Traits, spoken: string | undefined) => {
  if (traits.wire === 'custom') return [...world.network.transports][0]?.session
  if (traits.wire === 'stdio') return [...world.processes.running].at(-1)?.session
  return traits.sessions ? world.server.sessions.get(spoken ?? '') : world.service.lastUsed
}

/** When everything is closed. */
export function nothingLeft(
  { outstanding }: DrivenClock,
  worlds: readonly Surroundings[],
  breach: Watch['breach'],
): void {
  const children = worlds.reduce((sum, { processes }) => sum + processes.running.size, 0)
  if (children > 0) breach('no child is left after close (P18)', `${children} left`)
  if (outstanding > 0) breach('no timer is left after close (P18)', `${outstanding} left`)
}

/** It is over: everything is settled, and nothing is left. */
export async function ending({ connection, application, world, watch, clock, traits, pass }: Parties): Promise<void> {
  const { closeMs } = connection.actor.getSnapshot().context.policy
  const begunAt = clock.elapsed
  let over = false
  connection.close().then(
    () => {
      over = true
    },
    (error: unknown) => watch.breach('close always succeeds (P18)', String(error)),
  )
  // A transport of the application's has two seconds of its own.
  if (!(await pass(closeMs + (traits.wire === 'custom' ? 2_500 : 50), () => over))) {
    watch.breach('close ends by its deadline (P18)', `not within ${clock.elapsed - begunAt} ms`)
    return
  }
  await pass(LAST_TOKENS_MS, () => [...world.network.exchanges].every(isOfServer))
  if (application.open.size > 0)
    watch.breach('every call settles by its deadline (P1)', [...application.open].map(({ key }) => key).join())
  const { exchanges, transports } = world.network
  if (exchanges.size + transports.size > 0)
    watch.breach('nothing is left open after close (P18)', [...exchanges].map(({ number }) => `#${number}`).join())
  for (const { key, unsafe, outcome } of application.calls) {
    const runs = world.server.runs.get(key) ?? 0
    if (unsafe && runs > 1) watch.breach('no unsafe call runs twice (P2)', `${key} ran ${runs} times`)
    if (outcome === 'certainly not run' && runs > 0)
      watch.breach('what is said not to have run has not', `${key} ran ${runs} times`)
    if (outcome === 'answered' && runs === 0) watch.breach('what was answered has run', key)
  }
  world.authorization?.watch.end()
  watch.overhears(connection.report(), 'the report')
}
