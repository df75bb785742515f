import type { WireEvidence } from '../../machines/evidence.js'
import { complainsOf, type Fault, wantsScope } from '../../machines/faults.js'
import type { CallHost } from '../calls/index.js'
import type { Clock, Random } from '../clock.js'
import { type Catalog, type ConnectionRuntime, judge } from '../link/index.js'
import { isReadOnly } from '../protocol.js'
import type { Standing } from './standing.js'

/** The connection as its calls see it. */
export class ConnectionCallHost implements CallHost {
  readonly #runtime: ConnectionRuntime
  readonly #standing: Standing

  constructor(runtime: ConnectionRuntime, standing: Standing) {
    this.#runtime = runtime
    this.#standing = standing
  }

  get name(): string {
    return this.#runtime.name
  }
  get clock(): Clock {
    return this.#runtime.clock
  }
  get random(): Random {
    return this.#runtime.random
  }
  get queueLimit(): number {
    return this.#runtime.policy.queueLimit
  }
  get callMs(): number {
    return this.#runtime.policy.callMs
  }

  requester() {
    return this.#standing.usable ? this.#runtime.live : undefined
  }

  refusal(): Error | undefined {
    return this.#standing.refusal()
  }

  lastFault(): Fault | undefined {
    return this.#standing.fault
  }

  loginRequired(fault?: Fault): Error | undefined {
    return this.#standing.loginRequired(fault)
  }

  scopeFor({ evidence }: Fault): 'awaited' | 'had' | 'none' {
    if (this.#standing.stepsUp) return 'awaited'
    const { credentialEpoch } = this.#standing.actor.getSnapshot().context
    // Without a link there is no telling; the next one will.
    return !this.#standing.usable || (evidence.credentialEpoch ?? credentialEpoch) < credentialEpoch ? 'had' : 'none'
  }

  judge(evidence: WireEvidence): Fault {
    const { legacyAllowed, dialectsTried } = this.#standing.actor.getSnapshot().context
    return judge(this.#runtime, evidence, 'ready', { everReady: true, legacyAllowed, dialectsTried })
  }

  report(fault: Fault, generation: number): void {
    const { actor, over } = this.#standing
    if (over) return
    const credentialEpoch = complainsOf(fault)
    const { live } = this.#runtime
    if (live?.generation === generation) live.note(fault)
    if (fault.scope === 'link') actor.send({ type: 'fault', fault, generation, credentialEpoch })
    else {
      this.#runtime.onNote?.({ type: 'call-fault', fault })
      if (wantsScope(fault)) actor.send({ type: 'scope.insufficient', fault, generation, credentialEpoch })
      else if (fault.suspect) actor.send({ type: 'suspect', generation })
    }
  }

  demand(raised: boolean): void {
    if (!this.#standing.over) this.#standing.actor.send({ type: raised ? 'demand.raised' : 'demand.cleared' })
  }

  isReplayable(method: string, params: Record<string, unknown> | undefined): boolean {
    if (isReadOnly(method)) return true
    return this.#runtime.trusted && saysHarmless(this.#runtime.catalog$.value, method, params)
  }
}

function saysHarmless(catalog: Catalog, method: string, params: Record<string, unknown> | undefined): boolean {
  if (method !== 'tools/call') return false
  const hints = catalog.tools.find((tool) => tool.name === params?.name)?.annotations
  return hints?.readOnlyHint === true || hints?.idempotentHint === true
}
