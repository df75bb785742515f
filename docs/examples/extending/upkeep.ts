import { connectionSetup, to } from 'mcp-lifeline/machine'

// part: setup
/** A server can be taken out of service for a while, by its own announcement or by the hand of an operator. */
export const upkeep = connectionSetup<{
  events: { type: 'drain' } | { type: 'maintenance.begin' } | { type: 'maintenance.end' }
  tags: 'maintenance'
}>()({
  delays: { drained: 30_000, maintenanceOver: 3_600_000 },
})
// end

// part: states
/** A region of `ready`, beside health, catalog and credentials. */
export const usage = upkeep.createStateConfig({
  description: 'Are calls let through?',
  initial: 'serving',
  states: {
    serving: {
      description: 'Calls go to the server.',
      on: { drain: 'draining' },
    },
    draining: {
      description: 'Calls that are under way go on; new ones wait.',
      tags: 'draining',
      after: { drained: '#connection.maintenance' },
    },
  },
})

/** A state beside `linked`: the link is left, its session is kept. */
export const maintenance = upkeep.createStateConfig({
  description: 'The server is being worked on. Calls wait.',
  tags: ['waiting', 'maintenance'],
  on: { 'maintenance.end': to.linked },
  after: { maintenanceOver: to.linked },
})

/** Wherever the connection is, unless it closes for good. */
export const onUpkeep = {
  'maintenance.begin': [{ guard: 'closesForGood' }, { target: '.maintenance' }],
} as const
// end
