import type { Chance } from './chance.js'

/** What kind of program a child runs; it does not change while it runs. */
export interface ChildTraits {
  /** From its start until it reads, in milliseconds: least and most. */
  readonly startMs: readonly [least: number, most: number]
  /** Share of its messages before which something stands on stdout that is none. */
  readonly babbles: number
  readonly ignoresEof: boolean
  readonly ignoresTerm: boolean
  /** Another process of its group, which may outlive it, and may hold its pipes open. */
  readonly helper: 'none' | 'plain' | 'holds the pipes'
  /** What its stdin holds before the writer has to wait. */
  readonly pipeBytes: number
  /** Where it runs: without `/proc`, so that what the simulation says of a group counts. */
  readonly platform: 'darwin' | 'win32'
}

export function childTraitsOf(chance: Chance): ChildTraits {
  const least = chance.whole(1, 100)
  const isWindows = chance.happens(0.15)
  const helper = chance.weighted({ none: 3, plain: 1, 'holds the pipes': 1 })
  return {
    startMs: [least, least + chance.mostlySmall(0, 5_000)],
    babbles: chance.pick([0, 0, 0.1, 0.5]),
    ignoresEof: chance.happens(0.25),
    ignoresTerm: chance.happens(0.2),
    // There, what is below a process that is gone cannot be found.
    helper: isWindows ? 'none' : helper,
    pipeBytes: chance.pick([256, 4_096, 65_536]),
    platform: isWindows ? 'win32' : 'darwin',
  }
}
