import type { SimulatedApplication } from './application.js'
import { askable } from './asks.js'
import type { Pass } from './pass.js'
import type { ServerSession } from './session.js'
import type { Surroundings } from './surroundings.js'
import type { Traits } from './traits.js'
import type { Watch } from './watch.js'

interface Talk {
  readonly application: SimulatedApplication
  readonly world: Surroundings
  readonly watch: Watch
  readonly traits: Traits
  readonly pass: Pass
  readonly session: () => ServerSession | undefined
}

/** The application answers within this time; and so late a stream is there on which it can be asked. */
const ANSWER_MS = 25_000
const STREAM_MS = 400_000
/** So long the server says nothing, so that a call is under way when it is given up. */
const STALL_MS = 3_000

/** A person who has to log in anew ends the link, and what is being answered there is given up with it. */
const TRIES = 3

/** The world is well: what the server asks is answered, and what is given up is taken back. */
export async function dialogue(talk: Talk): Promise<void> {
  await answersServer(talk)
  await takesBack(talk)
}

async function answersServer(talk: Talk): Promise<void> {
  const { world, watch, traits, pass, application } = talk
  // Where there is no stream, the server has no way to ask.
  if (traits.wire === 'http' && !traits.listening) return
  for (let left = TRIES - 1; ; left--) {
    await callsWell(talk)
    const present = await heard(talk)
    if (!present) return
    const { links } = application
    const asked = askable.map((method) => world.server.asks.ask(present, method))
    await pass(ANSWER_MS, () => asked.every(({ answers }) => answers > 0))
    const open = asked.filter(({ answers }) => answers === 0)
    if (open.length === 0) return
    if (application.links > links && left > 0) continue
    watch.breach('once all is well, the server is answered (liveness)', open.map(({ id }) => id).join())
    return
  }
}

/** A credential that runs out is found out by this, and not by an answer. */
async function callsWell({ application, traits, pass }: Talk): Promise<void> {
  if (traits.authorization === 'none') return
  void application.call({ do: 'call', tool: 'read', times: 1 })
  const made = application.calls.at(-1)
  await pass(ANSWER_MS, () => made?.outcome !== undefined)
}

/** The session on which the server can ask, once there is one. */
async function heard({ world, watch, traits, pass, session }: Talk): Promise<ServerSession | undefined> {
  const isHeard = () => {
    const present = session()
    return present !== undefined && (traits.wire !== 'http' || world.service.isListenedTo(present))
  }
  if (await pass(STREAM_MS, isHeard)) return session()
  watch.breach('once all is well, the server is listened to (liveness)', session()?.id ?? 'no session')
  return undefined
}

async function takesBack({ application, world, watch, traits, pass, session }: Talk): Promise<void> {
  const { server } = world
  server.stall(STALL_MS)
  const [, most] = traits.latencyMs
  const call = { do: 'call', tool: 'write', times: 1, abortAfterMs: 2 * most + 100 } as const
  void application.call(call)
  const made = application.calls.at(-1)
  const isTakenBack = () => made !== undefined && server.takenBack.has(made.key)
  if (await pass(STALL_MS + 4 * most, isTakenBack)) return
  // What was refused for its credential, and given up before there was another, never came there.
  if (traits.authorization !== 'none' && ![...(session()?.calls.values() ?? [])].includes(made?.key ?? '')) return
  watch.breach('once all is well, a call that is given up is taken back (liveness)', made?.key ?? '')
}
