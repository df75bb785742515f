/** Why a server stands as it does, in words: what `doctor` and `report` tell. */
import type { Connection, Hub, Incident, ServerStatus } from '../index.js'
import { redact } from '../redact.js'
import { duration, printable } from './text.js'

/** A failure as plain data. */
export interface ShownError {
  readonly code: string
  readonly message: string
  readonly advice?: string
}

export function errorOf({ error, fault }: Pick<ServerStatus, 'error' | 'fault'>): ShownError | undefined {
  if (error) return { code: 'config', message: error.message }
  return fault && { code: fault.code, message: `${fault.evidence.summary}.`, advice: fault.advice }
}

/** What is known of one server. */
export interface Findings {
  readonly name: string
  readonly where?: string
  readonly status: string
  readonly isWell: boolean
  readonly error?: ShownError
  /** The last that its process wrote to stderr. */
  readonly lastWords?: string
  readonly server?: { readonly name: string; readonly version: string; readonly protocolVersion: string }
  readonly tools?: number
  readonly rttMs?: number
  readonly attempts?: { readonly made: number; readonly most: number }
  readonly incidents: readonly {
    readonly kind: string
    readonly reason: string
    readonly outcome: string
    readonly durationMs: number
  }[]
  /** What is odd about its entry in the configuration. */
  readonly warnings: readonly string[]
}

export function findingsOf(hub: Hub, status: ServerStatus, incidents: readonly Incident[]): Findings {
  const connection = hub.connections.get(status.name)
  const error = errorOf(status)
  const lastWords = status.fault?.evidence.exit?.stderrTail?.trim()
  return {
    name: status.name,
    ...(status.where !== undefined && { where: status.where }),
    status: status.status,
    isWell: ['ready', 'idle', 'disabled'].includes(status.status),
    ...(error && { error }),
    ...(lastWords && { lastWords: redact(lastWords) }),
    ...(connection && ofConnection(connection)),
    incidents: incidents.map(({ kind, reason, outcome, durationMs }) => ({
      kind,
      reason: reason.code,
      outcome,
      durationMs,
    })),
    warnings: hub.entry(status.name)?.warnings ?? [],
  }
}

function ofConnection({ session, catalog, rttMs, actor }: Connection) {
  const { attempts, policy } = actor.getSnapshot().context
  return {
    ...(session && { server: { ...nameAndVersion(session.serverInfo), protocolVersion: session.protocolVersion } }),
    ...(catalog.fetchedAt > 0 && { tools: catalog.tools.length }),
    ...(rttMs !== undefined && { rttMs }),
    ...(attempts > 0 && { attempts: { made: attempts, most: policy.maxAttempts } }),
  }
}

const nameAndVersion = ({ name, version }: { name: string; version: string }) => ({ name, version })

/** As lines for a terminal; the first tells how it stands. */
export function findingLines(found: Findings): string[] {
  const { error, lastWords, server, attempts, incidents, warnings } = found
  return [
    ...(server ? [`${server.name} ${server.version}, protocol ${server.protocolVersion}`] : []),
    ...(error ? [`${error.code}: ${error.message}`] : []),
    ...(error?.advice ? [`→ ${error.advice}`] : []),
    ...(attempts ? [`attempt ${attempts.made} of ${attempts.most}`] : []),
    ...incidents.map(
      ({ kind, reason, outcome, durationMs }) => `${kind} by ${reason}, ${outcome} after ${duration(durationMs)}`,
    ),
    ...(lastWords
      ? lastWords
          .split('\n')
          .slice(-6)
          .map((line) => `| ${line}`)
      : []),
    ...warnings.map((warning) => `! ${warning}`),
  ].map(printable)
}

/** As a bug report in Markdown. */
export function reportOf(found: Findings, { version, now }: { version: string; now: number }): string {
  const { name, where, status, lastWords } = found
  const facts = findingLines({ ...found, lastWords: undefined }).map((line) => `- ${line}`)
  return [
    `# MCP server \`${printable(name).replaceAll('`', '')}\`: ${status}`,
    '',
    `- ${printable(where ?? 'no connection')}`,
    ...facts,
    `- mcp-lifeline ${version}, Node ${process.version}, ${process.platform}, ${new Date(now).toISOString()}`,
    ...(lastWords ? ['', '## Last words on stderr', '', '```', ...lastWords.split('\n').map(printable), '```'] : []),
    '',
  ].join('\n')
}
