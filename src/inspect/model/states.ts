/** State values, as XState has them, in the forms that the page needs. */

/** `backoff.waiting`; `linked.ready (health.steady, catalog.fresh)`. */
export function stateText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value : ''
  const parts = Object.entries(value).map(([name, inner]) => {
    const rest = stateText(inner)
    if (rest === '') return name
    return rest.startsWith('(') ? `${name} ${rest}` : `${name}.${rest}`
  })
  return parts.length === 1 ? String(parts[0]) : `(${parts.join(', ')})`
}

/** Paths of all active states, outer ones before those in them. */
export function activeStates(value: unknown, around = ''): string[] {
  const below = (name: string) => (around === '' ? name : `${around}.${name}`)
  if (typeof value === 'string') return value === '' ? [] : [below(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [below(name), ...activeStates(inner, below(name))])
}
