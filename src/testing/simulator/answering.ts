import type { Connection, ConnectionOptions } from '../../connection/index.js'
import type { Askable } from './asks.js'
import type { Chance } from './chance.js'
import type { DrivenClock } from './driven-clock.js'

type Handlers = NonNullable<NonNullable<ConnectionOptions['client']>['handlers']>
export type Handled = Exclude<Askable, 'ping'>
type Handler = NonNullable<Handlers[Handled]>

const results = {
  'roots/list': { roots: [] },
  'sampling/createMessage': { role: 'assistant', model: 'simulated', content: { type: 'text', text: 'Wait.' } },
  'elicitation/create': { action: 'decline' },
} as const satisfies Record<Handled, object>

interface Answering {
  readonly handles: readonly Handled[]
  readonly chance: Chance
  readonly clock: DrivenClock
  readonly breach: (invariant: string, message: string) => void
  /** The connection, once it is there. */
  readonly connection: () => Connection | undefined
  /** Calls of the application that are not settled; of each, the link that was the last to be there when it was made. */
  readonly calls: () => ReadonlySet<{ readonly generation: number }>
}

/** How the application answers what the server asks of it: after a while, now and then with an error. */
export function handlersOf({ handles, chance, clock, breach, connection, calls }: Answering): Handlers {
  const generation = () => connection()?.actor.getSnapshot().context.generation
  const handler =
    (method: Handled): Handler =>
    (_params, { signal }) =>
      new Promise((resolve, reject) => {
        const askedIn = generation()
        const fails = chance.happens(0.1)
        clock.plan(chance.mostlySmall(0, 20_000), () => {
          // A link that is left goes on for as long as calls are under way on it (decision 35).
          const mayDrain = [...calls()].some((call) => call.generation <= (askedIn ?? 0))
          // Until the wire of before is gone, the next one is not opened.
          const isGone = generation() !== askedIn && connection()?.status !== 'connecting'
          if (isGone && !signal.aborted && !mayDrain)
            breach('what the server of a lost link asked for is given up', `${method} of link ${askedIn}`)
          if (fails) reject(new Error('no'))
          else resolve(results[method])
        })
      })
  return Object.fromEntries(handles.map((method) => [method, handler(method)]))
}
