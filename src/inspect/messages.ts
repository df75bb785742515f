/**
 * What the inspector's server and its page say to each other: JSON, one message per WebSocket frame. Times are given as
 * milliseconds before or after the moment of sending, so that two clocks need not agree. Everything here has been through
 * the allow-lists of `safe/`.
 */

/** How a state feels, for colours. */
export type Tone = 'good' | 'busy' | 'wait' | 'bad' | 'faint'

export interface ChartNode {
  /** Path from the root, dotted: `linked.ready.health`. */
  readonly id: string
  /** `id` of the state around it; absent at the top. */
  readonly parent?: string
  readonly label: string
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'region' | 'final'
  readonly initial: boolean
  readonly description?: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface ChartEdge {
  readonly from: string
  readonly to: string
  /** What leads along it, in words: `link.opened`, `after retryDelay`, `fault V7`. */
  readonly labels: readonly string[]
  /** Corners of the line, first to last. */
  readonly points: readonly (readonly [number, number])[]
}

/** A statechart with a place for everything. */
export interface Chart {
  readonly id: string
  readonly name: string
  readonly width: number
  readonly height: number
  readonly nodes: readonly ChartNode[]
  readonly edges: readonly ChartEdge[]
}

/** One row of the list. */
export interface Summary {
  readonly id: string
  readonly name: string
  /** `connection`: one of this process, which can be told what to do. `actor`: of another program, to be looked at. */
  readonly kind: 'connection' | 'actor'
  /** `stdio`, `http`, … or the chart's name. */
  readonly what: string
  readonly status: string
  readonly tone: Tone
  /** The whole state in words, with the regions that are active at once in brackets. */
  readonly state: string
  /** For how long the status has been this one. */
  readonly sinceMs: number
  readonly attempts: number
  readonly maxAttempts: number
  /** How many tools it offers, once they were read. */
  readonly tools?: number
  /** Until the next attempt, when one is waited for. */
  readonly nextInMs?: number
  /** Code of the fault that the connection suffers from now. */
  readonly fault?: string
  /** When each tone began; the last is the present one. Only when the page hears of it for the first time. */
  readonly history?: readonly { readonly agoMs: number; readonly tone: Tone }[]
  readonly chart?: string
  /** What it can be told in this state. */
  readonly can: readonly Command[]
}

export type Command = 'connect' | 'retry' | 'disconnect' | 'break'

export interface FaultView {
  readonly code: string
  readonly class: string
  readonly scope: string
  readonly rule: string
  readonly advice: string
  readonly summary: string
  /** Facts in reading order: `phase ready`, `status 503`, … */
  readonly evidence: readonly (readonly [name: string, value: string])[]
  readonly agoMs: number
}

export interface IncidentView {
  readonly kind: string
  readonly outcome: string
  readonly code: string
  readonly agoMs: number
  readonly durationMs: number
  readonly attempts: readonly { readonly agoMs: number; readonly code: string }[]
  readonly note?: string
}

export interface ListView {
  readonly list: string
  readonly names: readonly string[]
  readonly more: number
  readonly error?: string
}

export interface TransitionView {
  readonly from: string
  readonly to: string
  readonly label: string
  /** Transitions of one number were taken in one step: what an event set off, with what followed at once. */
  readonly step: number
  readonly agoMs: number
}

/** Everything that is shown of the selected one. */
export interface Detail {
  readonly id: string
  /** Ids of the chart's active states. */
  readonly active: readonly string[]
  /** The last transitions, newest first. */
  readonly transitions: readonly TransitionView[]
  readonly fault?: FaultView
  /** What began the present trouble, when it is another than `fault`. */
  readonly origin?: FaultView
  /** Newest first. The first may still be going on. */
  readonly incidents: readonly IncidentView[]
  readonly session?: readonly (readonly [name: string, value: string])[]
  readonly lists: readonly ListView[]
  readonly subscriptions: readonly string[]
  /** Context of an actor of another program. */
  readonly context?: string
}

export type ToPage =
  | { readonly type: 'hello'; readonly actors: readonly Summary[]; readonly charts: readonly Chart[] }
  | { readonly type: 'chart'; readonly chart: Chart }
  | { readonly type: 'actors'; readonly actors: readonly Summary[]; readonly gone: readonly string[] }
  | { readonly type: 'detail'; readonly detail: Detail }
  | { readonly type: 'refused'; readonly reason: string }

export type FromPage =
  | { readonly type: 'select'; readonly id: string }
  | { readonly type: 'command'; readonly id: string; readonly command: Command }
