/** One measured thing: what was seen, what it is compared with, and what was promised. */
export interface Figure {
  readonly name: string
  readonly unit: 'µs' | 'ms' | 's' | 'KiB' | 'requests' | 'rounds' | '%' | '×'
  readonly ours: number
  readonly compared?: { readonly with: string; readonly value: number }
  /** Median over rounds of ours / compared, in one round measured one after the other. */
  readonly ratio?: number
  /** The ratios, or values where nothing is compared, between which the middle half of the rounds lies. */
  readonly spread?: readonly [number, number]
  readonly promise?: Bound
  /** Of a storm: handshakes in each second after the server's return. */
  readonly perSecond?: readonly number[]
}

/** What `--json` writes. */
export interface Report {
  readonly node: string
  readonly cpus: number
  /** Of the machine, before the run. */
  readonly load: number
  readonly short: boolean
  readonly seconds: number
  readonly versions: Readonly<Record<string, string>>
  readonly suites: readonly { readonly title: string; readonly figures: readonly Figure[] }[]
}

interface Bound {
  /** What is bounded: the ratio, our value, or what ours is above the other. */
  readonly of: 'ratio' | 'value' | 'difference'
  readonly budget: number
  /** Where a run fails: noise of shared machines allowed for. Default: the budget. */
  readonly limit?: number
}

/** A part of the benchmark; each figure is told as soon as it is there. */
export interface Suite {
  readonly title: string
  figures(effort: Effort): readonly Task[]
}

export interface Task {
  /** What `--only` looks at. */
  readonly name: string
  readonly run: () => Promise<readonly Figure[]>
}

export interface Effort {
  /** For CI: fewer rounds, and only what tells most. */
  readonly short: boolean
}

export const boundRatio = (budget: number, limit = budget): Bound => ({ of: 'ratio', budget, limit })
export const boundValue = (budget: number, limit = budget): Bound => ({ of: 'value', budget, limit })
export const boundDifference = (budget: number, limit = budget): Bound => ({ of: 'difference', budget, limit })

/** What the promise is about. */
export function bounded({ ours, compared, ratio, promise }: Figure): number {
  if (promise?.of === 'ratio') return ratio ?? Number.NaN
  return promise?.of === 'difference' ? ours - (compared?.value ?? Number.NaN) : ours
}

export type Verdict = 'kept' | 'over budget' | 'FAILED' | ''

export function verdictOn(figure: Figure): Verdict {
  const { promise } = figure
  if (!promise) return ''
  const seen = bounded(figure)
  if (seen <= promise.budget) return 'kept'
  // What cannot be told apart from nothing measured has failed as well.
  return seen <= (promise.limit ?? promise.budget) ? 'over budget' : 'FAILED'
}

export function shown(value: number, unit: Figure['unit']): string {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return `${value.toFixed(digits)}${unit === '%' ? ' %' : ` ${unit}`}`
}

/** As one row of a table: name, ours, the other, ratio, spread, promise, verdict. */
export function cells(figure: Figure): string[] {
  const { name, unit, ours, compared, ratio, spread, promise } = figure
  const bound = promise && (promise.of === 'ratio' ? `≤ ${promise.budget} ×` : shownBound(promise, unit))
  return [
    name,
    shown(ours, unit),
    compared ? `${shown(compared.value, unit)} (${compared.with})` : '',
    ratio === undefined ? '' : ratio.toFixed(2),
    spread ? `${spread[0].toFixed(2)}–${spread[1].toFixed(2)}` : '',
    bound ?? '',
    verdictOn(figure),
  ]
}

const shownBound = ({ of, budget }: Bound, unit: Figure['unit']): string =>
  of === 'value' ? `≤ ${shown(budget, unit)}` : `≤ ${shown(budget, unit)} above`
