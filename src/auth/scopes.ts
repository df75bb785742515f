const words = (scope: string | undefined): string[] => scope?.split(/\s+/).filter((word) => word !== '') ?? []

/** All scopes of both, each once, in order: more is asked for without giving up what there is (report 04.05). */
export const unite = (...scopes: readonly (string | undefined)[]): string | undefined => {
  const all = new Set(scopes.flatMap(words))
  return all.size === 0 ? undefined : [...all].join(' ')
}

/** Whether every scope that is wanted is among those that are had. */
export const covers = (had: string | undefined, wanted: string | undefined): boolean => {
  const all = new Set(words(had))
  return words(wanted).every((word) => all.has(word))
}
