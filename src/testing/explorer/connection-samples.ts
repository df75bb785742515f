import {
  type AuthOutcome,
  type ConnectionContext,
  type ConnectionInput,
  type Evidence,
  type Fault,
  type PolicyOptions,
  resolvePolicy,
  type SessionSummary,
  type WireEvidence,
} from '../../../machines/index.js'

/** An input for exploring: fixed chance, a policy that gives up after two attempts, and nothing behind it. */
export function sampleInput(given: Partial<Omit<ConnectionInput, 'policy'>> & { policy?: PolicyOptions } = {}) {
  const { policy, wire = 'http', ...rest } = given
  return {
    name: 'sample',
    wire,
    remote: wire !== 'stdio',
    authorizer: false,
    legacyAllowed: false,
    resumable: false,
    rules: [],
    random: () => 0.5,
    now: () => 0,
    runtime: { name: 'sample', toJSON: () => 'sample' },
    ...rest,
    policy: resolvePolicy(wire, { maxAttempts: 2, ...policy }),
  } satisfies ConnectionInput
}

const evidence = (given: Partial<Evidence>): Evidence => ({
  kind: 'closed',
  wire: 'http',
  phase: 'ready',
  summary: 'a sample',
  ...given,
})

/** A fault as a wire might report it. */
export const sampleFault = (faultClass: string, given: Partial<Fault> = {}, seen: Partial<Evidence> = {}): Fault => ({
  class: faultClass,
  code: `sample.${faultClass}`,
  scope: 'link',
  delivery: 'unknown',
  advice: 'It is a sample.',
  rule: 'sample',
  evidence: evidence(seen),
  ...given,
})

export const sampleSession = (resumable: boolean): SessionSummary => ({
  protocolVersion: '2025-11-25',
  server: { name: 'sample', version: '1' },
  resumable,
})

export const granted = (context: ConnectionContext, refreshAt?: number): AuthOutcome => ({
  type: 'granted',
  epoch: context.credentialEpoch + 1,
  ...(refreshAt !== undefined && { refreshAt }),
})

/** A step of authorization that failed: the token endpoint was away, or it refused the login. */
export const failedStep = (subject?: WireEvidence['subject']): AuthOutcome => {
  const seen: WireEvidence = {
    kind: 'token',
    wire: 'http',
    summary: 'a sample',
    ...(subject && { subject }),
    http: { status: subject ? 400 : 503, exchange: 'message' },
  }
  return { type: 'failed', evidence: seen }
}
