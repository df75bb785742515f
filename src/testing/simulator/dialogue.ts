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

/** The world is well: what the server asks is answered, and what is given up is taken back. */
export async function dialogue(talk: Talk): Promise<void> {
  // An answer or notification that is refused for its credential is not sent again (decision 28).
  if (talk.traits.authorization !== 'none') return
  await answersServer(talk)
  await takesBack(talk)
}

async function answersServer({ world, watch, traits, pass, session }: Talk): Promise<void> {
  // Where there is no stream, the server has no way to ask.
  if (traits.wire === 'http' && !traits.listening) return
  const isHeard = () => {
    const present = session()
    return present !== undefined && (traits.wire !== 'http' || world.service.isListenedTo(present))
  }
  if (!(await pass(STREAM_MS, isHeard))) {
    watch.breach('once all is well, the server is listened to (liveness)', session()?.id ?? 'no session')
    return
  }
  const present = session()
  if (!present) return
  const asked = askable.map((method) => world.server.asks.ask(present, method))
  await pass(ANSWER_MS, () => asked.every(({ answers }) => answers > 0))
  const open = asked.filter(({ answers }) => answers === 0)
  if (open.length > 0)
    watch.breach('once all is well, the server is answered (liveness)', open.map(({ id }) => id).join())
}

async function takesBack({ application, world, watch, traits, pass }: Talk): Promise<void> {
  const { server } = world
  server.stall(STALL_MS)
  const [, most] = traits.latencyMs
  const call = { do: 'call', tool: 'write', times: 1, abortAfterMs: 2 * most + 100 } as const
  void application.call(call)
  const made = application.calls.at(-1)
  const isTakenBack = () => made !== undefined && server.takenBack.has(made.key)
  if (!(await pass(STALL_MS + 4 * most, isTakenBack)))
    watch.breach('once all is well, a call that is given up is taken back (liveness)', made?.key ?? '')
}
