/** Sessions: of which server, whether they live, and whether they were made anew. */
import type { Fault } from '../../../machines/faults.js'
import type { CaseFile } from '../case-file.js'
import { bad, type Check, ok, unknown } from '../finding.js'
import { isLostAtOnce, isSessionLost } from '../kinds.js'
import { replaced, restarted, scattered } from '../patterns.js'
import { ago, endOf, isOvercome, isProcess, isWeb, obstacle, subject, troubleFaults } from '../reading.js'
import { count, plain, span } from '../words.js'

export const instances: Check = {
  id: 'instances',
  question: 'Is it always the same instance of the server that is reached?',
  applies: isWeb,
  look(file) {
    const times = scattered(file)
    if (times !== undefined)
      return bad(
        `${count(times, 'session')} ${times === 1 ? 'was' : 'were'} unknown soon after the server had given ${times === 1 ? 'it' : 'them'} out`,
        'Several instances seem to stand behind a load balancer. Let it keep clients apart (sticky sessions, by cookie or by the header Mcp-Session-Id), let the instances share their sessions, or run the server without sessions.',
      )
    return file.usable ? ok('sessions are known where they are used') : unknown('it did not come so far')
  },
}

export const restart: Check = {
  id: 'restart',
  question: 'Is the server the same as before (not restarted, not deployed anew)?',
  look(file) {
    const found = restarted(file)
    const isBack = !isProcess(file) || replaced(file) !== undefined
    if (found && isBack)
      return bad(
        `restarted or deployed anew ${ago(file, found.at)}: ${found.signs.join(', ')}${backAfter(file)}`,
        file.usable
          ? 'Nothing is to be done: the session was made anew and the lists were read again. What the server kept in memory is gone.'
          : 'The connection comes back by itself when the server does.',
      )
    const lost = troubleFaults(file).some(({ fault }) => isSessionLost(fault))
    if (lost && !scattered(file)) return unknown('the session was lost, and nothing else speaks of a restart')
    const sessions = file.links.filter(({ session }) => session !== undefined)
    if (sessions.length === 0) return unknown('it did not come so far')
    const server = sessions.at(-1)?.session?.server
    return ok(`${plain(`${server?.name} ${server?.version}`, 60)}, as before`)
  },
}

const backAfter = (file: CaseFile): string =>
  isOvercome(file) ? `; back after ${span(file.trouble?.durationMs ?? 0)}` : ''

export const session: Check = {
  id: 'session',
  question: 'Does the server still know the session?',
  applies: isWeb,
  look(file) {
    const fault = subject(file)
    if (fault?.code === 'session.occupied')
      return bad('another client holds the only session that the server gives out', fault.advice)
    if (fault && /^session\.listening-/.test(fault.code))
      return bad(
        plain(fault.evidence.summary),
        'The server takes a dead stream for a live one; a new session frees it. A proxy that drops connections without a word brings this about.',
      )
    const lost = troubleFaults(file).findLast((one) => isSessionLost(one.fault) || isLostAtOnce(one.fault))
    if (lost && (restarted(file) || scattered(file)) && file.usable) return ok('the present one; it was made anew')
    if (obstacle(file) && lost && (restarted(file) || scattered(file)))
      return bad(gone(file, lost.fault), renewing(file))
    if (fault && (isSessionLost(fault) || (lost && obstacle(file))))
      return bad(
        gone(file, lost?.fault ?? fault),
        file.policy.onSessionLost === 'fail'
          ? 'The application said that a lost session ends the connection (`onSessionLost`). Connect anew when its state may begin anew.'
          : 'It was made anew. If it happens often, let the server keep sessions for longer, or outside of its memory.',
      )
    return file.usable
      ? ok(file.counters.postOnly ? 'calls are answered in it' : 'it is in use')
      : unknown('there is none now')
  },
}

function gone(file: CaseFile, fault: Fault): string {
  const held = file.links.findLast(({ session: given, fault: its }) => given !== undefined && its === fault)
  const age = held?.endedAt === undefined ? '' : ` after ${span(held.endedAt - held.begunAt)}`
  const { http, rpc } = fault.evidence
  const said = rpc?.message ?? (http ? `HTTP ${http.status}` : fault.evidence.summary)
  return `the server no longer knew it${age}: ${plain(said, 80)}`
}

const renewing = (file: CaseFile): string =>
  file.stopped ? 'See the item above, then try again.' : 'A new one is made as soon as the server lets it.'

export const handshake: Check = {
  id: 'handshake',
  question: 'Was the handshake made again after the loss?',
  look(file) {
    const ready = file.links.findLast(({ readyAt }) => readyAt !== undefined)
    if (!file.usable || !ready) return unknown('the connection is not ready')
    const how = ready.resumed ? 'the old session is gone on with' : 'a session was agreed on'
    return ok(`${how} ${ago(file, ready.readyAt ?? file.now)}${afterTrouble(file)}`)
  },
}

const afterTrouble = (file: CaseFile): string =>
  isOvercome(file) ? `, at the end of the last trouble (${ago(file, endOf(file))})` : ''
