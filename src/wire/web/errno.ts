/** Which failure of the network it was, dug out of whatever the backend threw. */

/**
 * The first code found from the outside in: `fetch` hides it in `cause`, dialling several addresses in an
 * `AggregateError`. `undefined` when there is none.
 */
export function errnoOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 5) return undefined
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code
  const inner = 'cause' in error ? errnoOf(error.cause, depth + 1) : undefined
  if (inner !== undefined) return inner
  if (!('errors' in error) || !Array.isArray(error.errors)) return undefined
  for (const one of error.errors) {
    const code = errnoOf(one, depth + 1)
    if (code !== undefined) return code
  }
  return undefined
}

const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
])

/** Failures that come before the first byte of a request: refused, no such name, no route, an untrusted certificate. */
export function provesUnsent(errno: string | undefined): boolean {
  return errno !== undefined && (beforeSending.has(errno) || /CERT|SELF_SIGNED|UNABLE_TO_/.test(errno))
}
