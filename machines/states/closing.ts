import { releaseInput } from '../inputs.js'
import { chartSetup } from '../setup.js'
import { to } from '../targets.js'

/** Where closing leads, however it ends. */
const onward = [
  { guard: 'closesForGood', target: to.closed },
  { guard: 'goesOn', target: to.linked },
  { target: to.idle },
] as const

export const closing = chartSetup.createStateConfig({
  description: 'The session is ended and the wire awaited, for a bounded time.',
  tags: 'busy',
  invoke: {
    id: 'release',
    src: 'release',
    input: releaseInput,
    onDone: onward,
    onError: onward,
  },
  exit: 'forgetSession',
  on: {
    close: { actions: 'thenClosed' },
    disconnect: [{ guard: 'closesForGood' }, { actions: 'thenIdle' }],
    connect: [{ guard: 'closesForGood' }, { actions: 'thenLinked' }],
    reconnect: [{ guard: 'closesForGood' }, { actions: 'thenLinked' }],
    retry: [{ guard: 'closesForGood' }, { actions: 'thenLinked' }],
  },
  after: {
    closeTimeout: onward,
  },
})

export const closed = chartSetup.createStateConfig({
  description: 'Over. The only state that is never left.',
  tags: 'stopped',
  type: 'final',
  entry: 'emitClosed',
})
