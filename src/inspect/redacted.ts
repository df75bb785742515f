import type { InspectionEvent, Observer } from 'xstate'
import { isConnection } from './is-connection.js'
import { safeDefinition, safeEvent, safeSnapshot } from './safe/index.js'

/** Whatever takes XState inspection events: an observer, a function, or an inspector of `@statelyai/inspect`. */
export type InspectTarget =
  | Observer<InspectionEvent>
  | ((event: InspectionEvent) => void)
  | { readonly inspect: Observer<InspectionEvent> }

/**
 * Lets an inspector see connections and nothing secret: what goes on is built anew from lists of what may be seen, so
 * that input, output, tokens, headers, environments and what servers wrote stay in the process. Fits any inspector of
 * `@statelyai/inspect`:
 *
 * ```ts
 * createConnection({ …, inspect: redacted(createWebSocketInspector({ url: 'ws://localhost:8080' })) })
 * ```
 *
 * Passed on are `@xstate.actor`, `@xstate.event` and `@xstate.snapshot`, with stand-ins for the actors. It costs calls
 * nothing: they do not pass through the chart. An inspector that throws is not asked again.
 */
export function redacted(inspector: InspectTarget): (event: InspectionEvent) => void {
  let pass = receiverOf(inspector)
  const standIns = new WeakMap<object, StandIn>()
  const introduce = (actor: object): StandIn => {
    const known = standIns.get(actor)
    if (known) return known
    const made = new StandIn(actor as Inspected)
    standIns.set(actor, made)
    return made
  }
  const send = (event: SafeInspection) => {
    try {
      pass(event as unknown as InspectionEvent)
    } catch {
      // XState would rethrow it on a later tick and take the process down. Looking on must not break what is looked at.
      pass = () => {}
    }
  }
  return (event) => {
    if (event.type !== '@xstate.actor' && event.type !== '@xstate.event' && event.type !== '@xstate.snapshot') return
    const isNew = !standIns.has(event.actorRef)
    const actorRef = introduce(event.actorRef)
    const { rootId } = event
    // One that came late has missed how its actors began.
    if (isNew) send({ type: '@xstate.actor', actorRef, rootId })
    if (event.type === '@xstate.event') {
      const sourceRef = event.sourceRef && introduce(event.sourceRef)
      send({ type: event.type, actorRef, rootId, sourceRef, event: safeEvent(event.event) })
    } else if (event.type === '@xstate.snapshot') {
      const snapshot = safeSnapshot(event.snapshot, isConnection(event.actorRef))
      send({ type: event.type, actorRef, rootId, event: safeEvent(event.event), snapshot })
    }
  }
}

interface SafeInspection {
  readonly type: InspectionEvent['type']
  readonly actorRef: StandIn
  readonly rootId: string | undefined
  readonly sourceRef?: StandIn | undefined
  readonly event?: { readonly type: string }
  readonly snapshot?: unknown
}

/** As much of an actor as is looked at here. */
interface Inspected {
  readonly id: string
  readonly sessionId: string
  readonly _parent?: Inspected
  readonly logic?: { readonly config?: unknown }
  getSnapshot(): unknown
}

const definitions = new WeakMap<object, unknown>()

function definitionOf(config: unknown): unknown {
  if (typeof config !== 'object' || config === null) return undefined
  const known = definitions.get(config)
  if (known) return known
  const made = safeDefinition(config)
  definitions.set(config, made)
  return made
}

/** Stands for an actor where an inspector asks it for its name, its chart and its state. */
class StandIn {
  readonly id: string
  readonly sessionId: string
  readonly _parent: { readonly sessionId: string } | undefined
  readonly logic: { readonly config: unknown }
  readonly #actor: Inspected

  constructor(actor: Inspected) {
    this.#actor = actor
    this.id = actor.id
    this.sessionId = actor.sessionId
    this._parent = actor._parent && { sessionId: actor._parent.sessionId }
    this.logic = { config: definitionOf(actor.logic?.config) }
  }

  getSnapshot(): unknown {
    return safeSnapshot(this.#actor.getSnapshot(), isConnection(this.#actor))
  }
}

function receiverOf(inspector: InspectTarget): (event: InspectionEvent) => void {
  if (typeof inspector === 'function') return inspector
  const observer = 'inspect' in inspector ? inspector.inspect : inspector
  return (event) => observer.next?.(event)
}
