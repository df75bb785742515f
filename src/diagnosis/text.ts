import type { Explanation } from './explain.js'
import type { Finding, Verdict } from './finding.js'
import { count, plain, plainLines, span } from './words.js'

export interface TextOptions {
  /** Colours by ANSI sequences. Default: none. */
  readonly color?: boolean
  /** Only what is wrong and how it came to that: neither what was found to be well nor bare facts. Default `false`. */
  readonly brief?: boolean
}

const marks: Readonly<Record<Verdict, string>> = { bad: '✗', unknown: '?', ok: '✓' }
const colors: Readonly<Record<Verdict, number>> = { bad: 31, unknown: 33, ok: 32 }

/** An explanation for a terminal. What servers said in it cannot steer the terminal. */
export function explanationText(explanation: Explanation, { color = false, brief = false }: TextOptions = {}): string {
  const paint = (text: string, code: number) => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
  const line = ({ verdict, question, evidence, advice }: Finding): string[] => [
    `  ${paint(marks[verdict], colors[verdict])} ${plain(question)}`,
    `      ${plain(evidence, 400)}`,
    ...(advice === undefined ? [] : [`      → ${plain(advice, 600)}`]),
  ]
  const { name, status, wire, target, summary, checklist, timeline, at, lastWords } = explanation
  const bad = checklist.filter(({ verdict }) => verdict === 'bad')
  const rest = checklist.filter(({ verdict }) => verdict !== 'bad')
  const [began] = timeline
  return [
    `${paint(plain(name), 1)}: ${status} (${wire}: ${plain(target)})`,
    plain(summary, 600),
    ...part(bad.length > 1 ? 'Causes, the first first' : 'Cause', bad.flatMap(line)),
    ...part(
      'What happened',
      timeline.map((entry) => `  ${when(entry.at - (began?.at ?? 0)).padEnd(12)}${plain(entry.text, 400)}`),
    ),
    ...part(
      'Last words of the server',
      plainLines(lastWords ?? '')
        .split('\n')
        .filter((words) => words.trim() !== '')
        .slice(-12)
        .map((words) => `  | ${words}`),
    ),
    ...part('Looked at as well', brief ? [] : rest.flatMap(line)),
    ...part('Facts', brief ? [] : facts(explanation, at).map(([label, fact]) => `  ${label.padEnd(18)}${fact}`)),
    '',
  ].join('\n')
}

const when = (ms: number): string => (ms === 0 ? '0' : `+${span(ms)}`)

const part = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', title, ...lines])

/** Bare facts, each with its label. */
export function facts(explanation: Explanation, now: number): [string, string][] {
  const { server, lastLifeAt, nextAttemptAt, rttMs, calls, host, history } = explanation
  return [
    ...(server ? [fact('server', plain(`${server.name} ${server.version}, protocol ${server.protocolVersion}`))] : []),
    ...(lastLifeAt !== undefined ? [fact('last sign of life', `${span(now - lastLifeAt)} ago`)] : []),
    ...(rttMs !== undefined ? [fact('last probe', span(rttMs))] : []),
    ...(nextAttemptAt !== undefined ? [fact('next attempt', `in ${span(nextAttemptAt - now)}`)] : []),
    fact('calls', `${calls.made} made, ${calls.waiting} waiting`),
    ...(history.length > 0 ? [fact('earlier incidents', history.map(past(now)).join('; '))] : []),
    fact('runs on', `mcp-lifeline ${host.library}, ${host.runtime}, ${host.platform}`),
  ]
}

const fact = (label: string, text: string): [string, string] => [label, text]

const past =
  (now: number) =>
  ({ code, startedAt, durationMs, outcome, failures }: Explanation['history'][number]): string =>
    `${code} ${span(now - startedAt)} ago, ${outcome} after ${span(durationMs)}, ${count(failures, 'failed attempt')}`
