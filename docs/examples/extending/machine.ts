import { combineSetups, connectionContext, connectionRoot, connectionStates } from 'mcp-lifeline/machine'
import { limited, limits, linkedWithLimits } from './limits.js'
import { maintenance, onUpkeep, upkeep, usage } from './upkeep.js'

// part: machine
/** The connection's chart with both extensions in it. */
const setup = combineSetups(limits, upkeep)

export const machine = setup.createMachine({
  ...setup.extendState(connectionRoot, {
    on: onUpkeep,
    states: {
      limited,
      maintenance,
      linked: setup.extendState(linkedWithLimits, {
        states: { ready: setup.extendState(connectionStates.linked.states.ready, { states: { usage } }) },
      }),
    },
  }),
  context: ({ input }) => ({ ...connectionContext({ input }), quotaMs: input.quotaMs, timesLimited: 0 }),
})
// end
