import type { Evidence } from './evidence.js'
import type { Fault, FaultClass, Rule } from './faults.js'
import { rules as ownRules } from './rules/index.js'

/**
 * Judges evidence by an ordered list of rules; the first that matches wins. The user's own rules come first. The list
 * ends in rules that always match and fall to the safe side: wait, and do not send anything twice.
 */
export function classify(evidence: Evidence, userRules: readonly Rule<FaultClass>[] = []): Fault {
  const rule = userRules.find((r) => holds(r, evidence)) ?? ownRules.find((r) => r.when(evidence)) ?? ownRules.at(-1)
  if (!rule) throw new Error('the list of rules is empty')
  const { ruling } = rule
  const dialect = ruling.dialect?.(evidence)
  return {
    class: ruling.transientOnceReady && evidence.everReady ? 'transient' : ruling.class,
    code: fill(ruling.code, evidence),
    scope: ruling.scope,
    delivery: evidence.sent === false ? 'not-sent' : (ruling.delivery ?? 'unknown'),
    ...(evidence.retryAfterMs !== undefined && { retryAfterMs: evidence.retryAfterMs }),
    ...(dialect && { dialect }),
    ...(ruling.suspect && { suspect: true as const }),
    ...(ruling.endsSession && { endsSession: true as const }),
    advice: fill(ruling.advice, evidence),
    rule: rule.id,
    evidence,
  }
}

/** A user's rule that throws does not match: it must not take the connection down. */
function holds(rule: Rule<FaultClass>, evidence: Evidence): boolean {
  try {
    return rule.when(evidence)
  } catch {
    return false
  }
}

function fill(template: string, evidence: Evidence): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = facts[name]?.(evidence)
    return value === undefined || value === null ? whole.slice(1, -1) : String(value)
  })
}

/** What codes and advice may name. */
const facts: Readonly<Record<string, (evidence: Evidence) => string | number | null | undefined>> = {
  status: (e) => e.http?.status,
  errno: (e) => e.errno ?? (e.kind === 'network' ? 'unnamed' : undefined),
  phase: (e) => e.phase,
  method: (e) => e.method,
  target: (e) => e.target,
  subject: (e) => e.subject,
  rpc: (e) => e.rpc?.code,
  seconds: (e) => (e.afterMs === undefined ? undefined : Math.round(e.afterMs / 100) / 10),
  location: (e) => e.http?.location,
  contentType: (e) => e.http?.contentType ?? 'no content type',
  exit: (e) => (e.exit?.signal ? `signal ${e.exit.signal}` : `code ${e.exit?.code ?? 'unknown'}`),
}
