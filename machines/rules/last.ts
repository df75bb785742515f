import type { Rule } from '../faults.js'
import { opening } from '../signs.js'

/** What is left falls to the safe side (promise P25). */
export const lastRules: readonly Rule[] = [
  {
    id: 'wire-closed',
    because: 'the wire ended and said no more',
    when: (e) => e.kind === 'closed',
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'wire.closed',
      advice: 'The connection was closed by the other side.',
    },
  },
  {
    id: 'unknown-in-call',
    because: 'unknown evidence about one call: it is not sent again, and a probe asks how the link is',
    source: 'promise P25',
    when: (e) => e.method !== undefined && !opening(e),
    ruling: {
      class: 'transient',
      scope: 'call',
      code: 'unknown',
      suspect: true,
      advice: 'The call failed in a way this library does not know.',
    },
  },
  {
    id: 'unknown',
    because: 'unknown evidence: wait, and send nothing twice',
    source: 'promise P25',
    when: () => true,
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'unknown',
      advice: 'The connection failed in a way this library does not know.',
    },
  },
]
