import type { Fault } from '../../machines/faults.js'
import type { AuthOutcome } from '../../machines/types.js'
import type { Clock } from '../clock.js'
import type { AccessToken } from '../wire/index.js'

/** Where credentials are used: one connection to one server. */
export interface Site {
  /** Name of the connection, for messages. */
  readonly name: string
  /** The server's address. */
  readonly url: URL
  /** Expiry is a time of this clock, so it has to be the system's where credentials outlive the process. */
  readonly clock: Clock
  /** Used for discovery and at the authorization server. */
  readonly fetch: typeof globalThis.fetch
}

/**
 * Whoever gets the credentials of connections. `oauth()`, `clientCredentials()`, a {@link TokenSource} and any
 * `OAuthClientProvider` of the SDK become one; an own one answers these questions itself.
 */
export interface Authorizer {
  /** Begins to serve a connection. May be asked for several. */
  attach(site: Site): Credentials
}

/**
 * The credentials of one connection. Every step may be asked for again while it is under way, also by other
 * connections: whoever implements this lets one run and gives its outcome to all.
 */
export interface Credentials {
  /**
   * The credential for the next request; `undefined`: there is none yet. Asked before every request, so it reads what is
   * at hand and gets nothing over the network.
   */
  token(): Promise<AccessToken | undefined>
  /**
   * A credential without a person. With a refusal: one that is not the refused one. Without: ahead of time, if it is due.
   * What fails is an outcome with evidence; a rejection is judged as a failure that passes.
   */
  refresh(refusal?: Refusal): Promise<AuthOutcome>
  /** A credential with more scope. `needs-user` when a login was begun for it. */
  stepUp(refusal: Refusal): Promise<AuthOutcome>
  /** Begins a login, or goes on with one that is pending; it is then in `pending`. Rejects with evidence (`WireError`). */
  begin(refusal?: Refusal): Promise<void>
  /**
   * Takes the answer of a login to be exchanged.
   *
   * @throws AuthorizationResponseError when it is not an answer to a login of ours, or a refusal
   */
  answer(response: AuthorizationResponse): Promise<void>
  /** Turns the answer into a credential. */
  exchange(): Promise<AuthOutcome>
  /** The login that waits for a person. */
  readonly pending: LoginRequest | undefined
  /** An answer is at hand and not exchanged yet. */
  readonly answered: boolean
  /** Looks whether the credential was changed elsewhere; for stores that cannot tell. */
  look(): Promise<void>
  /** Tells of credentials that came from elsewhere, and of logins that begin and end; returns what ends it. */
  watch(listener: CredentialsListener): () => void
}

export interface CredentialsListener {
  /** Another credential is at hand than before. */
  changed(change: CredentialsChange): void
  /** A login began or ended. */
  login(): void
}

export interface CredentialsChange {
  readonly epoch: number
  /** When to refresh it ahead of its end, as a time of the site's clock. */
  readonly refreshAt?: number
  /** It comes of the same login as the one before. */
  readonly renewed: boolean
}

/** A login that waits for a person. The address holds what must not be logged: its state and its challenge. */
export interface LoginRequest {
  /** To be opened in the person's browser. */
  readonly url: URL
  /** Where the answer is awaited: what the browser is sent to ends in `connection.authorize()`. */
  readonly redirectUrl: string
  /** This connection began it. Otherwise another process did, and most likely has the browser open already. */
  readonly begunHere: boolean
}

/** What the browser came back with: its whole address, or the parameters out of it. */
export type AuthorizationResponse =
  | URL
  | string
  | { readonly code: string; readonly state: string; readonly iss?: string }

/** What a server said when it refused a request. */
export interface Refusal {
  /** The credential that was sent; absent when there was none. */
  readonly credentialEpoch?: number
  /** The credential is good, but not for this. */
  readonly insufficientScope: boolean
  /** The scope that the server asks for. */
  readonly scope?: string
  /** Where the server describes itself as a protected resource (RFC 9728). */
  readonly resourceMetadataUrl?: URL
}

let epochs = 0

/** Numbers every credential that is seen in this process, so that a later one always has the higher number. */
export function nextEpoch(): number {
  epochs += 1
  return epochs
}

/** What the fault says of the credential. */
export function refusalOf({ evidence }: Fault): Refusal {
  const { credentialEpoch, http } = evidence
  const challenge = readChallenge(http?.headers?.['www-authenticate'] ?? '')
  return {
    ...(credentialEpoch !== undefined && { credentialEpoch }),
    insufficientScope: challenge.error === 'insufficient_scope',
    ...(challenge.scope && { scope: challenge.scope }),
    ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
  }
}

function readChallenge(header: string): { error?: string; scope?: string; resourceMetadataUrl?: URL } {
  const of = (name: string) => {
    const [, quoted, bare] =
      new RegExp(`\\b${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 'i').exec(header) ?? []
    return quoted?.replace(/\\(.)/g, '$1') ?? bare
  }
  const address = of('resource_metadata') ?? ''
  const url = URL.canParse(address) ? new URL(address) : undefined
  return {
    error: of('error'),
    scope: of('scope'),
    resourceMetadataUrl: url && /^https?:$/.test(url.protocol) ? url : undefined,
  }
}
