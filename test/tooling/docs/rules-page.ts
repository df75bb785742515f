import { backoffPresets, DEMAND_ATTEMPTS, DEMAND_CAP_MS, retryDelay } from '../../../machines/backoff.js'
import { classify } from '../../../machines/classify.js'
import { connectionChart } from '../../../machines/connection.js'
import { dialectKey, type Rule } from '../../../machines/faults.js'
import { guards } from '../../../machines/guards.js'
import { CRASH_MEMORY, MAX_AUTHORIZATIONS, MAX_MISSED_PROBES, resolvePolicy } from '../../../machines/policy.js'
import { authorizationRules } from '../../../machines/rules/authorization.js'
import { callRules } from '../../../machines/rules/call.js'
import { dialectRules } from '../../../machines/rules/dialect.js'
import { httpRules } from '../../../machines/rules/http.js'
import { rules } from '../../../machines/rules/index.js'
import { lastRules } from '../../../machines/rules/last.js'
import { networkRules } from '../../../machines/rules/network.js'
import { processRules } from '../../../machines/rules/process.js'
import { sessionRules } from '../../../machines/rules/session.js'
import { timeRules } from '../../../machines/rules/time.js'
import { samples } from '../../model/samples.js'
import { stateAt } from './chart-page.js'
import { deadlines, sampleContext } from './deadlines.js'
import { conditionsOf } from './declarations.js'
import { code, codes, duration, page, table } from './markdown.js'
import { pathOf, type Row, transitionsOf, withDescendants } from './transitions.js'

const sections: readonly { title: string; file: string; rules: readonly Rule[] }[] = [
  { title: 'Processes', file: 'process', rules: processRules },
  { title: 'Sockets and names', file: 'network', rules: networkRules },
  { title: 'Deadlines and probes', file: 'time', rules: timeRules },
  { title: 'Access', file: 'authorization', rules: authorizationRules },
  { title: 'Sessions', file: 'session', rules: sessionRules },
  { title: 'Versions and wires', file: 'dialect', rules: dialectRules },
  { title: 'Other HTTP answers', file: 'http', rules: httpRules },
  { title: 'Single calls, streams and messages', file: 'call', rules: callRules },
  { title: 'What is left', file: 'last', rules: lastRules },
]

/** docs/rules.md: how a failure is judged, what it leads to, and every time and count behind it. */
export function rulesPage(): string {
  return page(
    '# Rules',
    'Generated from the code by `npm run docs`; do not edit. The chart that these rules move is in [chart.md](chart.md).',
    'A failure is handled in two steps. First its **evidence** (status, exit code, errno, phase, …) is judged by the list of rules below: the result is a **fault**. Then the fault meets the list of verdicts, which says where the connection goes. In both lists the first entry that matches wins.',
    '## From evidence to fault',
    introduction,
    glance(),
    ...sections.map(section),
    '## From fault to state',
    'Every fault of scope `link` is one event, `fault`, and these are its transitions on `linked`. A fault of scope `call` ends its call and does not reach the chart; if it is marked as suspicious, `health` sends a probe.',
    verdictTable(),
    'While a credential is being fetched, `linked.reauthorizing` is asked first:',
    table(
      ['rule', 'guard', 'what it means'],
      reauthorizingRules().map(({ rule = '', guard = '', description = '' }) => [rule, code(guard), description]),
    ),
    `F0 also guards ${codes(guardedByF0())}: news of an older link cannot cast suspicion on this one.`,
    '## Deadlines and pauses',
    'Every deadline is an `after` of the chart, so an inspector shows it and a simulated clock drives it. Figures are the defaults; where two are given, chance picks between them.',
    deadlines(),
    '## Counts',
    counts(),
    '## Backoff',
    backoff(),
  )
}

const introduction = [
  'Rules given in the option `rules` are asked before all of these.',
  '',
  '- **class**: `transient` (wait and try again), `session-expired` (initialize anew), `unauthorized` (get a credential), `mismatch` (try again differently), `permanent` (stop).',
  '- **scope**: `link` means the connection cannot go on as it is; `call` means that one request failed. “+ probe” marks a fault that makes the chart ask for a sign of life.',
  '- **delivery**: `not-sent`, `refused` (the server certainly did not run it) or `unknown` (it may have run). When the evidence shows that nothing had left, it is `not-sent` whatever the rule says.',
  '- “transient once ready”: the sign is final on a new target, but it is also what a redeploy looks like. On a target that has once been ready the class is `transient`.',
  '- Sources name sections of the specification; numbers of reports, deviations, traps and promises are those that tests and comments cite.',
].join('\n')

function glance(): string {
  const all = sections.flatMap(({ rules }) => rules)
  if (all.some((rule, i) => rule !== rules[i]) || all.length !== rules.length) {
    throw new Error('the sections of the rules page do not follow the order of machines/rules/index.ts')
  }
  return table(
    ['#', 'rule', 'class', 'scope', 'delivery', 'code'],
    all.map((rule, i) => [
      `${i + 1}`,
      `[${rule.id}](#${rule.id})`,
      classOf(rule),
      scopeOf(rule),
      deliveryOf(rule),
      code(rule.ruling.code),
    ]),
  )
}

function section({ title, file, rules: listed }: (typeof sections)[number]): string {
  const path = `machines/rules/${file}.ts`
  const conditions = conditionsOf(path)
  return [
    `### ${title}`,
    `In [${path}](../${path}).`,
    ...listed.map((rule) => one(rule, conditions.get(rule.id))),
  ].join('\n\n')
}

function one(rule: Rule, condition: string | undefined): string {
  if (!condition) throw new Error(`the condition of rule '${rule.id}' was not found in its file`)
  const { ruling } = rule
  const dialect = ruling.dialect && `Tries: ${dialectOf(rule)}.`
  return [
    `#### ${rule.id}`,
    '',
    `${capital(rule.because)}.`,
    '',
    `- When: \`${condition}\``,
    `- Fault: ${classOf(rule)} · ${scopeOf(rule)} · ${deliveryOf(rule)} · ${code(ruling.code)}`,
    `- Advice: “${ruling.advice}”`,
    ...(dialect ? [`- ${dialect}`] : []),
    ...(ruling.endsSession ? ['- The session is ended on the server before a new one is made.'] : []),
    ...(rule.source ? [`- Source: ${rule.source}`] : []),
    `- Fired by, in \`test/model/rules.test.ts\`: ${firedBy(rule)}`,
  ].join('\n')
}

/** The tests that fire a rule, by their names. */
function firedBy({ id }: Rule): string {
  const names = samples.filter((sample) => sample.rule === id).map(({ name }) => `“${name}”`)
  if (names.length === 0) throw new Error(`no test fires the rule '${id}'`)
  return `${names.join(', ')}.`
}

/** What a rule proposes is known only with evidence, except where it is always the same. */
function dialectOf({ ruling, id }: Rule): string {
  const dialect = ruling.dialect?.({ kind: 'http', wire: 'http', phase: 'initializing', summary: '' })
  if (!dialect) throw new Error(`rule '${id}' names no dialect`)
  return dialect.version === undefined && !dialect.wire && !dialect.endSession
    ? 'the version that the server names'
    : dialectKey(dialect)
}

const classOf = ({ ruling }: Rule): string =>
  code(ruling.class) + (ruling.transientOnceReady ? ' (transient once ready)' : '')
const scopeOf = ({ ruling }: Rule): string => ruling.scope + (ruling.suspect ? ' + probe' : '')
const deliveryOf = ({ ruling }: Rule): string => ruling.delivery ?? 'unknown'
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const linked = stateAt('linked')

function verdictTable(): string {
  const rows = transitionsOf(linked).filter(({ on }) => on === 'fault')
  return table(
    ['verdict', 'guard', 'goes to', 'what it means'],
    rows.map(({ rule = '', guard, target, description = '' }) => [
      rule,
      guard ? code(guard) : 'none',
      target ? code(pathOf(target)) + (target === linked ? ', at once' : '') : 'stays',
      description,
    ]),
  )
}

function reauthorizingRules(): Row[] {
  return transitionsOf(stateAt('linked.reauthorizing')).filter(({ on }) => on === 'fault')
}

function guardedByF0(): string[] {
  const rows = withDescendants(connectionChart.root).flatMap(transitionsOf)
  const fenced = rows.filter(({ rule, on }) => rule === 'F0' && on !== 'fault')
  return [...new Set(fenced.map(({ on }) => on))]
}

function counts(): string {
  return table(
    ['what', 'how many', 'then'],
    [
      [
        'attempts in a row that end in backoff (`policy.maxAttempts`)',
        `${resolvePolicy('http').maxAttempts}`,
        'V8: `failed.exhausted`',
      ],
      ['sessions renewed in a row', `${renewals()}`, 'V7: `backoff`'],
      ['credentials fetched in a row', `${MAX_AUTHORIZATIONS}`, 'V3: `failed.permanent`'],
      ['exits before the handshake in a row', `${CRASH_MEMORY}`, 'V8: `failed.exhausted`'],
      ['probes in a row without an answer', `${MAX_MISSED_PROBES}`, 'rule `probe-unanswered`'],
      ['each other way to speak (version, wire, fresh session)', '1', 'V1: `failed.permanent`'],
    ],
  ).concat(
    '\n\nAll but the probes are forgotten when the connection has been ready for `stableAfter`, and by `retry`, `configure` or new credentials. Connecting alone resets nothing: a server that accepts and dies at once uses its attempts up.',
  )
}

/** As often as the guard of V5 lets it. */
function renewals(): number {
  const fault = classify({
    kind: 'http',
    wire: 'http',
    phase: 'ready',
    summary: '',
    sessionSent: true,
    http: { status: 404, exchange: 'message' },
  })
  let renewals = 0
  while (guards.renewable({ context: { ...sampleContext('http'), renewals }, event: { type: 'fault', fault } }))
    renewals++
  return renewals
}

const ATTEMPTS = [1, 2, 3, 4, 5, 6, 7, 8]

function backoff(): string {
  const presets = Object.entries(backoffPresets)
  const range = (policy: (typeof backoffPresets)[keyof typeof backoffPresets], attempt: number) =>
    [0, 1].map((random) => duration(retryDelay({ policy, attempt, random }))).join(' – ')
  return [
    'Where chance has a part, the longest delay is never quite reached. `responsive` is the default for stdio, `gentle` for everything else.',
    table(
      ['preset', ...ATTEMPTS.map((attempt) => `attempt ${attempt}`), 'no longer than'],
      presets.map(([name, policy]) => [
        code(name),
        ...ATTEMPTS.map((attempt) => range(policy, attempt)),
        duration(retryDelay({ policy, attempt: 1_000, random: 1 })),
      ]),
    ),
    `While a call waits, the grown delay is at most ${duration(DEMAND_CAP_MS)} for the first ${DEMAND_ATTEMPTS} attempts. A time that the server named (Retry-After, SSE \`retry:\`) is served in full first; then comes a delay between 0 and the larger of the first delay and 10 % of that time, so that not all clients return together.`,
  ].join('\n\n')
}
