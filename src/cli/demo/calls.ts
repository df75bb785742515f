/** The calls of the demonstration, and what became of each. */
import type { Clock } from '../../clock.js'
import {
  CallRefusedError,
  CallTimeoutError,
  ConnectionFailedError,
  LifelineError,
  OutcomeUnknownError,
} from '../../errors.js'
import type { Connection } from '../../index.js'

/** When, as seen from the outage, the call was made; `in flight`: it was with the server when the server died. */
export type Moment = 'before' | 'in flight' | 'during' | 'after'

/**
 * - `answered`: by the server
 * - `refused`: certainly not run
 * - `unknown`: may have run; said so instead of run twice
 * - `late`: no answer by its deadline
 * - `pending`: not settled; never right
 */
export type Outcome = 'answered' | 'refused' | 'unknown' | 'late' | 'error' | 'pending'

export interface CallRecord {
  readonly connection: string
  readonly moment: Moment
  readonly outcome: Outcome
  /** From the call until it settled, in milliseconds. */
  readonly tookMs: number
}

interface ToolCall {
  readonly name: string
  readonly arguments: Record<string, unknown>
}

/** Answers what it is told. Every server of the demonstration has it. */
export const echo = (message: string): ToolCall => ({ name: 'echo', arguments: { message } })

/** Takes so long that the server dies over it. */
export const slow: ToolCall = { name: 'trigger-long-running-operation', arguments: { duration: 30, steps: 3 } }

/** Longer than any recovery here may take, and the bound of each call. */
export const CALL_MS = 15_000

export class CallLog {
  readonly #clock: Clock
  readonly #records: CallRecord[] = []
  readonly #onSettled: (record: CallRecord) => void

  constructor(clock: Clock, onSettled: (record: CallRecord) => void) {
    this.#clock = clock
    this.#onSettled = onSettled
  }

  /** Every call that was made; those that have not settled are `pending`. */
  get records(): readonly CallRecord[] {
    return this.#records
  }

  /** Calls the tool; resolves, whatever comes of it, with the outcome. */
  async make(connection: Connection, moment: Moment, call: ToolCall): Promise<Outcome> {
    const startedAt = this.#clock.now()
    const index = this.#records.push({ connection: connection.name, moment, outcome: 'pending', tookMs: 0 }) - 1
    const outcome = await connection
      .callTool(call, { timeoutMs: CALL_MS })
      .then(({ isError }): Outcome => (isError ? 'error' : 'answered'), outcomeOf)
    const tookMs = this.#clock.now() - startedAt
    const record = { connection: connection.name, moment, outcome, tookMs }
    this.#records[index] = record
    this.#onSettled(record)
    return outcome
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof OutcomeUnknownError) return 'unknown'
  if (error instanceof CallRefusedError || error instanceof ConnectionFailedError) return 'refused'
  if (error instanceof CallTimeoutError) return 'late'
  if (error instanceof LifelineError) return 'error'
  throw error
}
