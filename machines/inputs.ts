/** What actors are given. Of any event, so that these also fit charts with more of them. */
import type { AuthInput, ConnectionContext, ConnectionEvent, LinkInput, Runtime } from './types.js'

interface Args {
  readonly context: ConnectionContext
}

/** A step that answers the last refusal. */
export const authInput = ({ context }: Args): AuthInput => ({ runtime: context.runtime, fault: context.fault })

/** A step that nothing was refused for: it is done ahead of time. */
export const aheadInput = ({ context }: Args): AuthInput => ({ runtime: context.runtime })

type WantsScope = Extract<ConnectionEvent, { type: 'scope.insufficient' }>

const wantsScope = (event: { readonly type: string }): event is WantsScope => event.type === 'scope.insufficient'

/** The step that answers the refusal which the event tells of. */
export const scopeInput = ({ context, event }: Args & { readonly event: { readonly type: string } }): AuthInput => ({
  runtime: context.runtime,
  ...(wantsScope(event) && { fault: event.fault }),
})

export const linkInput = ({ context }: Args): LinkInput => ({
  runtime: context.runtime,
  generation: context.generation,
  dialect: context.dialect,
  dialectsTried: context.dialectsTried,
  legacyAllowed: context.legacyAllowed,
  resume: context.session?.resumable === true,
  everReady: context.everReady,
  credentialEpoch: context.credentialEpoch,
  insists: context.insists,
})

export const releaseInput = ({ context }: Args): { runtime: Runtime } => ({ runtime: context.runtime })
