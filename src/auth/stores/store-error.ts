import { TokenStoreError, type TokenStoreReason } from '../../errors.js'

/**
 * Something that a store got over by itself, and that a person may want to know.
 *
 * - `corrupt`: a file could not be read as what it should be, or opened with the key of the keyring. It counts as empty
 *   and is kept aside.
 * - `lock-lost`: work went on for so long without a sign of life that another process has taken the lock.
 * - `unwatched`: changes of other processes are noticed late, since the system does not tell of them.
 * - `fallback`: there is no keyring; tokens go into files.
 */
export interface StoreProblem {
  readonly kind: 'corrupt' | 'lock-lost' | 'unwatched' | 'fallback'
  /** What happened, where, and what can be done. Holds no secret. */
  readonly message: string
  readonly cause?: unknown
}

export type ProblemListener = (problem: StoreProblem) => void

/** As a warning of the process, which Node prints once with its name. */
export const warnOfProblem: ProblemListener = ({ kind, message }) =>
  process.emitWarning(message, { type: 'TokenStoreWarning', code: `LIFELINE_STORE_${kind.toUpperCase()}` })

const reasons: Readonly<Record<string, readonly [TokenStoreReason, string]>> = {
  EACCES: ['denied', 'This user may not write there: choose another folder by `path`, or change its owner.'],
  EPERM: ['denied', 'This user may not write there: choose another folder by `path`, or change its owner.'],
  EROFS: ['denied', 'The file system is read-only: choose another folder by `path`.'],
  ENOSPC: ['full', 'The disk is full. What was stored before is kept; make room and try again.'],
  EDQUOT: ['full', 'The quota is used up. What was stored before is kept; make room and try again.'],
  EFBIG: ['full', 'The file may not grow further. What was stored before is kept.'],
  ENOTDIR: ['unavailable', 'A file stands where the folder should be: `path` names a folder.'],
  EEXIST: ['unavailable', 'A file stands where the folder should be: `path` names a folder.'],
}

/** An error of the file system, in words that tell what to do. */
export function storeError(doing: string, path: string, cause: unknown): TokenStoreError {
  if (cause instanceof TokenStoreError) return cause
  const code = String(Object(cause).code ?? 'failed')
  const [reason, advice] = reasons[code] ?? ['unavailable', 'See the cause.']
  return new TokenStoreError(reason, `Token store: ${doing} ${path}: ${code}. ${advice}`, cause)
}
