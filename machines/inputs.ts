import type { AuthInput, ConnectionContext, ConnectionEvent } from './types.js'

interface Args {
  readonly context: ConnectionContext
  readonly event: ConnectionEvent
}

/** A step that answers the last refusal. */
export const authInput = ({ context }: Args): AuthInput => ({ runtime: context.runtime, fault: context.fault })

/** A step that nothing was refused for: it is done ahead of time. */
export const aheadInput = ({ context }: Args): AuthInput => ({ runtime: context.runtime })

/** The step that answers the refusal which the event tells of. */
export const scopeInput = ({ context, event }: Args): AuthInput => ({
  runtime: context.runtime,
  ...(event.type === 'scope.insufficient' && { fault: event.fault }),
})
