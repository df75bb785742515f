import type { AuthInput, ConnectionContext } from './types.js'

/** What every step of authorization is given. */
export const authInput = ({ context }: { context: ConnectionContext }): AuthInput => ({ runtime: context.runtime })
