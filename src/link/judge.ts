import { classify } from '../../machines/classify.js'
import type { Evidence, Phase, WireEvidence } from '../../machines/evidence.js'
import type { Fault } from '../../machines/faults.js'
import { elapsed } from '../clock.js'
import type { ConnectionRuntime } from './runtime.js'

/** Completes what a wire saw by where the connection stands, and judges it. */
export function judge(
  runtime: ConnectionRuntime,
  evidence: WireEvidence,
  phase: Phase,
  standing: Pick<Evidence, 'everReady' | 'legacyAllowed' | 'dialectsTried' | 'askedVersion'>,
): Fault {
  const { everReady, legacyAllowed, dialectsTried, askedVersion } = standing
  const { refusedSince } = runtime.session ?? {}
  const refusedForMs = refusedSince === undefined ? undefined : elapsed(runtime.clock) - refusedSince
  const seen = { ...evidence, phase, everReady, legacyAllowed, dialectsTried, askedVersion, refusedForMs }
  return classify(seen, runtime.rules)
}
