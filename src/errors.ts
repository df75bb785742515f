import type { Fault } from '../machines/faults.js'

const brand = Symbol.for('mcp-lifeline.error')

/**
 * Base of every error this library throws. `code` is stable and for programs; `fault`, where there is one, holds the
 * evidence and an advice for a person. `instanceof` also holds between two installed copies of the library, and after a
 * minifier has renamed the classes: it goes by the codes. Each class states its code twice, for itself and for its errors.
 */
export abstract class LifelineError extends Error {
  static readonly code: string = 'LIFELINE'
  abstract readonly code: string
  readonly fault?: Fault
  readonly [brand]: readonly string[]

  constructor(message: string, fault?: Fault, options?: ErrorOptions) {
    super(message, options)
    if (fault) this.fault = fault
    this[brand] = codes(new.target)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass of somebody else's has no code of its own: it is known by its prototype, as any class.
    // biome-ignore lint/complexity/noThisInStatic: each subclass asks for its own code
    if (!Object.hasOwn(this, 'code')) return Function.prototype[Symbol.hasInstance].call(this, value)
    if (typeof value !== 'object' || value === null || !(brand in value)) return false
    const marks = value[brand]
    // biome-ignore lint/complexity/noThisInStatic: as above
    return Array.isArray(marks) && marks.includes(this.code)
  }
}

/** The codes of a class and of those it extends. */
function codes(of: object): string[] {
  const found: string[] = []
  for (let c: object | null = of; c !== null; c = Object.getPrototypeOf(c)) {
    if (Object.hasOwn(c, 'code') && 'code' in c && typeof c.code === 'string') found.push(c.code)
  }
  return found
}

const because = (fault: Fault): string => `${fault.code}: ${fault.evidence.summary}. ${fault.advice}`

/** The connection is in a state from which it does not come back by waiting, or gave up for now. */
export class ConnectionFailedError extends LifelineError {
  static override readonly code = 'CONNECTION_FAILED'
  override readonly name = 'ConnectionFailedError'
  readonly code = ConnectionFailedError.code
  constructor(name: string, fault?: Fault, options?: ErrorOptions) {
    super(`Connection '${name}' failed${fault ? ` with ${because(fault)}` : '.'}`, fault, options)
  }
}

/** The connection was closed or disconnected by the application. */
export class ConnectionClosedError extends LifelineError {
  static override readonly code = 'CONNECTION_CLOSED'
  override readonly name = 'ConnectionClosedError'
  readonly code = ConnectionClosedError.code
  constructor(name: string) {
    super(`Connection '${name}' is closed.`)
  }
}

/**
 * A person has to log in, and did not within the time. `url` is what to open in a browser; it is not shown when the error
 * is printed or serialized, since it holds the secrets of the login.
 */
export class AuthorizationRequiredError extends LifelineError {
  static override readonly code = 'AUTHORIZATION_REQUIRED'
  override readonly name = 'AuthorizationRequiredError'
  readonly code = AuthorizationRequiredError.code
  readonly #url: URL | undefined
  constructor(name: string, url?: URL, fault?: Fault) {
    super(`Connection '${name}' waits for a person to log in: open the address of connection.authorization.`, fault)
    this.#url = url
  }
  /** `undefined` where the login could not be begun yet. */
  get url(): URL | undefined {
    return this.#url
  }
}

/** Why the answer of a login was not taken. */
export type AuthorizationResponseProblem = 'unreadable' | 'state' | 'issuer' | 'refused'

const responseProblems: Readonly<Record<AuthorizationResponseProblem, string>> = {
  unreadable: 'it is no address',
  state: 'it does not belong to a login of this connection (state)',
  issuer: 'it comes from another authorization server than the login was sent to (iss)',
  refused: 'the login was refused',
}

/** What was given to `authorize()` is no answer that may be used. The login has to be done again. */
export class AuthorizationResponseError extends LifelineError {
  static override readonly code = 'AUTHORIZATION_RESPONSE'
  override readonly name = 'AuthorizationResponseError'
  readonly code = AuthorizationResponseError.code
  readonly problem: AuthorizationResponseProblem
  /** The authorization server's error code, for `refused`: `access_denied`, … */
  readonly error?: string
  constructor(problem: AuthorizationResponseProblem, error?: string) {
    const code = error?.replace(/[^\w.-]/g, '').slice(0, 60)
    super(`The answer of the login cannot be used: ${responseProblems[problem]}${code ? ` (${code})` : ''}.`)
    this.problem = problem
    if (code) this.error = code
  }
}

/** The login did not come back to this machine. */
export class CallbackError extends LifelineError {
  static override readonly code = 'LOGIN_CALLBACK'
  override readonly name = 'CallbackError'
  readonly code = CallbackError.code
  /** `unavailable`: the port cannot be had. `timeout`: nobody came in time. `closed`: nobody waits any more. */
  readonly reason: 'unavailable' | 'timeout' | 'closed'
  constructor(reason: CallbackError['reason'], message: string, cause?: unknown) {
    super(message, undefined, { cause })
    this.reason = reason
  }
}

/**
 * - `denied`: the file system or the keyring refuses.
 * - `full`: there is no room to write.
 * - `locked`: another process has held the lock for longer than this one may wait.
 * - `unavailable`: what the store is built on is missing.
 */
export type TokenStoreReason = 'denied' | 'full' | 'locked' | 'unavailable'

/** A token store cannot do what was asked of it; what it held before is kept. The message says what to do. */
export class TokenStoreError extends LifelineError {
  static override readonly code = 'TOKEN_STORE'
  override readonly name = 'TokenStoreError'
  readonly code = TokenStoreError.code
  readonly reason: TokenStoreReason
  constructor(reason: TokenStoreReason, message: string, cause?: unknown) {
    super(message, undefined, { cause })
    this.reason = reason
  }
}

/** No answer by the call's deadline, or no connection. The server may still be at work if `sent`. */
export class CallTimeoutError extends LifelineError {
  static override readonly code = 'CALL_TIMEOUT'
  override readonly name = 'CallTimeoutError'
  readonly code = CallTimeoutError.code
  /** Whether the request had been sent. If so, it may have run. */
  readonly sent: boolean
  constructor(method: string, timeoutMs: number, sent: boolean, fault?: Fault) {
    super(`${method}: no ${sent ? 'answer' : 'connection'} within ${timeoutMs} ms.`, fault)
    this.sent = sent
  }
}

/** The connection broke after the request had been sent: it may have run, and is not sent again. */
export class OutcomeUnknownError extends LifelineError {
  static override readonly code = 'OUTCOME_UNKNOWN'
  override readonly name = 'OutcomeUnknownError'
  readonly code = OutcomeUnknownError.code
  constructor(method: string, fault: Fault) {
    super(`${method}: the outcome is unknown, ${because(fault)}`, fault)
  }
}

/** The call certainly did not run; `fault` tells why. */
export class CallRefusedError extends LifelineError {
  static override readonly code = 'CALL_REFUSED'
  override readonly name = 'CallRefusedError'
  readonly code = CallRefusedError.code
  constructor(method: string, fault: Fault) {
    super(`${method}: ${because(fault)}`, fault)
  }
}

/** The server answered the call with a JSON-RPC error. */
export class RpcError extends LifelineError {
  static override readonly code = 'RPC_ERROR'
  override readonly name = 'RpcError'
  readonly code = RpcError.code
  /** JSON-RPC error code. */
  readonly rpcCode: number
  /** What the server sent along. */
  readonly data: unknown
  constructor(rpc: { code: number; message: string; data?: unknown }, fault: Fault) {
    super(rpc.message, fault)
    this.rpcCode = rpc.code
    this.data = rpc.data
  }
}

/** More calls wait for the connection than `policy.queueLimit` allows. */
export class QueueFullError extends LifelineError {
  static override readonly code = 'QUEUE_FULL'
  override readonly name = 'QueueFullError'
  readonly code = QueueFullError.code
  constructor(name: string, limit: number) {
    super(`Connection '${name}': ${limit} calls wait already. Raise policy.queueLimit, or call less.`)
  }
}

/** Where in a configuration something stands, as far as that is known. */
export interface ConfigPlace {
  readonly file?: string
  /** Counts from 1, as does `column`. */
  readonly line?: number
  readonly column?: number
  readonly server?: string
  /** As in `env.TOKEN`. */
  readonly field?: string
  /** A variable without a value. */
  readonly variable?: string
}

/** The configuration cannot be used as written. The message and `at` tell where; a value of it is never shown. */
export class ConfigError extends LifelineError {
  static override readonly code = 'CONFIG'
  override readonly name = 'ConfigError'
  readonly code = ConfigError.code
  readonly at: ConfigPlace
  constructor(message: string, { at = {}, ...options }: ErrorOptions & { readonly at?: ConfigPlace } = {}) {
    super(message, undefined, options)
    this.at = at
  }
}

/** The hub has no server of this name, or none that can be used. */
export class UnknownServerError extends LifelineError {
  static override readonly code = 'UNKNOWN_SERVER'
  override readonly name = 'UnknownServerError'
  readonly code = UnknownServerError.code
  constructor(name: string, why = 'the hub has no server of this name') {
    super(`Server '${name}': ${why}.`)
  }
}

/** The hub has no tool of this name. */
export class UnknownToolError extends LifelineError {
  static override readonly code = 'UNKNOWN_TOOL'
  override readonly name = 'UnknownToolError'
  readonly code = UnknownToolError.code
  constructor(name: string, why = 'no server of the hub offers it') {
    super(`Tool '${name}': ${why}.`)
  }
}
