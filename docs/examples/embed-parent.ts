import { type ConnectionEmitted, connectionInput, connectionMachine, connectionOf } from 'mcp-lifeline'
import { assign, createActor, fromCallback, not, sendTo, setup, waitFor } from 'xstate'

/** An assistant that works while its server is usable, waits while it is away, and says so when it has failed. */
const assistant = setup({
  types: {
    context: {} as { usable: boolean; stopped: boolean },
    events: {} as ConnectionEmitted | { type: 'leave' },
    children: {} as { server: 'connection'; news: 'news' },
  },
  actors: {
    connection: connectionMachine,
    // What the connection emits, as events of this machine.
    news: fromCallback<ConnectionEmitted>(({ system, sendBack }) => {
      const subscription = system.get('server').on('*', sendBack)
      return () => subscription.unsubscribe()
    }),
  },
  guards: {
    usable: ({ context }) => context.usable,
    stopped: ({ context }) => context.stopped,
  },
}).createMachine({
  id: 'assistant',
  context: { usable: false, stopped: false },
  initial: 'starting',
  invoke: [
    {
      id: 'server',
      systemId: 'server',
      src: 'connection',
      input: () =>
        connectionInput({
          name: 'everything',
          target: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] },
        }),
      // Tags answer what a parent wants to know, whatever states the connection has.
      onSnapshot: {
        actions: assign(({ event }) => ({
          usable: event.snapshot.hasTag('usable'),
          stopped: event.snapshot.hasTag('stopped'),
        })),
      },
      onDone: '.left',
      onError: '.failed',
    },
    { id: 'news', src: 'news' },
  ],
  on: {
    'connection.lost': { actions: ({ event }) => console.log(`lost: ${event.fault.advice}`) },
    'connection.exhausted': { actions: ({ event }) => console.log(`given up for now: ${event.fault.code}`) },
    leave: { actions: sendTo('server', { type: 'close' }) },
  },
  states: {
    starting: { entry: sendTo('server', { type: 'connect' }), always: 'away' },
    away: {
      always: [
        { guard: 'usable', target: 'working' },
        { guard: 'stopped', target: 'failed' },
      ],
    },
    working: {
      entry: () => console.log('working'),
      always: { guard: not('usable'), target: 'away' },
    },
    failed: {
      entry: () => console.log('failed'),
      always: { guard: 'usable', target: 'working' },
    },
    left: { type: 'final' },
  },
})

const parent = createActor(assistant).start()
const { server } = parent.getSnapshot().children
if (!server) throw new Error('the connection was not invoked')
const connection = connectionOf(server)

await waitFor(parent, (snapshot) => snapshot.matches('working'))
const answer = await connection.callTool({ name: 'get-sum', arguments: { a: 20, b: 22 } })
console.log(answer.content[0]?.text)

parent.send({ type: 'leave' })
await connection.close()
