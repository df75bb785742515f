import { redactValue } from '../../redact.js'
import type { Charts } from '../chart/index.js'
import type { Detail, Summary, Tone } from '../messages.js'
import { safeDefinition, safeText, safeWord, stateValue } from '../safe/index.js'
import { words } from './local.js'
import type { Registry } from './registry.js'
import { Course, type Shown } from './shown.js'
import { activeStates, stateText } from './states.js'

/** Actors that one program may show; the rest of its frames are dropped. */
const MOST_ACTORS = 50
/** Characters of a context that are kept, and that are shown. */
const KEPT_CONTEXT = 65_536
const SHOWN_CONTEXT = 2_000

type Frame = Readonly<Record<string, unknown>>

/**
 * The actors of another program, as the frames of a stock inspector tell of them. They are looked at, never spoken to,
 * and believed in nothing: every field is checked, redacted and bounded.
 */
export class RemoteProgram {
  readonly #prefix: string
  readonly #registry: Registry
  readonly #charts: Charts
  readonly #now: () => number
  readonly #actors = new Map<string, RemoteActor>()

  constructor(prefix: string, registry: Registry, charts: Charts, now: () => number) {
    this.#prefix = prefix
    this.#registry = registry
    this.#charts = charts
    this.#now = now
  }

  take(frame: unknown): void {
    if (typeof frame !== 'object' || frame === null) return
    const { type, sessionId } = frame as Frame
    if (typeof sessionId !== 'string' || sessionId.length > 100) return
    if (type === '@xstate.actor') this.#introduce(sessionId, frame as Frame)
    const actor = this.#actors.get(sessionId)
    if (!actor || type !== '@xstate.snapshot') return
    actor.follow(frame as Frame)
    this.#registry.touch(actor.id)
  }

  /** The program is gone, or has stopped telling. */
  end(): void {
    for (const actor of this.#actors.values()) {
      actor.end()
      this.#registry.touch(actor.id)
    }
    this.#actors.clear()
  }

  #introduce(sessionId: string, { name, definition, snapshot }: Frame): void {
    if (this.#actors.has(sessionId) || this.#actors.size >= MOST_ACTORS) return
    const chart = this.#charts.add(safeDefinition(parsed(definition)))
    // What has no states, as a promise, is no chart to look at.
    if (chart === undefined) return
    const label = safeText(name, 80) ?? sessionId
    const actor = new RemoteActor(`${this.#prefix}:${sessionId}`, label, chart, this.#charts, this.#now)
    this.#actors.set(sessionId, actor)
    actor.follow({ snapshot })
    this.#registry.add(actor)
  }
}

function parsed(definition: unknown): unknown {
  if (typeof definition !== 'string') return undefined
  try {
    return JSON.parse(definition)
  } catch {
    return undefined
  }
}

class RemoteActor implements Shown {
  readonly id: string
  readonly #name: string
  readonly #chart: string
  readonly #charts: Charts
  readonly #course: Course
  #value: unknown
  #context: unknown
  #status = 'active'
  #ended = false

  constructor(id: string, name: string, chart: string, charts: Charts, now: () => number) {
    this.id = id
    this.#name = name
    this.#chart = chart
    this.#charts = charts
    this.#course = new Course(now)
  }

  get over(): boolean {
    return this.#ended
  }

  follow({ snapshot, event }: Frame): void {
    if (typeof snapshot === 'object' && snapshot !== null) {
      const { value, context, status } = snapshot as Frame
      const before = this.#value
      if (value !== undefined) this.#value = stateValue(value)
      const text = JSON.stringify(context)
      this.#context = text === undefined || text.length <= KEPT_CONTEXT ? context : `${text.length} characters`
      if (typeof status === 'string') this.#status = status
      if (before !== undefined) this.#noteStep(before, event)
      this.#course.endStep()
    }
    const { status, tone } = this.#standing()
    this.#course.noteStatus(status, tone)
  }

  end(): void {
    this.#ended = true
    this.#course.noteStatus('gone', 'faint')
  }

  summary(): Summary {
    return {
      id: this.id,
      name: this.#name,
      kind: 'actor',
      what: 'XState',
      ...this.#standing(),
      state: stateText(this.#value).slice(0, 300),
      sinceMs: this.#course.sinceMs,
      attempts: 0,
      maxAttempts: 0,
      history: this.#course.history(),
      chart: this.#chart,
      can: [],
    }
  }

  detail(): Detail {
    const context = JSON.stringify(redactValue(this.#context), undefined, 2)
    return {
      id: this.id,
      active: activeStates(this.#value),
      transitions: this.#course.transitions(),
      incidents: [],
      lists: [],
      subscriptions: [],
      ...(context !== undefined && { context: context.slice(0, SHOWN_CONTEXT) }),
    }
  }

  async command(): Promise<string> {
    return `${this.#name} belongs to another program.`
  }

  #standing(): { status: string; tone: Tone } {
    if (this.#ended) return { status: 'gone', tone: 'faint' }
    if (this.#status === 'error') return { status: 'error', tone: 'bad' }
    if (this.#status !== 'active') return { status: safeWord(this.#status) ?? 'done', tone: 'faint' }
    const [outermost] = activeStates(this.#value)
    return { status: safeWord(outermost) ?? 'active', tone: 'good' }
  }

  /** The frames do not say which transition was taken: it is one that fits the event, from what was to what is active. */
  #noteStep(before: unknown, event: unknown): void {
    const type = typeof event === 'object' && event !== null ? Reflect.get(event, 'type') : undefined
    if (typeof type !== 'string') return
    const [was, is] = [activeStates(before), activeStates(this.#value)]
    const entered = is.filter((state) => !was.includes(state))
    const fits = this.#charts
      .graph(this.#chart)
      ?.transitions.find(
        (it) =>
          (it.event === type || type.startsWith(`${it.event}.`)) &&
          (it.from === '' || was.includes(it.from)) &&
          entered.includes(it.to),
      )
    const [to] = entered
    if (fits) this.#course.noteTransition(fits.from, fits.to, words(type))
    else if (to !== undefined)
      this.#course.noteTransition(was.find((state) => !is.includes(state)) ?? '', to, words(type))
  }
}
