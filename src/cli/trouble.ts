/** What is wrong with a server, as plain data, and who can help. */
import type { ServerStatus } from '../index.js'

/** A failure as plain data. */
export interface ShownError {
  readonly code: string
  readonly message: string
  readonly advice?: string
}

export function errorOf({ error, fault }: Pick<ServerStatus, 'error' | 'fault'>): ShownError | undefined {
  if (error) return { code: 'config', message: error.message, advice: 'Correct the configuration.' }
  return fault && { code: fault.code, message: `${fault.evidence.summary}.`, advice: fault.advice }
}

/** A word of a command line that may be copied into a shell. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
