import { chartSetup } from '../setup.js'

/** A link of before cannot cast suspicion on this one. */
const fenced = { guard: 'stale', meta: { rule: 'F0' } } as const

/** A probe goes over a socket of its own; of the listening stream it tells nothing (report 03.07). */
const relisten = { type: 'tellLink', params: { type: 'relisten' } } as const

/** Any answer is one, that to an earlier probe too. */
const answered = [
  { guard: 'nothingHeldAgainst', target: 'steady', actions: 'forgetMissedProbes' },
  { target: 'settling' },
] as const

/** There is a stream to keep alive after all; the time until the next probe may have run out for nothing before. */
const listening = (target: 'settling' | 'steady') =>
  ({ guard: 'saidPostOnly', target, reenter: true, actions: 'noteListening' }) as const

/** A link that just came may be half-open as well as one that holds for long (promise P16). */
const keepalive = { keepalive: { guard: 'keepsAlive', target: 'probing' } } as const

export const health = chartSetup.createStateConfig({
  description: 'Is the link alive, and does it hold?',
  initial: 'settling',
  entry: 'beginProof',
  after: {
    // Counted from ready on, whatever was suspected meanwhile: calls that fail do not make a link that holds unstable.
    stableAfter: { actions: 'noteStability' },
  },
  states: {
    settling: {
      description: 'Connected, but not yet for long enough to forget past failures: dying at once is a failure.',
      entry: 'forgetMissedProbes',
      on: {
        suspect: [fenced, { target: 'probing' }],
        'network.online': { target: 'waking', actions: 'goOnline' },
        'clock.jumped': 'waking',
        'link.listening': listening('settling'),
      },
      always: { guard: 'stable', target: 'steady', actions: 'trustAnew' },
      after: keepalive,
    },
    steady: {
      description: 'The link has proved itself.',
      on: {
        suspect: [fenced, { target: 'probing' }],
        'network.online': { target: 'waking', actions: 'goOnline' },
        'clock.jumped': 'waking',
        'link.listening': listening('steady'),
      },
      after: keepalive,
    },
    waking: {
      description:
        'The machine or the network was away. Probes are spread, so that a hundred connections do not ask at once.',
      on: {
        suspect: [fenced, { target: 'probing', actions: relisten }],
      },
      after: {
        wakePause: { target: 'probing', actions: relisten },
      },
    },
    probing: {
      description: 'One request asks for a sign of life; any answer is one.',
      entry: { type: 'tellLink', params: { type: 'probe' } },
      on: {
        'probe.answered': answered,
        'probe.failed': [
          { guard: 'probesLeft', target: 'doubting', actions: 'countMissedProbe' },
          { actions: 'failProbes' },
        ],
      },
      after: {
        probeTimeout: [
          { guard: 'probesLeft', target: 'probing', reenter: true, actions: 'countMissedProbe' },
          { actions: 'missProbes' },
        ],
      },
    },
    doubting: {
      description: 'A probe failed at once. The next follows after a moment; if it fails too, nobody works there.',
      on: {
        'probe.answered': answered,
      },
      after: {
        probePause: 'probing',
      },
    },
  },
})
