/** Streams that are cut, and servers that do not answer. */
import type { Fault } from '../../../machines/faults.js'
import type { CaseFile } from '../case-file.js'
import { bad, type Check, ok, unknown } from '../finding.js'
import { type RegularCut, regularCut, restarted } from '../patterns.js'
import { ago, isOvercome, isProcess, isWeb, recentCallFaults, seen, since, subject } from '../reading.js'
import { count, span } from '../words.js'

/** Idle limits that proxies have by default, in seconds. */
const usual: Readonly<Record<number, string>> = {
  55: "Heroku's router has this limit",
  60: 'nginx (proxy_read_timeout), AWS load balancers and HAProxy templates have this limit by default',
  100: 'Cloudflare has this limit',
  120: 'some API gateways have this limit',
  240: 'Azure load balancers have this limit',
  300: 'Cloud Run, undici and many gateways have this limit',
  600: 'Google load balancers have this limit',
}

export const idleProxy: Check = {
  id: 'idle-proxy',
  question: 'Do streams stay open while nothing is said (no proxy that cuts them)?',
  applies: isWeb,
  look(file) {
    const found = regularCut(file)
    if (found) return bad(evidenceOf(found), adviceOn(found, file))
    const { cuts, counters } = file
    if (cuts.length > 0) return unknown(`${count(cuts.length, 'stream')} ended, without a rule that could be seen`)
    if (counters.postOnly) return ok('the server offers no stream that could be cut')
    return file.usable ? ok('none was cut') : unknown('there is none now')
  },
}

function evidenceOf({ idleMs, times, streams }: RegularCut): string {
  const which = {
    listening: 'the listening stream was',
    replies: 'streams of answers were',
    session: 'the stream of the session was',
  }
  const known = usual[Math.round(idleMs / 1_000)]
  return `${which[streams]} cut ${times} times after ${span(idleMs)} without a byte${known === undefined ? '' : `; ${known}`}`
}

/** Well within the limit, so that a late timer does not miss it. */
const within = (idleMs: number): number => Math.max(500, Math.floor((idleMs * 0.6) / 100) * 100)

function adviceOn({ idleMs, streams }: RegularCut, { policy }: CaseFile): string {
  const ms = within(idleMs)
  const limit = `Raise the idle limit of the proxy beyond ${span(idleMs)} (nginx: proxy_read_timeout), or`
  if (streams === 'session')
    return `${limit} set \`policy.keepaliveMs\` to ${ms} (it is ${policy.keepaliveMs}): on this wire the answers to probes keep the stream in use.`
  if (streams === 'replies')
    return `${limit} let the server send progress or a comment at least every ${span(ms)} while it works.`
  return `${limit} let the server send a comment on the stream at least every ${span(ms)}; probes of the client go over other connections and do not help here. The stream is opened again each time, and lists are read again.`
}

/** No answer by the deadline of a handshake, a probe or a call; starts of processes have a check of their own. */
const isSilence = ({ evidence: { kind, phase, wire, afterMs } }: Fault): boolean =>
  (kind === 'probe' && afterMs !== undefined) ||
  kind === 'timeout' ||
  (kind === 'deadline' && !(wire === 'stdio' && ['connecting', 'initializing', 'resuming'].includes(phase)))

export const responsive: Check = {
  id: 'responsive',
  question: 'Does the server answer in time?',
  look(file) {
    const fault = subject(file)
    if (fault && isSilence(fault) && isOvercome(file) && restarted(file))
      return ok('it did not, while it was restarted')
    if (fault && isSilence(fault)) {
      const { kind, afterMs, phase } = fault.evidence
      const what = kind === 'probe' ? 'probes' : `anything while ${phase}`
      return bad(
        `it did not answer ${what} within ${span(afterMs ?? 0)}${since(file)}`,
        isProcess(file)
          ? 'The process lives but is stuck: see what it does (a debugger, `py-spy`, `kill -USR1` for Node.js). It is replaced by a new one.'
          : 'Something takes the request and says nothing: see whether the server is stuck, and whether a proxy or firewall swallows answers.',
      )
    }
    const late = recentCallFaults(file).filter((one) => isSilence(one.fault))
    const last = late.at(-1)
    if (last) {
      const { method, afterMs } = last.fault.evidence
      return bad(
        `${count(late.length, 'call')} had no answer in time, the last (${method ?? 'a request'}, ${span(afterMs ?? 0)}) ${ago(file, last.at)}; the connection itself is alive`,
        'Give slow tools more time (`timeoutMs`, or `maxTotalMs` where they report progress), or see what keeps the server busy.',
      )
    }
    if (seen(file, isSilence).length > 0 && !file.usable) return unknown('it did not, earlier in this trouble')
    return file.usable
      ? ok(file.rttMs === undefined ? 'it does' : `a probe took ${span(file.rttMs)}`)
      : unknown('nothing is asked now')
  },
}
