/** Why a server stands as it does: what `doctor` and `report` tell. */
import { type Explanation, explanationText, type ServerStatus } from '../index.js'
import type { Fleet } from './fleet.js'
import { type Line, paint, piece } from './style.js'
import { printable } from './text.js'
import { errorOf, type ShownError } from './trouble.js'
import { version } from './version.js'

/** What is known of one server. */
export interface Diagnosis {
  readonly name: string
  readonly where?: string
  readonly status: string
  readonly isWell: boolean
  readonly error?: ShownError
  /** What to run where only a person who logs in can help. */
  readonly login?: string
  /** What is odd about its entry in the configuration. */
  readonly warnings: readonly string[]
  /** Absent where the configuration allows no connection. */
  readonly explanation?: Explanation
}

export function diagnose(fleet: Fleet, status: ServerStatus): Diagnosis {
  const { name, where } = status
  const connection = fleet.hub.connections.get(name)
  const error = errorOf(status)
  return {
    name,
    ...(where !== undefined && { where }),
    status: status.status,
    isWell: ['ready', 'idle', 'disabled'].includes(status.status),
    ...(error && { error }),
    ...(fleet.needsLogin(name) && { login: fleet.loginCommand(name) }),
    warnings: fleet.hub.entry(name)?.warnings ?? [],
    ...(connection && { explanation: connection.explain() }),
  }
}

/** For a terminal. One that is well is told in short, unless it was asked for by its name. */
export function diagnosisText(found: Diagnosis, { colour, full }: { colour: boolean; full: boolean }): string {
  const { name, status, where = '', isWell, explanation, login, warnings } = found
  const tone = isWell ? (status === 'ready' ? 'good' : 'faint') : 'bad'
  const say = (line: Line) => `${paint(line, { colour })}\n`
  const mark = piece(`${isWell ? '✓' : '✗'} `, tone)
  const more = [
    ...(login === undefined ? [] : [say([piece('  → Run: ', 'bad'), piece(printable(login), 'strong')])]),
    ...warnings.map((warning) => say([piece(`  ! ${printable(warning)}`)])),
  ]
  if (explanation && (full || !isWell)) {
    return `${paint([mark], { colour })} ${explanationText(explanation, { color: colour, brief: !full })}${more.join('')}\n`
  }
  const title = [mark, piece(printable(name), 'strong'), piece(`  ${status}`, tone), piece(`  ${printable(where)}`)]
  return [say(title), ...inShort(found).map((text) => say([piece(`  ${printable(text)}`)])), ...more].join('')
}

function inShort({ isWell, error, explanation }: Diagnosis): string[] {
  const { server, summary } = explanation ?? {}
  return [
    ...(server ? [`${server.name} ${server.version}, protocol ${server.protocolVersion}`] : []),
    ...(isWell && summary ? [summary] : []),
    ...(error ? [`${error.code}: ${error.message}`, `→ ${error.advice ?? ''}`] : []),
  ]
}

/** As a bug report in Markdown, of a server that has no connection to report of. */
export function unconnectedReport({ name, status, error, warnings }: Diagnosis, now: number): string {
  const facts = [
    ...(error ? [`${error.code}: ${error.message}`] : []),
    ...warnings,
    `mcp-lifeline ${version()}, Node.js ${process.version}, ${process.platform}, ${new Date(now).toISOString()}`,
  ]
  const lines = facts.map((fact) => `- ${code(fact)}`)
  return [`# MCP server ${code(name)}: ${status}`, '', ...lines, ''].join('\n')
}

/** What stands in files is text and nothing else. */
const code = (text: string): string => `\`${printable(text).replaceAll('`', "'")}\``
