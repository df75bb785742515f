import type { Rule } from '../faults.js'
import { opening, untrustedCertificate } from '../signs.js'

/** Sockets and names. */
export const networkRules: readonly Rule[] = [
  {
    id: 'certificate-untrusted',
    because: 'a certificate does not become trusted by trying again',
    when: untrustedCertificate,
    ruling: {
      class: 'permanent',
      transientOnceReady: true,
      scope: 'link',
      code: 'tls.{errno}',
      delivery: 'not-sent',
      advice:
        'The certificate of {target} is not trusted ({errno}). Renew it, or name its authority in NODE_EXTRA_CA_CERTS.',
    },
  },
  {
    id: 'fetch-failed',
    because: 'fetch tells a page no reason: a server that is away looks like one that does not let the page in',
    when: (e) => e.kind === 'network' && e.errno === undefined && opening(e),
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'network.{errno}',
      advice:
        'The server at {target} could not be reached, and fetch tells no reason. Is it running, and does it answer pages of this origin (CORS)? The console of a browser says more.',
    },
  },
  {
    id: 'unreachable',
    because:
      'refused connections, failed name look-ups and failed handshakes pass when the server or the network returns',
    source: 'reports 01.09, 05.03',
    when: (e) => e.kind === 'network' && (e.sent === false || opening(e)),
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'network.{errno}',
      advice: 'The server at {target} could not be reached ({errno}). Is it running, and is the network up?',
    },
  },
  {
    id: 'reset-in-call',
    because: 'one socket broke after the request had left: that call may have run, other sockets may be well',
    source: 'SDK trap 27; report 07.02',
    when: (e) => e.kind === 'network',
    ruling: {
      class: 'transient',
      scope: 'call',
      code: 'network.{errno}',
      suspect: true,
      advice: 'The connection broke after the request had been sent ({errno}); it may have run.',
    },
  },
]
