/**
 * What the compiler says of an extended chart, through the declaration files of the package: what is right infers
 * without a cast, and what is misspelt is an error.
 */
import { connectionInput, connectionOf, createConnection, provideConnection, type Rule } from 'mcp-lifeline'
import {
  combineSetups,
  connectionContext,
  connectionRoot,
  connectionSetup,
  connectionStates,
} from 'mcp-lifeline/machine'
import { type ActorRefFrom, assign, createActor, enqueueActions, fromPromise, type InputFrom } from 'xstate'
import { limits } from '../../docs/examples/extending/limits.js'
import { machine } from '../../docs/examples/extending/machine.js'

const target = { url: 'http://127.0.0.1:9/mcp' }

/** Everything that an extension can name. */
export const kit = connectionSetup<{
  context: { served: number }
  events: { type: 'drain'; hard: boolean }
  tags: 'resting'
  emitted: { type: 'kit.drained'; served: number }
  input: { served: number }
  children: { warm: 'warmUp' }
  faults: 'rate-limited'
}>()({
  actors: { warmUp: fromPromise<number, { size: number }>(async ({ input }) => input.size) },
  guards: {
    hard: ({ event }) => event.type === 'drain' && event.hard,
    served: ({ context }, params: { least: number }) => context.served >= params.least,
    limited: ({ event }) => event.type === 'fault' && event.fault.class === 'rate-limited',
    // @ts-expect-error a class that nobody names
    misspelt: ({ event }) => event.type === 'fault' && event.fault.class === 'rate-limitted',
  },
  actions: {
    count: assign({ served: ({ context }) => context.served + 1 }),
    tell: enqueueActions(({ enqueue, context }) => {
      enqueue('noteFault')
      enqueue.emit({ type: 'kit.drained', served: context.served })
    }),
    name: ({ context }, params: { as: string }) => console.log(context.name, params.as),
  },
  delays: { rest: ({ context }) => context.served },
})

export const resting = kit.createStateConfig({
  tags: 'resting',
  entry: ['noteFault', 'count', { type: 'name', params: { as: 'resting' } }],
  invoke: { id: 'warm', src: 'warmUp', input: { size: 3 }, onDone: '#connection.linked' },
  on: {
    drain: { guard: { type: 'served', params: { least: 1 } }, actions: 'emitLost', target: '#connection.linked' },
  },
  after: { rest: '#connection.linked' },
})

// @ts-expect-error an event
kit.createStateConfig({ on: { drian: {} } })
// @ts-expect-error a guard
kit.createStateConfig({ on: { drain: { guard: 'herd' } } })
// @ts-expect-error an action
kit.createStateConfig({ on: { drain: { actions: 'coutn' } } })
// @ts-expect-error an action of the library
kit.createStateConfig({ entry: 'noteFualt' })
// @ts-expect-error a tag
kit.createStateConfig({ tags: 'restng' })
// @ts-expect-error an actor
kit.createStateConfig({ invoke: { src: 'warmup', input: { size: 3 } } })
// @ts-expect-error the input of an actor
kit.createStateConfig({ invoke: { id: 'warm', src: 'warmUp', input: { size: '3' } } })
// @ts-expect-error the params of an action
kit.createStateConfig({ entry: { type: 'name', params: { as: 3 } } })

// @ts-expect-error an event, put into a state of the library
kit.extendState(connectionStates.linked, { on: { drian: {} } })
// @ts-expect-error a guard, put into a state of the library
kit.extendState(connectionStates.linked.states.ready, { on: { drain: { guard: 'herd' } } })
// @ts-expect-error a state of the library
kit.extendState(connectionStates.lnked, {})
// @ts-expect-error the fields of the context that the extension added
kit.createMachine({ ...connectionRoot, context: connectionContext })

/** Rules name their class; without a name only the library's are taken. */
export const rules: Rule<'rate-limited'>[] = []
// @ts-expect-error a class that the rule does not name
export const misspelt: Rule['ruling']['class'] = 'transiet'

// Through createConnection: states, events, tags and context of both extensions.
const connection = createConnection({ name: 'both', target, machine, input: { quotaMs: 1 }, rules })
connection.actor.send({ type: 'drain' })
connection.actor.send({ type: 'connect' })
// @ts-expect-error an event of an extension
connection.actor.send({ type: 'drian' })
// @ts-expect-error the input that the chart asks for is missing
createConnection({ name: 'both', target, machine })
// @ts-expect-error the input that the chart asks for is of another type
createConnection({ name: 'both', target, machine, input: { quotaMs: '1' } })

const snapshot = connection.actor.getSnapshot()
snapshot.matches('maintenance')
snapshot.matches({ linked: { ready: { usage: 'draining', health: 'steady' } } })
snapshot.hasTag('maintenance')
snapshot.hasTag('usable')
export const times: number = snapshot.context.timesLimited + snapshot.context.generation
// @ts-expect-error a state of an extension
snapshot.matches('maintenence')
// @ts-expect-error a state of a region
snapshot.matches({ linked: { ready: { usage: 'drainning' } } })
// @ts-expect-error a state of the library
snapshot.matches({ linked: { ready: { health: 'study' } } })
// @ts-expect-error a tag
snapshot.hasTag('maintenence')
// @ts-expect-error a field of the context
snapshot.context.timesLimted

// Through XState: an actor of its own, and its handle.
const input: InputFrom<typeof machine> = { ...connectionInput({ name: 'both', target }), quotaMs: 1 }
const actor: ActorRefFrom<typeof machine> = createActor(provideConnection(machine), { input })
connectionOf(actor).actor.send({ type: 'maintenance.begin' })
actor.on('connection.lost', ({ fault }) => console.log(fault.code))
// @ts-expect-error an event that is not emitted
actor.on('connection.losst', () => undefined)

/** Two setups know the names of both. */
export const both = combineSetups(kit, limits).createStateConfig({
  entry: ['count', 'countLimit', 'noteFault'],
  on: { drain: { guard: 'rateLimited' } },
})
// @ts-expect-error what neither names
combineSetups(kit, limits).createStateConfig({ entry: 'countLimits' })
