import { chartSetup } from '../setup.js'
import { to } from '../targets.js'

export const idle = chartSetup.createStateConfig({
  description: 'Nothing runs. connect(), or the first call, starts it.',
  always: { guard: 'demanded', target: to.linked },
  on: {
    connect: to.linked,
    reconnect: { target: to.linked, actions: ['forgetSession', 'insist'] },
    retry: { target: to.linked, actions: 'insist' },
    'auth.responded': { target: to.linked, actions: 'insist' },
    disconnect: {},
  },
})
