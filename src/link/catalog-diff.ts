import { type Catalog, type ListKind, listKinds } from './catalog.js'

/** What changed in one list; items by their key: name, uri or uriTemplate. */
export interface ListChange {
  readonly list: ListKind
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Same key, other content. */
  readonly changed: readonly string[]
}

/** What differs between two catalogs; lists in which nothing does are left out. */
export function diffCatalogs(before: Catalog, after: Catalog): ListChange[] {
  return listKinds.flatMap((list) => {
    if (before[list] === after[list]) return []
    const [old, now] = [byKey(before, list), byKey(after, list)]
    const added = [...now.keys()].filter((key) => !old.has(key))
    const removed = [...old.keys()].filter((key) => !now.has(key))
    const changed = [...now].filter(([key, item]) => old.has(key) && !isSame(old.get(key), item)).map(([key]) => key)
    return added.length + removed.length + changed.length > 0 ? [{ list, added, removed, changed }] : []
  })
}

/** What an item says is written out only where there is another to compare it with: the first reading of a list has none. */
function byKey(catalog: Catalog, list: ListKind): Map<string, unknown> {
  switch (list) {
    case 'resources':
      return new Map(catalog.resources.map((item) => [item.uri, item]))
    case 'resourceTemplates':
      return new Map(catalog.resourceTemplates.map((item) => [item.uriTemplate, item]))
    default:
      return new Map(catalog[list].map((item) => [item.name, item]))
  }
}

/** The order in which a server writes the members of an object tells nothing; some write them in another each time. */
const isSame = (before: unknown, after: unknown): boolean =>
  JSON.stringify(before) === JSON.stringify(after) || canonical(before) === canonical(after)

/** As JSON, with the members of every object in the order of their names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** A short text that differs when anything in the lists differs. It tells sameness and is no protection of anything. */
export function catalogHash(catalog: Catalog): string {
  return textHash(canonical(listKinds.map((kind) => catalog[kind])))
}

/** FNV-1a over two lanes, as 16 hex digits. */
export function textHash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x1000193]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ (code + i), 0x85ebca6b)
  }
  return [a, b].map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('')
}
