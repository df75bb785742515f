import type { Rule } from '../faults.js'

/** Deadlines and liveness. */
export const timeRules: readonly Rule[] = [
  {
    id: 'deadline',
    because: 'nothing came within the time this phase has',
    source: 'design 3 rule 2; reports 03.10, 08.01',
    when: (e) => e.kind === 'deadline',
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'deadline.{phase}',
      delivery: 'not-sent',
      advice: 'The server did not get through {phase} within {seconds} s. A slow start may need a longer timeout.',
    },
  },
  {
    id: 'probe-failed',
    because: 'two probes in a row were refused or broke off: whatever is there, it is no server that works',
    source: 'promise P21; deviation 35; a proxy whose server is away, in the lab',
    when: (e) => e.kind === 'probe' && e.afterMs === undefined,
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'probe.failed',
      advice: 'The server, or what stands before it, serves no request any more. Calls wait until it does again.',
    },
  },
  {
    id: 'probe-unanswered',
    because: 'two probes in a row without any answer, and nothing else in flight: the link is half-open',
    source: 'specification 2025-11-25 ping; reports 03.07, 09.02',
    when: (e) => e.kind === 'probe',
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'probe.unanswered',
      advice: 'The server no longer answers although its connection looks open. It is replaced by a new one.',
    },
  },
  {
    id: 'call-timeout',
    because: 'one late answer says nothing of the connection; a probe asks',
    source: 'report 07.07',
    when: (e) => e.kind === 'timeout',
    ruling: {
      class: 'transient',
      scope: 'call',
      code: 'call.timeout',
      suspect: true,
      advice: 'The server did not answer {method} within {seconds} s; it may still be at work.',
    },
  },
]
