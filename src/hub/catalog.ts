import { BehaviorSubject, type Observable, Subject } from 'rxjs'
import { type Catalog, diffCatalogs, emptyCatalog, type ListChange } from '../link/index.js'
import type { Prompt, Resource, ResourceTemplate, Tool } from '../protocol.js'
import type { Member } from './member.js'
import { toolName } from './tool-names.js'

/** A server's tool under the name it has in the hub. */
export interface HubTool extends Tool {
  /** Unique in the hub, and made of what every model API takes: `files__read`. */
  name: string
  /** The server that offers it. */
  server: string
  /** Its name there. */
  originalName: string
  /** A call would reach the server now, or start it. `false` while the server is down: it is as it was known last. */
  available: boolean
}

/** What all servers offer, as last known. */
export interface HubCatalog {
  readonly tools: readonly HubTool[]
  readonly resources: readonly (Resource & { readonly server: string })[]
  readonly resourceTemplates: readonly (ResourceTemplate & { readonly server: string })[]
  readonly prompts: readonly (Prompt & { readonly server: string })[]
}

/** What changed of one server's offer. */
export interface HubChange {
  readonly server: string
  readonly available: boolean
  /** Lists in which something differs; tools by their names in the hub. Empty where only `available` changed. */
  readonly lists: readonly ListChange[]
}

interface Slice {
  /** Of the server, after the filters. */
  readonly offered: Catalog
  readonly available: boolean
  readonly part: HubCatalog
}

const nothing: HubCatalog = { tools: [], resources: [], resourceTemplates: [], prompts: [] }

/** The offers of all members as one. A change of one member costs its own offer only, until somebody looks. */
export class CatalogOfAll {
  readonly #members: ReadonlyMap<string, Member>
  readonly #slices = new Map<string, Slice>()
  readonly #catalog = new BehaviorSubject<HubCatalog>(nothing)
  readonly #changes = new Subject<HubChange>()
  #byName = new Map<string, HubTool>()
  /** The catalog is not what the slices are. */
  #isStale = false
  #over = false

  constructor(members: ReadonlyMap<string, Member>) {
    this.#members = members
  }

  get catalog(): HubCatalog {
    this.#renew()
    return this.#catalog.value
  }
  get catalog$(): Observable<HubCatalog> {
    return this.#catalog.asObservable()
  }
  get changes$(): Observable<HubChange> {
    return this.#changes.asObservable()
  }

  tool(name: string): HubTool | undefined {
    this.#renew()
    return this.#byName.get(name)
  }

  /** Something of this server may be another. */
  refresh(server: string): void {
    const [before, after] = [this.#slices.get(server), sliceOf(this.#members.get(server))]
    if (before && after && before.offered === after.offered && before.available === after.available) return
    if (after) this.#slices.set(server, after)
    else this.#slices.delete(server)
    const lists = diffCatalogs(before?.offered ?? emptyCatalog, after?.offered ?? emptyCatalog)
    const available = after?.available ?? false
    if (lists.length === 0 && available === (before?.available ?? false)) return
    this.#markStale()
    this.#changes.next({ server, available, lists: lists.map((change) => inHub(server, change)) })
  }

  /** The members stand in another order. */
  reorder(): void {
    this.#markStale()
  }

  end(): void {
    this.#over = true
    this.#catalog.complete()
    this.#changes.complete()
  }

  /** Many servers change together, at the start above all: the whole is made once for all of them. */
  #markStale(): void {
    if (this.#isStale) return
    this.#isStale = true
    queueMicrotask(() => this.#renew())
  }

  #renew(): void {
    if (!this.#isStale || this.#over) return
    this.#isStale = false
    const parts = [...this.#members.keys()].flatMap((name) => this.#slices.get(name)?.part ?? [])
    this.#byName = new Map()
    for (const tool of parts.flatMap(({ tools }) => tools)) {
      if (!this.#byName.has(tool.name)) this.#byName.set(tool.name, tool)
    }
    this.#catalog.next({
      tools: [...this.#byName.values()],
      resources: parts.flatMap(({ resources }) => resources),
      resourceTemplates: parts.flatMap(({ resourceTemplates }) => resourceTemplates),
      prompts: parts.flatMap(({ prompts }) => prompts),
    })
  }
}

function sliceOf(member: Member | undefined): Slice | undefined {
  const offered = member?.offered
  if (!member || !offered) return undefined
  const { name: server, available } = member
  const ofServer = <T extends object>(items: readonly T[]) => items.map((item) => ({ ...item, server }))
  const tools = offered.tools.map((tool) => {
    const { name } = tool
    return { ...tool, name: toolName(server, name), server, originalName: name, available }
  })
  const part = {
    tools,
    resources: ofServer(offered.resources),
    resourceTemplates: ofServer(offered.resourceTemplates),
    prompts: ofServer(offered.prompts),
  }
  return { offered, available, part }
}

function inHub(server: string, change: ListChange): ListChange {
  if (change.list !== 'tools') return change
  const named = (names: readonly string[]) => names.map((name) => toolName(server, name))
  return { ...change, added: named(change.added), removed: named(change.removed), changed: named(change.changed) }
}
