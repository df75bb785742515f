/**
 * What the library promises. Tests cite a promise by its id in their title, in brackets: `it('is refused … (P15)')`. A
 * promise that no test cites fails the run, and so does a test that cites one that is not here. docs/promises.md is
 * written from this list.
 */
export interface Promised {
  readonly sentence: string
  /** The bound that is tested, where there is a number. */
  readonly figure?: string
  /** How it is shown. */
  readonly method: string
}

const model = 'every event in every state of the chart'
const faults = 'faults played on real sockets and pipes'
const driven = 'a driven clock'
const canaries = 'canaries planted wherever a secret passes, looked for in every output'

export const promises: Readonly<Record<string, Promised>> = {
  P1: {
    sentence: 'Every call settles exactly once, by its deadline, whatever breaks.',
    figure: '0 lost',
    method: `${faults}, ${driven}; soak, simulation and lab count it under load`,
  },
  P2: {
    sentence: 'No unsafe call is sent again once its outcome is unknown.',
    figure: '0 run twice',
    method: 'every way to fail × every hint × trusted or not; soak, simulation and lab count it under load',
  },
  P3: {
    sentence: 'A call settles soon after its reply stream has died without a way to go on.',
    figure: '≤ 100 ms',
    method: `${faults}; the clock of the client stands, so that no timer of it can be what settles the call`,
  },
  P4: {
    sentence: 'A connection has at most one child process, and speaks in one session, at any time.',
    figure: '1',
    method: `${model}; ${faults}`,
  },
  P5: { sentence: 'What no waiting cures is not tried again.', figure: '0 attempts', method: `${model}; ${faults}` },
  P6: {
    sentence: 'No request is made faster than the policy allows, whatever the server does.',
    method: `${driven}, over minutes of it; soak and simulation`,
  },
  P7: {
    sentence: 'Attempts are forgotten only by stability, a command, or new credentials; not by connecting.',
    figure: '10 s of proof',
    method: `${model}; ${driven}`,
  },
  P8: {
    sentence: 'Callers that fail together cause one recovery.',
    figure: '1 handshake for 50 callers',
    method: faults,
  },
  P9: { sentence: 'An initialize never carries the id of a dead session.', method: `${model}; ${faults}` },
  P10: {
    sentence: 'After every new session the lists are read anew, and what differs is told.',
    method: faults,
  },
  P11: {
    sentence: 'Subscriptions, log level and the answers to a server’s requests are as asked for when ready.',
    method: faults,
  },
  P12: {
    sentence: 'Calls that meet an expired token together cause one refresh; so do several processes.',
    figure: '1 for 50 calls, 1 for 5 processes',
    method: 'a certified authorization server, real processes',
  },
  P13: {
    sentence: 'A good refresh token is never thrown away.',
    method: 'token endpoints that fail in every way; a disk that is full in the lab',
  },
  P14: {
    sentence: 'A 401, or a scope that is missing, on one call aborts no other.',
    method: 'calls in flight while a login or a step-up is under way',
  },
  P15: { sentence: 'The queue of calls is bounded.', figure: '256 by default', method: driven },
  P16: {
    sentence: 'A half-open link is declared dead within keepalive and two probes.',
    figure: '≤ 40 s by default',
    method: `${driven}; dropped packets in the lab`,
  },
  P17: { sentence: 'A server that is silent because it is busy is not declared dead.', method: driven },
  P18: {
    sentence: 'close() settles within its deadline in every state, and leaves no child, socket, timer or listener.',
    figure: '≤ 5 s by default; 0 left',
    method: `${faults}; soak compares what the process holds before and after`,
  },
  P19: { sentence: 'No secret shows in any output.', method: canaries },
  P20: { sentence: 'One bad server delays no other.', method: 'hubs of good and bad servers' },
  P21: { sentence: 'The status is measured: it is never ready over a wire known to be dead.', method: faults },
  P22: { sentence: 'The disconnect that began a trouble is told until it is over.', method: model },
  P23: { sentence: 'Every state but closed can reach ready when the server is well again.', method: model },
  P24: {
    sentence: 'A simulation that fails replays from its seed.',
    method: 'a sabotaged library, its failing seed, and the printed command',
  },
  P25: {
    sentence: 'What is not known falls to the safe side: wait, and do not send again.',
    method: 'generated evidence',
  },
}
