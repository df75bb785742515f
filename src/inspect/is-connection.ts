import { ConnectionRuntime } from '../link/index.js'

/** Whether an actor runs the connection chart, or a chart that extends it: its context carries a runtime of ours. */
export function isConnection(actor: { getSnapshot(): unknown }): boolean {
  return runtimeOf(actor) !== undefined
}

/** The world behind a connection; `undefined` for every other actor, and for one that has not begun. */
export function runtimeOf(actor: { getSnapshot(): unknown }): ConnectionRuntime | undefined {
  const snapshot = actor.getSnapshot()
  if (typeof snapshot !== 'object' || snapshot === null) return undefined
  const { context } = snapshot as { readonly context?: unknown }
  if (typeof context !== 'object' || context === null) return undefined
  const { runtime } = context as { readonly runtime?: unknown }
  return runtime instanceof ConnectionRuntime ? runtime : undefined
}
