import type { Result } from '../protocol.js'

/** No server needs more; one that does not stop is broken (deviation 35). */
const MAX_PAGES = 1_000

/**
 * Reads a list page by page. A cursor that was seen before, or too many pages, end it with what has come: a server
 * that repeats itself has given all it has (deviation 35: one endless list of 160 tools).
 */
export async function readPages(
  ask: (params: Record<string, unknown> | undefined) => Promise<Result>,
  key: string,
): Promise<unknown[]> {
  const items: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await ask(cursor === undefined ? undefined : { cursor })
    const part = result[key]
    if (Array.isArray(part)) items.push(...part)
    const next = result.nextCursor
    // An empty cursor ends the list with most servers and begins it anew with others; both ways nothing more comes.
    if (typeof next !== 'string' || next === '' || seen.has(next)) break
    seen.add(next)
    cursor = next
  }
  return items
}
