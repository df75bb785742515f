import type { CaseFile } from './case-file.js'

/**
 * - `ok`: looked at, and nothing wrong with it
 * - `bad`: the cause of the trouble, or a part of it
 * - `unknown`: what is known does not tell
 */
export type Verdict = 'ok' | 'bad' | 'unknown'

export interface Judgement {
  readonly verdict: Verdict
  /** What it was judged by, in one sentence. */
  readonly evidence: string
  /** What to do; for `bad` always there. */
  readonly advice?: string
}

/** One item of the checklist. */
export interface Finding extends Judgement {
  /** Stable and for programs. */
  readonly id: string
  readonly question: string
}

/** Looks at one thing. Pure; the same file gives the same judgement. */
export interface Check {
  readonly id: string
  readonly question: string
  /** Whether the question makes sense for this connection. Default: it does. */
  readonly applies?: (file: CaseFile) => boolean
  readonly look: (file: CaseFile) => Judgement
}

export const ok = (evidence: string): Judgement => ({ verdict: 'ok', evidence })
export const bad = (evidence: string, advice: string): Judgement => ({ verdict: 'bad', evidence, advice })
export const unknown = (evidence: string): Judgement => ({ verdict: 'unknown', evidence })
