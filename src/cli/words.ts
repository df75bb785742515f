/** The words of a command line: options, which may stand anywhere, and the rest. */
import { parseArgs } from 'node:util'

/** A command line that cannot be meant; shown with the usage. */
export class UsageError extends Error {}

export interface Words {
  readonly config?: string
  readonly json: boolean
  /** Time limit of a call, in milliseconds. */
  readonly timeoutMs?: number
  readonly rest: readonly string[]
}

/** @throws UsageError */
export function readWords(args: readonly string[]): Words {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: 'string', short: 'c' },
        json: { type: 'boolean', default: false },
        timeout: { type: 'string' },
      },
    })
    const { config, json = false, timeout } = values
    const timeoutMs = timeout === undefined ? undefined : Number(timeout) * 1_000
    if (timeoutMs !== undefined && !(timeoutMs > 0)) throw new UsageError('--timeout is a number of seconds.')
    return { ...(config !== undefined && { config }), json, ...(timeoutMs && { timeoutMs }), rest: positionals }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
