// Times and numbers as a person reads them.

/** @param {number} ms */
export function duration(ms) {
  const s = Math.max(0, ms) / 1000
  if (s < 0.0995) return `${Math.round(s * 1000)} ms`
  if (s < 9.95) return `${s.toFixed(1)} s`
  if (s < 99.5) return `${Math.round(s)} s`
  if (s < 5970) return `${Math.round(s / 60)} min`
  if (s < 172_000) return `${Math.round(s / 3600)} h`
  return `${Math.round(s / 86_400)} d`
}

/** @param {number} ms */
export function ago(ms) {
  return ms < 1000 ? 'just now' : `${whole(ms)} ago`
}

/**
 * In whole seconds, so that a text that is shown changes once a second at most.
 *
 * @param {number} ms
 */
export function whole(ms) {
  return ms < 99_500 ? `${Math.max(0, Math.floor(ms / 1000))} s` : duration(ms)
}

/** @param {number} ms */
export function countdown(ms) {
  return ms <= 0 ? 'now' : `in ${ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : whole(ms)}`
}

/**
 * @param {number} n
 * @param {string} one
 */
export function count(n, one) {
  return `${n} ${n === 1 ? one : `${one}s`}`
}
