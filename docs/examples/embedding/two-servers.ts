import { type ConnectionEmitted, connectionInput, connectionMachine, connectionOf, type Target } from 'mcp-lifeline'
import { and, assign, createActor, fromCallback, not, sendTo, setup, waitFor } from 'xstate'
import { MemoryServer } from './memory-server.js'

// part: machine
type ServerId = 'notes' | 'clock'

/** An assistant that works while both of its servers are usable, and says what is missing while one is not. */
const assistant = setup({
  types: {
    input: {} as Record<ServerId, Target>,
    context: {} as { targets: Record<ServerId, Target>; usable: Record<ServerId, boolean> },
    events: {} as { type: 'news'; from: ServerId; news: ConnectionEmitted } | { type: 'leave' },
    children: {} as { notes: 'connection'; clock: 'connection' },
  },
  actors: {
    connection: connectionMachine,
    /** What a connection emits, as events of this machine. */
    news: fromCallback<ConnectionEmitted, ServerId>(({ input: from, system, sendBack }) => {
      const subscription = system.get(from).on('*', (news: ConnectionEmitted) => sendBack({ type: 'news', from, news }))
      return () => subscription.unsubscribe()
    }),
  },
  guards: {
    notesUsable: ({ context }) => context.usable.notes,
    clockUsable: ({ context }) => context.usable.clock,
  },
  actions: {
    tell: ({ event }) => {
      if (event.type !== 'news') return
      const { from, news } = event
      if (news.type === 'connection.lost') console.log(`${from} is lost: ${news.fault.code}`)
      if (news.type === 'connection.ready') console.log(`${from} is ready`)
    },
  },
}).createMachine({
  id: 'assistant',
  context: ({ input }) => ({ targets: input, usable: { notes: false, clock: false } }),
  invoke: [
    {
      id: 'notes',
      systemId: 'notes',
      src: 'connection',
      input: ({ context }) => connectionInput({ name: 'notes', target: context.targets.notes }),
      // A tag says what a parent has to know, whatever states the connection has or will have.
      onSnapshot: {
        actions: assign({
          usable: ({ context, event }) => ({ ...context.usable, notes: event.snapshot.hasTag('usable') }),
        }),
      },
    },
    {
      id: 'clock',
      systemId: 'clock',
      src: 'connection',
      input: ({ context }) => connectionInput({ name: 'clock', target: context.targets.clock }),
      onSnapshot: {
        actions: assign({
          usable: ({ context, event }) => ({ ...context.usable, clock: event.snapshot.hasTag('usable') }),
        }),
      },
    },
    { src: 'news', input: 'notes' },
    { src: 'news', input: 'clock' },
  ],
  entry: [sendTo('notes', { type: 'connect' }), sendTo('clock', { type: 'connect' })],
  on: {
    news: { actions: 'tell' },
    leave: { actions: [sendTo('notes', { type: 'close' }), sendTo('clock', { type: 'close' })] },
  },
  initial: 'waiting',
  states: {
    waiting: { always: { guard: and(['notesUsable', 'clockUsable']), target: 'working' } },
    working: { always: { guard: not(and(['notesUsable', 'clockUsable'])), target: 'waiting' } },
  },
})
// end

const notes = new MemoryServer((server) =>
  server.registerTool('read', {}, () => ({ content: [{ type: 'text', text: 'buy milk' }] })),
)
const clock = new MemoryServer((server) =>
  server.registerTool('weekday', {}, () => ({ content: [{ type: 'text', text: 'Monday' }] })),
)

// part: run
const parent = createActor(assistant, { input: { notes: notes.target, clock: clock.target } }).start()
await waitFor(parent, (snapshot) => snapshot.matches('working'))

const { notes: child } = parent.getSnapshot().children
if (!child) throw new Error('notes was not invoked')
const connection = connectionOf(child)
console.log((await connection.callTool({ name: 'read' })).content[0]?.text)

await notes.crash()
await waitFor(parent, (snapshot) => snapshot.matches('waiting'))
await waitFor(parent, (snapshot) => snapshot.matches('working'))
parent.send({ type: 'leave' })
// end
