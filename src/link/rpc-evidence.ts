import type { RpcEvidence } from '../../machines/evidence.js'
import { redact, redactValue } from '../redact.js'

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
