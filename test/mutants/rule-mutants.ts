/** Mutants of the rules from evidence to fault: each rule removed, turned round, and each thing that it rules changed. */
import { type Rule, type Ruling, rules } from '../../machines/index.js'
import { misjudged } from '../model/rulings.js'
import { samples } from '../model/samples.js'

export interface RuleMutant {
  readonly kind: string
  readonly name: string
  /** Alters the rules; gives what puts them back. */
  readonly apply: () => () => void
}

const classes = ['transient', 'session-expired', 'unauthorized', 'mismatch', 'permanent'] as const
const deliveries = ['not-sent', 'refused', 'unknown'] as const

export const ruleMutants = (): RuleMutant[] => rules.flatMap((rule, i) => [...ofRule(rule, i), ...ofRuling(rule)])

function ofRule(rule: Rule, i: number): RuleMutant[] {
  const list = rules as Rule[]
  const { when } = rule
  const removed: RuleMutant = {
    kind: 'rule removed',
    name: rule.id,
    apply: () => {
      list.splice(i, 1)
      return () => {
        list.splice(i, 0, rule)
      }
    },
  }
  // The last one is asked by nobody: it is what is left.
  if (i === rules.length - 1) return [removed]
  return [
    removed,
    { kind: 'rule turned', name: rule.id, apply: () => changed(rule, { when: (evidence) => !when(evidence) }) },
    { kind: 'rule forced', name: rule.id, apply: () => changed(rule, { when: () => true }) },
  ]
}

function ofRuling({ id, ruling }: Rule): RuleMutant[] {
  const made = (kind: string, what: string, change: Partial<Ruling>): RuleMutant => ({
    kind,
    name: `${id}: ${what}`,
    apply: () => changed(ruling, change),
  })
  const { delivery = 'unknown', scope } = ruling
  return [
    ...classes.filter((one) => one !== ruling.class).map((one) => made('class altered', one, { class: one })),
    made('scope altered', '', { scope: scope === 'link' ? 'call' : 'link' }),
    ...deliveries.filter((one) => one !== delivery).map((one) => made('delivery altered', one, { delivery: one })),
    made('code altered', '', { code: `${ruling.code}x` }),
    made('suspicion turned', '', { suspect: ruling.suspect ? undefined : true }),
    // What is transient anyhow is so once ready, too.
    ...(ruling.class === 'transient'
      ? []
      : [made('patience turned', '', { transientOnceReady: ruling.transientOnceReady ? undefined : true })]),
    made('end of the session turned', '', { endsSession: ruling.endsSession ? undefined : true }),
    made('dialect altered', '', { dialect: ruling.dialect ? undefined : () => ({ version: 'none' }) }),
  ]
}

/** The sample that noticed first, or nothing. */
export function noticedBySamples(mutant: RuleMutant): string | undefined {
  const restore = mutant.apply()
  try {
    for (const sample of samples) {
      const message = misjudged(sample)
      if (message !== undefined) return message
    }
    return undefined
  } finally {
    restore()
  }
}

function changed<T extends object>(object: T, change: Partial<T>): () => void {
  const before = { ...object }
  Object.assign(object, change)
  return () => {
    for (const key of Object.keys(change)) if (!(key in before)) Reflect.deleteProperty(object, key)
    Object.assign(object, before)
  }
}
