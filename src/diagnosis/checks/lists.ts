/** Lists of tools, resources and prompts: whether they are the server's present ones, and what is gone from them. */
import type { CaseFile, ChangeRecord } from '../case-file.js'
import { bad, type Check, ok, unknown } from '../finding.js'
import { ago } from '../reading.js'
import { count, names } from '../words.js'

/** What is gone for longer than this is no news any more, in milliseconds. */
const NEWS_MS = 60 * 60_000

export const lists: Check = {
  id: 'lists',
  question: 'Were the lists read again, and is everything still in them?',
  look(file) {
    const [failed] = Object.entries(file.lists.errors)
    if (failed && file.usable)
      return bad(
        `${label(failed[0])} could not be read (${failed[1].code})`,
        `Its last good content serves, and it is asked for again. ${failed[1].advice}`,
      )
    const recent = file.changes.filter(({ at }) => file.now - at <= NEWS_MS)
    const gone = recent.filter((change) => stillGone(change, recent).length > 0)
    const last = gone.at(-1)
    if (last)
      return bad(
        gone.map((change) => `${label(change.list)} without ${names(stillGone(change, recent))}`).join('; ') +
          ` since ${ago(file, last.at)}`,
        'The server no longer offers them: an update may have renamed or removed them, or it lacks a setting that enables them. Calls to them are refused by it.',
      )
    if (file.lists.fetchedAt === 0) return unknown('they have not been read yet')
    return ok(`read ${ago(file, file.lists.fetchedAt)}: ${contents(file)}${news(recent)}`)
  },
}

/** Removed then, and not added again since. */
const stillGone = (change: ChangeRecord, all: readonly ChangeRecord[]): string[] =>
  change.removed.filter(
    (name) => !all.some(({ at, list, added }) => list === change.list && at > change.at && added.includes(name)),
  )

const labels: Readonly<Record<string, string>> = { resourceTemplates: 'resource templates' }
const label = (list: string): string => labels[list] ?? list

function contents({ lists: { counts } }: CaseFile): string {
  const parts = Object.entries(counts).filter(([, n]) => n > 0)
  return parts.length === 0 ? 'empty' : parts.map(([list, n]) => count(n, label(list).replace(/s$/, ''))).join(', ')
}

function news(changes: readonly ChangeRecord[]): string {
  const added = changes.flatMap((change) => change.added)
  const changed = changes.flatMap((change) => change.changed)
  if (added.length + changed.length === 0) return ', nothing new'
  return `; ${added.length} added, ${changed.length} changed`
}
