import type { Catalog, SessionMemory } from '../link/index.js'
import { catalogHash, textHash } from '../link/index.js'
import type { Capabilities } from '../protocol.js'

/**
 * What another process needs to go on with a connection: small, versioned, plain JSON. It holds no token and no header,
 * but it names the session: who has it may speak in that session if the server asks for nothing else.
 */
export interface Checkpoint {
  readonly v: 1
  /** Tells whether it is of the same target. */
  readonly target: string
  readonly session?: {
    readonly id: string
    readonly protocolVersion: string
    readonly capabilities: Capabilities
    readonly serverInfo: { readonly name: string; readonly version: string }
    readonly instructions?: string
    readonly nextId: number
    /** Where the listening stream had got to. */
    readonly lastEventId?: string
  }
  /** Of the lists as last read; tells whether they are the same. */
  readonly catalog: string
  readonly logLevel?: string
  readonly subscriptions: readonly string[]
}

/** Requests that may be sent after a checkpoint was taken and before the process ends; their ids are not used again. */
const ID_RESERVE = 10_000

export function takeCheckpoint(
  address: string,
  session: SessionMemory | undefined,
  catalog: Catalog,
  wanted: { logLevel?: string; subscriptions: readonly string[] },
): Checkpoint {
  const { logLevel, subscriptions } = wanted
  return {
    v: 1,
    target: textHash(address),
    ...(session?.id !== undefined && { session: sessionPart(session, session.id) }),
    catalog: catalogHash(catalog),
    ...(logLevel !== undefined && { logLevel }),
    subscriptions: [...subscriptions],
  }
}

function sessionPart(session: SessionMemory, id: string): NonNullable<Checkpoint['session']> {
  const { protocolVersion, capabilities, serverInfo, instructions, nextId, lastEventId } = session
  const { name, version } = serverInfo
  return {
    id,
    protocolVersion,
    capabilities,
    serverInfo: { name, version },
    ...(instructions !== undefined && { instructions }),
    nextId: nextId + ID_RESERVE,
    ...(lastEventId !== undefined && { lastEventId }),
  }
}

/** What a checkpoint is good for here. One that is old, foreign, or no checkpoint at all is good for nothing, and no error. */
export function readCheckpoint(
  given: unknown,
  address: string,
): { session?: SessionMemory; logLevel?: string; subscriptions: readonly string[] } {
  const nothing = { subscriptions: [] }
  if (!isCheckpoint(given) || given.target !== textHash(address)) return nothing
  const { session, logLevel, subscriptions } = given
  return {
    ...(session && { session: { ...session, letters: undefined } }),
    ...(logLevel !== undefined && { logLevel }),
    subscriptions,
  }
}

function isCheckpoint(given: unknown): given is Checkpoint {
  if (!isRecord(given) || given.v !== 1 || typeof given.target !== 'string') return false
  if (!Array.isArray(given.subscriptions) || !given.subscriptions.every((uri) => typeof uri === 'string')) return false
  if (given.logLevel !== undefined && typeof given.logLevel !== 'string') return false
  return given.session === undefined || isSession(given.session)
}

function isSession(given: unknown): boolean {
  if (!isRecord(given)) return false
  const { id, protocolVersion, capabilities, serverInfo, nextId } = given
  return (
    typeof id === 'string' &&
    typeof protocolVersion === 'string' &&
    isRecord(capabilities) &&
    isRecord(serverInfo) &&
    typeof serverInfo.name === 'string' &&
    typeof serverInfo.version === 'string' &&
    Number.isSafeInteger(nextId)
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
