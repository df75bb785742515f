/** What is read from what the runs print and write. */

/** Rows of a name, two spaces or more, and a value. */
export function figures(printed: string): Record<string, string> {
  const rows = printed.split('\n').flatMap((line) => {
    const [, name, value] = /^(\S.*?) {2,}(\S.*)$/.exec(line) ?? []
    // How fast a machine is does not belong to what was shown.
    return name !== undefined && value !== undefined && name !== 'a second' ? [[name, value] as const] : []
  })
  if (rows.length === 0) throw new Error('nothing of what was printed is a figure')
  return Object.fromEntries(rows)
}

/** What was seen in a situation of the lab. */
export interface Situation {
  readonly situation: string
  readonly [figure: string]: string | number | null
}

/** One line each; the last of those that were played again. */
export function situations(lines: string): Situation[] {
  const all: Situation[] = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const last = new Map(all.map((one) => [one.situation, one]))
  if (last.size === 0) throw new Error('the lab has left no results')
  return [...last.values()].sort((a, b) => (a.situation < b.situation ? -1 : 1))
}
