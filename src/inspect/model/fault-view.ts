import type { Evidence } from '../../../machines/evidence.js'
import type { Fault } from '../../../machines/faults.js'
import type { FaultView } from '../messages.js'
import { evidenceList, pick, safeText, safeWord } from '../safe/index.js'

/** Most characters of what a server or a child wrote. */
const QUOTED = 1_200

/**
 * A fault for the page of this machine. Unlike what other inspectors get, it quotes what the server and its stderr
 * said, as the errors and reports of the library do: redacted where it was taken, and once more here.
 */
export function faultView(fault: Fault, agoMs: number): FaultView {
  const { evidence } = fault
  return {
    code: safeWord(fault.code) ?? '',
    class: safeWord(fault.class) ?? '',
    scope: safeWord(fault.scope) ?? '',
    rule: safeWord(fault.rule) ?? '',
    advice: safeText(fault.advice) ?? '',
    summary: safeText(evidence.summary) ?? '',
    evidence: facts(evidence),
    agoMs,
  }
}

const words: Readonly<Record<string, string>> = {
  'http.status': 'HTTP status',
  'http.exchange': 'exchange',
  'exit.code': 'exit code',
  'exit.signal': 'signal',
  'rpc.code': 'JSON-RPC code',
  sessionSent: 'session id sent',
  tokenState: 'token',
  credentialAgeMs: 'token held for',
  protocolVersion: 'protocol version',
  retryAfterMs: 'retry after',
  afterMs: 'waited',
  refusedForMs: 'refused for',
  everReady: 'was ready before',
}

function facts(evidence: Evidence): (readonly [string, string])[] {
  const rows: [string, string][] = []
  const add = (path: string, value: unknown) => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value)) add(path === '' ? key : `${path}.${key}`, one)
    } else if (value !== undefined) rows.push([words[path] ?? path, wordOf(path, value)])
  }
  // Which wire and what sort of sign it was, the code has said already.
  const { kind, wire, ...list } = evidenceList
  add('', pick(evidence, list))
  const quoted = (name: string, value: unknown) => {
    const text = safeText(value, QUOTED)
    if (text !== undefined && text.trim() !== '') rows.push([name, text])
  }
  quoted('target', evidence.target)
  quoted('server said', evidence.rpc?.message)
  quoted('body', evidence.http?.body)
  quoted('stderr', evidence.exit?.stderrTail)
  return rows
}

function wordOf(path: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return path.endsWith('Ms') ? `${Math.round(Number(value))} ms` : String(value)
}
