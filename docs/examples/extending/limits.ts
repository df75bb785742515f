import { clampDelay, connectionSetup, connectionStates, type Rule, to } from 'mcp-lifeline/machine'
import { assign } from 'xstate'

// part: rule
/** This provider says that the quota is used up by an error code of its own. */
export const quotaRule: Rule<'rate-limited'> = {
  id: 'quota',
  because: 'the provider answers -32029 when the quota of the hour is used up; the request did not run',
  when: (evidence) => evidence.rpc?.code === -32029,
  ruling: {
    class: 'rate-limited',
    scope: 'link',
    code: 'provider.quota',
    delivery: 'refused',
    advice: 'The quota is used up; the connection rests until there is a new one.',
  },
}
// end

// part: setup
/** What this extension names. Everything that the library names is there as well, with its types. */
export const limits = connectionSetup<{
  faults: 'rate-limited'
  context: { quotaMs: number; timesLimited: number }
  input: { quotaMs: number }
}>()({
  guards: {
    rateLimited: ({ event }) => event.type === 'fault' && event.fault.class === 'rate-limited',
  },
  actions: {
    countLimit: assign({ timesLimited: ({ context }) => context.timesLimited + 1 }),
  },
  delays: {
    newQuota: ({ context }) => clampDelay(context.fault?.retryAfterMs ?? context.quotaMs),
  },
})
// end

// part: states
/** A state of its own, which no attempt is counted for. */
export const limited = limits.createStateConfig({
  description: 'The quota is used up: nothing is asked of the server until there is a new one.',
  tags: 'waiting',
  after: { newQuota: to.linked },
  on: { retry: to.linked },
})

/** The verdict. It stands before the library's, so that V7 does not take the fault. */
export const linkedWithLimits = limits.extendState(connectionStates.linked, {
  on: {
    fault: {
      guard: 'rateLimited',
      target: '#connection.limited',
      actions: ['noteFault', 'countLimit', 'emitLost'],
      description: 'The quota is used up.',
      meta: { rule: 'quota' },
    },
  },
})
// end
