/** The words of a command line: options, which may stand anywhere, and the rest. */
import { parseArgs } from 'node:util'

/** A command line that cannot be meant; shown with the usage. */
export class UsageError extends Error {}

export interface Words {
  readonly config?: string
  readonly json: boolean
  /** Time limit of a call or a login, in milliseconds. */
  readonly timeoutMs?: number
  /** A browser may be opened. */
  readonly open: boolean
  /** To listen on. */
  readonly port?: number
  /** To ask for at a login, separated by spaces. */
  readonly scope?: string
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
        'no-open': { type: 'boolean', default: false },
        port: { type: 'string' },
        scope: { type: 'string' },
      },
    })
    const { config, json = false, timeout, scope } = values
    const timeoutMs = timeout === undefined ? undefined : Number(timeout) * 1_000
    if (timeoutMs !== undefined && !(timeoutMs > 0)) throw new UsageError('--timeout is a number of seconds.')
    const port = values.port === undefined ? undefined : Number(values.port)
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536))
      throw new UsageError('--port is a number from 0 to 65535.')
    return {
      ...(config !== undefined && { config }),
      json,
      ...(timeoutMs && { timeoutMs }),
      open: values['no-open'] !== true,
      ...(port !== undefined && { port }),
      ...(scope !== undefined && { scope }),
      rest: positionals,
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
