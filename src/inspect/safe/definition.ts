import { safeText, safeWord } from './text.js'

/** A transition as it goes out: what it is called and where it leads, not what is handed along. */
export interface SafeTransition {
  readonly target?: string
  readonly guard?: string
  readonly actions?: readonly string[]
  readonly reenter?: true
  readonly description?: string
  readonly meta?: { readonly rule: string }
}

/** A state node as it goes out. The same shape as XState's own config, so that any inspector can draw it. */
export interface SafeDefinition {
  readonly id?: string
  readonly initial?: string
  readonly type?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly states?: Readonly<Record<string, SafeDefinition>>
  readonly on?: Readonly<Record<string, readonly SafeTransition[]>>
  readonly after?: Readonly<Record<string, readonly SafeTransition[]>>
  readonly always?: readonly SafeTransition[]
  readonly onDone?: readonly SafeTransition[]
  readonly invoke?: readonly {
    readonly id?: string
    readonly src?: string
    readonly onDone?: readonly SafeTransition[]
    readonly onError?: readonly SafeTransition[]
  }[]
  readonly entry?: readonly string[]
  readonly exit?: readonly string[]
}

/** Deeper than anybody nests; a foreign definition may be anything. */
const DEEPEST = 24

/** A machine's config without context, input, parameters and code: names, and how states hang together. */
export function safeDefinition(config: unknown, depth = 0): SafeDefinition {
  const node = record(config)
  if (depth > DEEPEST) return {}
  return trimmed({
    id: safeWord(node.id),
    initial: safeWord(typeof node.initial === 'string' ? node.initial : record(node.initial).target),
    type: safeWord(node.type),
    description: safeText(node.description),
    tags: names(node.tags),
    states: mapped(node.states, (state) => safeDefinition(state, depth + 1)),
    on: mapped(node.on, transitions),
    after: mapped(node.after, transitions),
    always: optional(node.always),
    onDone: optional(node.onDone),
    invoke: node.invoke === undefined ? undefined : list(node.invoke).map(invocation),
    entry: names(node.entry),
    exit: names(node.exit),
  })
}

function invocation(value: unknown) {
  const { id, src, onDone, onError } = record(value)
  return trimmed({
    id: safeWord(id),
    src: nameOf(src),
    onDone: optional(onDone),
    onError: optional(onError),
  })
}

const optional = (value: unknown) => (value === undefined ? undefined : transitions(value))

function transitions(value: unknown): SafeTransition[] {
  return list(value).map((one) => {
    if (typeof one === 'string') return trimmed({ target: safeWord(one) })
    const { target, guard, actions, reenter, description, meta } = record(one)
    const rule = safeWord(record(meta).rule)
    return trimmed({
      target: safeWord(Array.isArray(target) ? target[0] : target),
      guard: guard === undefined ? undefined : nameOf(guard),
      actions: names(actions),
      reenter: reenter === true ? (true as const) : undefined,
      description: safeText(description),
      meta: rule === undefined ? undefined : { rule },
    })
  })
}

/** A guard, action or actor by its name. */
function nameOf(value: unknown): string {
  if (typeof value === 'string') return safeWord(value) ?? 'inline'
  return safeWord(record(value).type) ?? 'inline'
}

function names(value: unknown): string[] | undefined {
  return value === undefined ? undefined : list(value).map(nameOf)
}

function mapped<T>(value: unknown, make: (one: unknown) => T): Record<string, T> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [safeWord(key) ?? '', make(one)]))
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Without the keys that have no value. */
function trimmed<T extends object>(value: T): T {
  for (const [key, one] of Object.entries(value)) if (one === undefined) Reflect.deleteProperty(value, key)
  return value
}
