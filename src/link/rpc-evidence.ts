import type { RpcEvidence } from '../../machines/evidence.js'
import { redact, redactValue } from '../redact.js'
import type { Target } from './target.js'

/** Of the server's message; the whole of it is for whoever called. */
const MESSAGE_LENGTH = 500
/** Of the server's data, as JSON. */
const DATA_LENGTH = 1_000

/** A server's error as it may be shown around: cut, and without what may be secret. */
export function shownError({ code, message, data }: RpcEvidence, secrets: readonly string[]): RpcEvidence {
  const shown = redact(message.slice(0, MESSAGE_LENGTH), {}, secrets)
  return isSmall(data) ? { code, message: shown, data: redactValue(data, {}, secrets) } : { code, message: shown }
}

function isSmall(data: unknown): boolean {
  if (data === undefined) return false
  try {
    return JSON.stringify(data).length <= DATA_LENGTH
  } catch {
    return false
  }
}

/** Values of a target that must not be shown wherever a server repeats them. */
export function secretsOf(target: Target): string[] {
  if ('command' in target)
    return Object.entries(target.env ?? {}).flatMap(([name, value]) => (isSecret(name) && value ? [value] : []))
  if (!('url' in target) || typeof target.headers !== 'object') return []
  return Object.values(target.headers)
    .flatMap((value) => [value, ...value.split(/[\s;=,]+/)])
    .filter(({ length }) => length >= 6)
}

const isSecret = (name: string): boolean => /token|secret|password|key|auth|credential/i.test(name)
