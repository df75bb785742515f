/** Our own behaviour: what was kept, how often is tried, when next. */
import type { HoldReason } from '../../../machines/types.js'
import { bad, type Check, ok, unknown } from '../finding.js'
import { ago } from '../reading.js'
import { count, plain, span } from '../words.js'

const MINUTE_MS = 60_000
/** So many attempts in a minute that no policy planned are a storm. */
const STORM = 10

export const storm: Check = {
  id: 'storm',
  question: 'Do we leave the server in peace (no storm of attempts)?',
  look(file) {
    const lately = file.links.filter(({ begunAt }) => file.now - begunAt < MINUTE_MS)
    const asked = lately.filter((link) => link.asked).length
    const latest = `${count(lately.length, 'attempt')} in the last minute`
    if (asked < STORM) return ok(latest)
    return bad(
      `${latest}, ${asked} of them before the policy would have tried`,
      'The application calls reconnect(), retry() or connect() in a loop. Leave the trying to the connection, or wait between them.',
    )
  },
}

export const backoff: Check = {
  id: 'backoff',
  question: 'Is the connection being made again, with pauses?',
  look(file) {
    const { usable, stopped, status, counters, policy, nextAttemptAt, now } = file
    if (usable) return ok('there is no need')
    if (file.held) return ok(`it is held: ${holds[file.held]}`)
    if (status === 'backoff') {
      const next = nextAttemptAt === undefined ? '' : `, next in ${span(nextAttemptAt - now)}`
      const asked = counters.coolMs > 0 ? `; the server asked for ${span(counters.coolMs)}` : ''
      return ok(`${counters.attempts} of ${policy.maxAttempts} attempts used${next}${asked}`)
    }
    if (status !== 'failed') return stopped ? unknown('the connection is closed') : ok('an attempt is under way')
    if (file.trouble?.outcome !== 'failed' && policy.slowProbeMs !== false)
      return ok(`the attempts are used up; tried again about every ${span(policy.slowProbeMs)}, or when a call comes`)
    return ok('no: waiting would not cure this. retry() or configure() sets it going again')
  },
}

const holds: Readonly<Record<HoldReason, string>> = {
  cooldown: 'the server named a time, to this connection or another, and it is served',
  handshakes: 'enough handshakes with this origin are under way',
  starts: 'another start of this command is watched first',
}

export const reason: Check = {
  id: 'reason',
  question: 'Is the first cause known, apart from what failed later?',
  look(file) {
    const { trouble } = file
    if (!trouble) return ok('nothing was lost')
    const first = trouble.origin ?? { at: trouble.startedAt, fault: trouble.reason }
    return ok(`${first.fault.code}: ${plain(first.fault.evidence.summary)}, ${ago(file, first.at)}`)
  },
}
