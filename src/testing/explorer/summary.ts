import type { AnyStateMachine } from 'xstate'
import type { Coverage, Report } from './types.js'

/** A report as a block of text: counts first, then what is missing, then what is broken. */
export function summarize<M extends AnyStateMachine>(report: Report<M>): string {
  const rows: [string, string][] = [
    ['abstract states', `${report.states} (${slicesOf(report)}; ${report.border} of them at a border)`],
    ['pairs tried', `${report.pairs} (${report.ignored} ignored) in ${report.seconds.toFixed(1)} s`],
    ['transitions', of(report.transitions)],
    ['rules', of(report.rules)],
    ['guards, both ways', of(report.guards)],
    ['actions', of(report.actions)],
    ['delays', of(report.delays)],
    ['violations', String(report.violations.length)],
  ]
  const missing = [report.transitions, report.rules, report.guards, report.actions, report.delays].flatMap((coverage) =>
    coverage.missing.map((name) => `  never: ${name}`),
  )
  const broken = report.violations.map(
    ({ invariant, message, slice, path, times }) =>
      `  broken (${times} times): ${invariant}\n    ${message}\n    in ${slice}: ${path.join(' → ')}`,
  )
  return [...rows.map(([name, value]) => `${name.padEnd(18)} ${value}`), ...missing, ...broken].join('\n')
}

const of = ({ hit, total }: Coverage): string => `${hit}/${total}`

const slicesOf = <M extends AnyStateMachine>({ perSlice }: Report<M>): string =>
  Object.entries(perSlice)
    .map(([name, states]) => `${name} ${states}`)
    .join(', ')
