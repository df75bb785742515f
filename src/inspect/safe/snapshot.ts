import { contextList } from './lists.js'
import { pick } from './pick.js'

export interface SafeSnapshot {
  readonly status: string
  readonly value?: unknown
  readonly context?: Readonly<Record<string, unknown>>
  readonly tags?: readonly string[]
}

/**
 * A snapshot as it goes out: where the chart stands, and the listed part of a connection's context. Neither output,
 * error nor children, which carry input and output of their own. Of an actor that is no connection, such as the
 * machine of an application, the context stays at home: only its owner knows what is in it.
 */
export function safeSnapshot(snapshot: unknown, isConnection: boolean): SafeSnapshot {
  if (typeof snapshot !== 'object' || snapshot === null) return { status: 'active' }
  const { status, value, context, tags } = snapshot as Readonly<Record<string, unknown>>
  return {
    status: typeof status === 'string' ? status : 'active',
    ...(value !== undefined && { value: stateValue(value) }),
    ...(isConnection && { context: pick(context, contextList) }),
    ...(tags instanceof Set && { tags: [...tags].map(String) }),
  }
}

/** A state value, which is names of the chart; what is none is left out. */
export function stateValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || depth > 24) return undefined
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, stateValue(one, depth + 1)]))
}
