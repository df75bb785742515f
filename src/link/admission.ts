import type { WireEvidence } from '../../machines/evidence.js'
import type { Fault } from '../../machines/faults.js'
import type { LinkEvent } from '../../machines/types.js'
import type { Door } from './gate/index.js'

/** What a link is told of its way through the gate. */
export interface AdmissionWays {
  tell(event: LinkEvent): void
  refuse(evidence: WireEvidence): void
}

/** One link at the gate: asks as often as the chart says, is let through once, and leaves. */
export class Admission {
  readonly #door: Door | undefined
  readonly #visitor: Parameters<Door['ask']>[0]
  readonly #ways: AdmissionWays
  readonly #entered: Promise<boolean>
  #settle!: (isIn: boolean) => void
  #isSettled = false

  constructor(
    door: Door | undefined,
    { insists, patienceMs }: { insists: boolean; patienceMs: number },
    ways: AdmissionWays,
  ) {
    this.#door = door
    this.#ways = ways
    this.#visitor = { insists, patienceMs, called: () => ways.tell({ type: 'link.called' }) }
    this.#entered = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Resolves when the link may open its wire; with `false` when it never may. */
  get entered(): Promise<boolean> {
    return this.#entered
  }

  ask(): void {
    if (this.#isSettled) return
    const answer = this.#door?.ask(this.#visitor)
    switch (answer?.type) {
      case 'held':
        this.#ways.tell({ type: 'link.held', because: answer.because, forMs: answer.forMs })
        break
      case 'refused':
        this.#ways.refuse(answer.evidence)
        this.#end(false)
        break
      default:
        this.#end(true)
    }
  }

  passed(): void {
    this.#door?.passed(this.#visitor)
  }

  /** The process ended before it was ready; tells how often that has happened, to whichever connection. */
  crashed(evidence: WireEvidence): number | undefined {
    return this.#door?.crashed(this.#visitor, evidence)
  }

  /** A fault tells what all connections to the server should know. */
  heed({ retryAfterMs, evidence }: Fault): void {
    if (evidence.kind === 'http' && retryAfterMs !== undefined) this.#door?.cool(retryAfterMs)
    if (evidence.kind === 'exit' && evidence.phase === 'ready') this.#door?.ended()
  }

  leave(): void {
    this.#end(false)
    this.#door?.leave(this.#visitor)
  }

  #end(isIn: boolean): void {
    this.#isSettled = true
    this.#settle(isIn)
  }
}
