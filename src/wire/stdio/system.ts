import { setImmediate as afterThisTurn } from 'node:timers'
import { realTreeSystem, type TreeSystem } from './process-tree.js'
import { spawnChild } from './spawn.js'

/** What a wire needs of the operating system: it starts processes there and ends them. */
export interface ProcessSystem extends TreeSystem {
  readonly start: typeof spawnChild
  /** Calls back when all pipes have been looked at once more. From a timer; another timer could come before that. */
  readonly afterPipes: (callback: () => void) => void
}

const real: ProcessSystem = { ...realTreeSystem, start: spawnChild, afterPipes: afterThisTurn }
let present = real

/** Where the next process is started. */
export const processSystem = (): ProcessSystem => present

/**
 * Puts another system in the place of the real one, for the whole process, as its timers are replaced too: whoever
 * simulates one simulates the other.
 *
 * @returns what puts the former one back
 */
export function replaceProcessSystem(system: ProcessSystem): () => void {
  const former = present
  present = system
  return () => {
    present = former
  }
}
