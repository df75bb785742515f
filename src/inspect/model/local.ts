import type { InspectionEvent } from 'xstate'
import type { ConnectionSnapshot } from '../../connection/index.js'
import type { Charts } from '../chart/index.js'
import { runtimeOf } from '../is-connection.js'
import { delayName, safeDefinition, safeWord } from '../safe/index.js'
import { type BreakWire, type ConnectionRef, LocalConnection } from './local-connection.js'
import type { Registry } from './registry.js'

/** Finds the connections of this process among inspection events, and keeps what is shown of each. */
export class LocalConnections {
  readonly #registry: Registry
  readonly #charts: Charts
  readonly #breakWire: BreakWire | undefined
  /** No connection holds on to what looked at it, nor the other way round once it is over. */
  readonly #known = new WeakMap<object, LocalConnection>()
  /** Those that go on. */
  readonly #live = new Set<LocalConnection>()
  readonly #others = new WeakSet<object>()
  readonly #definitions = new WeakMap<object, string | undefined>()

  constructor(registry: Registry, charts: Charts, breakWire: BreakWire | undefined) {
    this.#registry = registry
    this.#charts = charts
    this.#breakWire = breakWire
  }

  take(event: InspectionEvent): void {
    if (event.type !== '@xstate.snapshot' && event.type !== '@xstate.microstep') return
    const connection = this.#connection(event.actorRef)
    if (!connection) return
    if (event.type === '@xstate.microstep') {
      for (const step of stepsOf(event)) connection.course.noteTransition(step.from, step.to, step.label)
      return
    }
    connection.follow(event.snapshot as unknown as ConnectionSnapshot)
    if (connection.over) this.#live.delete(connection)
    this.#registry.touch(connection.id)
  }

  /** Nobody looks any more: connections that go on are not listened to. */
  end(): void {
    for (const connection of this.#live) connection.end()
    this.#live.clear()
  }

  #connection(actor: object): LocalConnection | undefined {
    const known = this.#known.get(actor)
    if (known || this.#others.has(actor)) return known
    const ref = actor as ConnectionRef & { readonly logic?: { readonly config?: object } }
    const runtime = runtimeOf(ref)
    if (!runtime) {
      this.#others.add(actor)
      return undefined
    }
    const chart = this.#chartOf(ref.logic?.config)
    const made = new LocalConnection(ref, runtime, chart, this.#breakWire, () => this.#registry.touch(ref.sessionId))
    this.#known.set(actor, made)
    this.#live.add(made)
    this.#registry.add(made)
    return made
  }

  #chartOf(config: object | undefined): string | undefined {
    if (!config) return undefined
    if (!this.#definitions.has(config)) this.#definitions.set(config, this.#charts.add(safeDefinition(config)))
    return this.#definitions.get(config)
  }
}

interface Node {
  readonly path: readonly string[]
}
interface Taken {
  readonly source: Node
  readonly target?: readonly Node[]
  readonly eventType: string
  readonly meta?: { readonly rule?: unknown }
}

/** XState 5.33 tells which transitions a step took; one without a target leads nowhere and is not drawn. */
function stepsOf(event: { readonly _transitions?: unknown }): { from: string; to: string; label: string }[] {
  const taken = event._transitions as readonly Taken[] | undefined
  return (taken ?? []).flatMap(({ source, target, eventType, meta }) => {
    const [first] = target ?? []
    if (!first) return []
    const rule = safeWord(meta?.rule)
    return [
      {
        from: source.path.join('.'),
        to: first.path.join('.'),
        label: rule ? `${words(eventType)} ${rule}` : words(eventType),
      },
    ]
  })
}

/** `after retryDelay` for `xstate.after.retryDelay.connection.backoff.waiting`. */
export function words(type: string): string {
  if (type === '') return 'always'
  const [, kind = '', name = ''] = /^xstate\.(after|done\.actor|error\.actor)\.([^.]+)/.exec(type) ?? []
  switch (kind) {
    case 'after':
      return `after ${delayName(safeWord(name) ?? '')}`
    case 'done.actor':
      return `${safeWord(name)} done`
    case 'error.actor':
      return `${safeWord(name)} failed`
    default:
      return safeWord(type) ?? ''
  }
}
