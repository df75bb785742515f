import type { Fault } from '../../machines/faults.js'
import type { Capabilities, Prompt, Resource, ResourceTemplate, Tool } from '../protocol.js'

export type ListKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts'

/** The last known lists of a server. A list that could not be read keeps its last good content beside its error. */
export interface Catalog {
  readonly tools: readonly Tool[]
  readonly resources: readonly Resource[]
  readonly resourceTemplates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
  /** Why a list is not what the server has now. */
  readonly errors: Readonly<Partial<Record<ListKind, Fault>>>
  /** Items that were left out, since they are not what the protocol demands. */
  readonly rejected: readonly RejectedItem[]
  /** Clock time, in milliseconds, at which any list was last read; 0: never. */
  readonly fetchedAt: number
}

interface Items {
  tools: Tool
  resources: Resource
  resourceTemplates: ResourceTemplate
  prompts: Prompt
}

type Lists = { [K in ListKind]: readonly Items[K][] }

export interface RejectedItem {
  readonly list: ListKind
  readonly name?: string
  readonly reason: string
}

export const emptyCatalog: Catalog = {
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
  errors: {},
  rejected: [],
  fetchedAt: 0,
}

export const listMethods = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
} as const satisfies Record<ListKind, string>

/** All lists there are. */
export const listKinds = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const satisfies ListKind[]

/** The lists that a server with these capabilities has. */
export function listsOf(capabilities: Capabilities): ListKind[] {
  return [
    ...(capabilities.tools ? (['tools'] as const) : []),
    ...(capabilities.resources ? (['resources', 'resourceTemplates'] as const) : []),
    ...(capabilities.prompts ? (['prompts'] as const) : []),
  ]
}

/** The lists that a notification of the server speaks of. */
export function changedLists(method: string): ListKind[] {
  switch (method) {
    case 'notifications/tools/list_changed':
      return ['tools']
    case 'notifications/resources/list_changed':
      return ['resources', 'resourceTemplates']
    case 'notifications/prompts/list_changed':
      return ['prompts']
    default:
      return []
  }
}

const keyOf = { tools: 'name', resources: 'uri', resourceTemplates: 'uriTemplate', prompts: 'name' } as const

/** What was read of one list: its items, or why not. */
export type ListReading = { readonly items: readonly unknown[] } | { readonly fault: Fault }

/** The catalog after lists were read: good lists replaced, bad items told, failed lists kept as they were. */
export function withReadings(before: Catalog, readings: ReadonlyMap<ListKind, ListReading>, now: number): Catalog {
  const errors = { ...before.errors }
  const { tools, resources, resourceTemplates, prompts } = before
  let lists: Lists = { tools, resources, resourceTemplates, prompts }
  const rejected = before.rejected.filter((item) => !readings.has(item.list))
  let read = false
  for (const [kind, reading] of readings) {
    if ('fault' in reading) {
      errors[kind] = reading.fault
      continue
    }
    delete errors[kind]
    read = true
    lists = withList(lists, kind, reading.items, rejected)
  }
  // A driven clock begins at 0, which here would say: never.
  return { ...before, ...lists, errors, rejected, fetchedAt: read ? Math.max(1, now) : before.fetchedAt }
}

/** A list that the server does not have (any more) is empty. */
export function withoutLists(before: Catalog, kinds: readonly ListKind[]): Catalog {
  const none = new Map(
    kinds.filter((kind) => before[kind].length > 0 || before.errors[kind]).map((k) => [k, { items: [] }]),
  )
  return none.size === 0 ? before : withReadings(before, none, before.fetchedAt)
}

function withList<K extends ListKind>(
  lists: Lists,
  kind: K,
  items: readonly unknown[],
  rejected: RejectedItem[],
): Lists {
  // A server that repeats its pages lists everything twice; nobody can call one of two tools of the same name.
  const good = new Map<unknown, Items[K]>()
  for (const item of items) {
    if (!isItem(kind, item)) rejected.push({ list: kind, name: nameOf(item), reason: `needs ${demands[kind]}` })
    else if (!good.has(Reflect.get(item, keyOf[kind]))) good.set(Reflect.get(item, keyOf[kind]), item)
  }
  return { ...lists, [kind]: [...good.values()] }
}

const demands = {
  tools: 'a name and an inputSchema',
  resources: 'a uri',
  resourceTemplates: 'a uriTemplate',
  prompts: 'a name',
} as const

/** As much as a host needs to use the item; the rest is the host's to judge. */
function isItem<K extends ListKind>(kind: K, item: unknown): item is Items[K] {
  if (typeof item !== 'object' || item === null) return false
  const fields = new Map<string, unknown>(Object.entries(item))
  if (typeof fields.get(keyOf[kind]) !== 'string') return false
  const schema = fields.get('inputSchema')
  return kind !== 'tools' || (typeof schema === 'object' && schema !== null)
}

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('name' in item)) return undefined
  return typeof item.name === 'string' ? item.name : undefined
}
