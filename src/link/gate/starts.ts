import type { WireEvidence } from '../../../machines/evidence.js'
import { CRASH_MEMORY } from '../../../machines/policy.js'
import { type Clock, elapsed } from '../../clock.js'
import type { Answer, Door, Visitor } from './door.js'
import { Line } from './line.js'
import { Recent } from './recent.js'

/** Commands that are remembered. */
const MOST = 1_000
/** What was met so long ago says nothing of today, in milliseconds. */
const FORGOTTEN_MS = 600_000
/** Clocks and timers differ by less than this share. */
const NEARLY = 0.9

/** What is known of one command, whoever starts it. */
interface Command {
  readonly line: Line
  /** Exits before ready, in a row. */
  crashes: number
  crashedAt: number
  last: WireEvidence | undefined
  /** It got ready, and no process of it has ended since. */
  isProven: boolean
  /** A start was given up unfinished: one at a time shows what is the matter. */
  isInDoubt: boolean
}

/**
 * Processes. Until a command has got ready once, so many of it are started at a time as exits are still borne; from then
 * on it is not held up. When it has used up what is borne, nobody starts it again at once: each connection is told what
 * the others met, and now and then one of them tries. So any number of connections to a broken server costs three starts
 * (report 05.07).
 */
export class Starts {
  readonly #clock: Clock
  readonly #commands = new Recent<Command>({
    most: MOST,
    make: () => ({
      line: new Line(),
      crashes: 0,
      crashedAt: 0,
      last: undefined,
      isProven: false,
      isInDoubt: false,
    }),
    isIdle: ({ line, crashes, isProven, isInDoubt }) => line.isEmpty && crashes === 0 && !isProven && !isInDoubt,
    isInUse: ({ line }) => !line.isEmpty,
  })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Commands that something is known of. */
  get size(): number {
    return this.#commands.size
  }

  /** `key`: the same for every start that must go the same way. */
  door(key: string): Door {
    const of = (): Command => this.#commands.get(key)
    return {
      ask: (visitor) => this.#ask(of(), visitor),
      passed: (visitor) => {
        const command = of()
        command.line.leave(visitor)
        command.crashes = 0
        command.last = undefined
        command.isProven = true
        command.isInDoubt = false
        command.line.call(Number.POSITIVE_INFINITY)
      },
      leave: (visitor) => {
        const command = of()
        // Only a place that becomes free is worth a call: those who are refused and go would call each other.
        if (command.line.leave(visitor)) {
          command.isInDoubt = !command.isProven
          command.line.call(this.#room(command))
        }
        this.#commands.tidy(key)
      },
      cool: () => {},
      crashed: (visitor, evidence) => this.#crash(of(), visitor, evidence),
      ended: () => {
        of().isProven = false
      },
    }
  }

  #ask(command: Command, visitor: Visitor): Answer {
    const { line } = command
    if (line.isEmpty && this.#sinceCrash(command) >= FORGOTTEN_MS) command.crashes = 0
    // A wish counts once: whoever stands in line when it turns out to be in vain is told so like all others.
    if (visitor.insists && !line.waiting.has(visitor)) command.crashes = 0
    if (command.last && this.#isGivenUp(command) && this.#sinceCrash(command) < visitor.patienceMs * NEARLY) {
      line.leave(visitor)
      return { type: 'refused', evidence: told(command.last, command.crashes) }
    }
    return line.enter(visitor, this.#room(command)) ? { type: 'admitted' } : { type: 'held', because: 'starts' }
  }

  #crash(command: Command, visitor: Visitor, evidence: WireEvidence): number {
    // Its end may show in more than one way.
    if (!command.line.leave(visitor)) return command.crashes
    command.crashes += 1
    command.crashedAt = elapsed(this.#clock)
    command.last = evidence
    command.isProven = false
    // Those who wait either may start now, or have to hear that nobody does.
    command.line.call(this.#isGivenUp(command) ? Number.POSITIVE_INFINITY : this.#room(command))
    return command.crashes
  }

  /** For how many more. */
  #room({ line, crashes, isProven, isInDoubt }: Command): number {
    if (isProven) return Number.POSITIVE_INFINITY
    return (isInDoubt ? 1 : Math.max(1, CRASH_MEMORY - crashes)) - line.inside.size
  }

  #isGivenUp({ crashes }: Command): boolean {
    return crashes >= CRASH_MEMORY
  }

  #sinceCrash({ crashedAt }: Command): number {
    return elapsed(this.#clock) - crashedAt
  }
}

/** What the last start met, for somebody who did not start it. */
function told(evidence: WireEvidence, earlyExits: number): WireEvidence {
  const summary = `not started: for other connections it ended ${earlyExits} times in a row. ${evidence.summary}`
  return { ...evidence, sent: false, earlyExits, summary }
}
