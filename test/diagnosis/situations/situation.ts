import type { Explanation } from '../../../src/index.js'

/** One broken situation, how it is played, and what an explanation of it has to say. */
export interface Situation {
  /** What is broken, as a person would say it. Stands in docs/troubleshooting.md. */
  readonly name: string
  /** Id of the question that has to be bad first. */
  readonly cause: string
  /** What else is bad as well, since it follows from the cause. Nothing else may be. */
  readonly also?: readonly string[]
  /** Stands in what the explanation says of the cause. Ports are written as PORT. */
  readonly says: string
  /** What it advises, word for word. Ports are written as PORT. */
  readonly advice: string
  /** Brings it about with real processes and sockets, and explains it. */
  readonly play: () => Promise<Explanation>
}

/** Without what differs from run to run. */
export const steady = (text: string): string => text.replace(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT')
