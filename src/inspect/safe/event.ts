import { eventList, eventTypes } from './lists.js'
import { pick } from './pick.js'
import { safeWord } from './text.js'

export interface SafeEvent {
  readonly type: string
}

/**
 * An event as it goes out. Only the chart's own events keep fields, and of those the listed ones; `xstate.init` would
 * carry the input, `xstate.done.…` what an actor came to, and an extension's event anything.
 */
export function safeEvent(event: { readonly type: string }): SafeEvent {
  const type = safeWord(event.type) ?? 'unknown'
  return eventTypes.has(type) ? { type, ...pick(event, eventList) } : { type }
}
