import type { Fault } from '../machines/faults.js'

const brand = Symbol.for('mcp-lifeline.error')

/**
 * Base of every error this library throws. `code` is stable and for programs; `fault`, where there is one, holds the
 * evidence and an advice for a person. `instanceof` also holds between two installed copies of the library.
 */
export abstract class LifelineError extends Error {
  abstract readonly code: string
  readonly fault?: Fault
  readonly [brand]: readonly string[]

  constructor(message: string, fault?: Fault, options?: ErrorOptions) {
    super(message, options)
    if (fault) this.fault = fault
    this.name = new.target.name
    this[brand] = names(new.target)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (typeof value !== 'object' || value === null || !(brand in value)) return false
    const marks = value[brand]
    // biome-ignore lint/complexity/noThisInStatic: each subclass asks for its own name
    return Array.isArray(marks) && marks.includes(this.name)
  }
}

function names(of: { name: string }): string[] {
  const found: string[] = []
  for (let c: unknown = of; typeof c === 'function' && c !== Error && c.name; c = Object.getPrototypeOf(c))
    found.push(c.name)
  return found
}

const because = (fault: Fault): string => `${fault.code}: ${fault.evidence.summary}. ${fault.advice}`

/** The connection is in a state from which it does not come back by waiting, or gave up for now. */
export class ConnectionFailedError extends LifelineError {
  readonly code = 'CONNECTION_FAILED'
  constructor(name: string, fault?: Fault, options?: ErrorOptions) {
    super(`Connection '${name}' failed${fault ? ` with ${because(fault)}` : '.'}`, fault, options)
  }
}

/** The connection was closed or disconnected by the application. */
export class ConnectionClosedError extends LifelineError {
  readonly code = 'CONNECTION_CLOSED'
  constructor(name: string) {
    super(`Connection '${name}' is closed.`)
  }
}

/** No answer by the call's deadline, or no connection. The server may still be at work if `sent`. */
export class CallTimeoutError extends LifelineError {
  readonly code = 'CALL_TIMEOUT'
  /** Whether the request had been sent. If so, it may have run. */
  readonly sent: boolean
  constructor(method: string, timeoutMs: number, sent: boolean, fault?: Fault) {
    super(`${method}: no ${sent ? 'answer' : 'connection'} within ${timeoutMs} ms.`, fault)
    this.sent = sent
  }
}

/** The connection broke after the request had been sent: it may have run, and is not sent again. */
export class OutcomeUnknownError extends LifelineError {
  readonly code = 'OUTCOME_UNKNOWN'
  constructor(method: string, fault: Fault) {
    super(`${method}: the outcome is unknown, ${because(fault)}`, fault)
  }
}

/** The call certainly did not run; `fault` tells why. */
export class CallRefusedError extends LifelineError {
  readonly code = 'CALL_REFUSED'
  constructor(method: string, fault: Fault) {
    super(`${method}: ${because(fault)}`, fault)
  }
}

/** The server answered the call with a JSON-RPC error. */
export class RpcError extends LifelineError {
  readonly code = 'RPC_ERROR'
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
  readonly code = 'QUEUE_FULL'
  constructor(name: string, limit: number) {
    super(`Connection '${name}': ${limit} calls wait already. Raise policy.queueLimit, or call less.`)
  }
}

/** The configuration cannot be used as written. */
export class ConfigError extends LifelineError {
  readonly code = 'CONFIG'
}
