import type { Evidence } from '../evidence.js'
import type { Rule } from '../faults.js'
import { guessedVersion, offeredVersion, opening, speaksOfVersion, status, toInitialize, tried } from '../signs.js'

/** An answer in the protocol, or the status for a bad request; a page that happens to hold the words is none. */
const mayNameVersion = (e: Evidence): boolean => e.kind === 'rpc' || status(400)(e)

/** Versions and wires. */
export const dialectRules: readonly Rule[] = [
  {
    id: 'version-offered',
    because: 'the server names versions it speaks, and one of them is ours',
    source: 'specification 2025-11-25 lifecycle; deviations 29, 30; report 08.04',
    when: (e) => toInitialize(e) && speaksOfVersion(e) && offeredVersion(e) !== undefined,
    ruling: {
      class: 'mismatch',
      scope: 'link',
      code: 'version.unsupported',
      delivery: 'refused',
      dialect: (e) => ({ version: offeredVersion(e) }),
      advice: 'The server speaks another protocol version; a common one is offered.',
    },
  },
  {
    id: 'version-guessed',
    because: 'the server does not speak the version and names none that it does: an older one may be it',
    source: 'deviations 29, 30',
    when: (e) => toInitialize(e) && speaksOfVersion(e) && guessedVersion(e) !== undefined && mayNameVersion(e),
    ruling: {
      class: 'mismatch',
      scope: 'link',
      code: 'version.unsupported',
      delivery: 'refused',
      dialect: (e) => ({ version: guessedVersion(e) }),
      advice: 'The server does not speak this protocol version and does not say which; an older one is offered.',
    },
  },
  {
    id: 'version-unsupported',
    because: 'no version is common to both',
    source: 'specification 2025-11-25 lifecycle; report 08.03',
    when: (e) => toInitialize(e) && speaksOfVersion(e) && e.kind !== 'http',
    ruling: {
      class: 'permanent',
      transientOnceReady: true,
      scope: 'link',
      code: 'version.unsupported',
      delivery: 'refused',
      advice: 'The server and this library share no protocol version. Update one of them.',
    },
  },
  {
    id: 'legacy-wire',
    because: 'a server of the 2024-11-05 revision answers so to the first POST',
    source: 'specification 2025-11-25 transports, backwards compatibility',
    when: (e) =>
      e.wire === 'http' &&
      toInitialize(e) &&
      status(400, 404, 405)(e) &&
      e.legacyAllowed === true &&
      // Once it was ready, such an answer is that of a proxy whose server is being replaced.
      e.everReady !== true &&
      !tried(e, 'wire sse') &&
      !tried(e, 'wire http'),
    ruling: {
      class: 'mismatch',
      scope: 'link',
      code: 'wire.legacy',
      delivery: 'refused',
      dialect: () => ({ wire: 'sse' }),
      advice: 'The address does not take Streamable HTTP; the older HTTP+SSE wire is tried.',
    },
  },
  {
    id: 'streamable-wire',
    because: 'an address that was served by the older wire may have been given a newer server',
    source: 'specification 2025-11-25 transports, backwards compatibility',
    when: (e) =>
      e.wire === 'sse' &&
      opening(e) &&
      (status(400, 404, 405, 406)(e) || e.kind === 'malformed') &&
      e.legacyAllowed === true &&
      !tried(e, 'wire http') &&
      !tried(e, 'wire sse'),
    ruling: {
      class: 'mismatch',
      scope: 'link',
      code: 'wire.streamable',
      delivery: 'not-sent',
      dialect: () => ({ wire: 'http' }),
      advice: 'The older HTTP+SSE wire no longer serves this address; Streamable HTTP is tried.',
    },
  },
]
