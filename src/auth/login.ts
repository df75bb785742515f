/** A login: its address, and what is accepted as its answer. */
import { startAuthorization } from '@modelcontextprotocol/sdk/client/auth.js'
import { AuthorizationResponseError } from '../errors.js'
import type { AuthorizationResponse } from './authorizer.js'
import { type Discovered, isSameIssuer } from './discovery.js'
import { unusable } from './failure.js'
import { unite } from './scopes.js'
import type { OAuthSetup } from './setup.js'
import type { StoredClient } from './stored-client.js'
import type { PendingLogin } from './vault.js'

/**
 * Makes the address for the person's browser, with proof key and state.
 *
 * @throws WireError when the server's way of authorization is none that is safe: no code flow, no S256
 */
export async function makeLogin(
  setup: OAuthSetup,
  found: Discovered,
  client: StoredClient,
  scope: string | undefined,
  startedAt: number,
): Promise<PendingLogin> {
  const { issuer, metadata, resource } = found
  const redirectUrl = setup.redirectUrl ?? ''
  const state = (await setup.state?.()) || crypto.randomUUID()
  const begun = await startAuthorization(issuer, {
    clientInformation: client,
    redirectUrl,
    state,
    ...(metadata && { metadata }),
    ...(scope !== undefined && { scope }),
    ...(resource !== undefined && { resource }),
  }).catch(() => {
    throw unusable('the authorization server offers no code flow with a proof key (S256)')
  })
  const namesItself = metadata && 'authorization_response_iss_parameter_supported' in metadata
  return {
    state,
    verifier: begun.codeVerifier,
    url: begun.authorizationUrl.href,
    redirectUrl,
    issuer,
    ...(metadata?.issuer && { namedIssuer: metadata.issuer }),
    ...(namesItself && { namesItself: metadata.authorization_response_iss_parameter_supported === true }),
    ...(scope !== undefined && { scope }),
    ...(resource !== undefined && { resource }),
    ...(setup.registers && { client }),
    startedAt,
  }
}

/**
 * The scope to ask for: what the server asked for last, else what it names, else what the client was made with; and the
 * right to refresh where the authorization server has a scope for it.
 */
export function scopeFor(
  setup: OAuthSetup,
  { metadata, scope }: Discovered,
  wanted: string | undefined,
): string | undefined {
  const { scope: own, grant_types } = setup.clientMetadata()
  const chosen = wanted ?? scope ?? own
  const offline = metadata?.scopes_supported?.includes('offline_access') && grant_types?.includes('refresh_token')
  return offline ? unite(chosen, 'offline_access') : chosen
}

/** What stands in an answer. */
export interface Answer {
  readonly state: string | undefined
  readonly code: string | undefined
  readonly iss: string | undefined
  readonly error: string | undefined
}

/** @throws AuthorizationResponseError when it is no address */
export function readAnswer(response: AuthorizationResponse): Answer {
  if (typeof response === 'object' && !(response instanceof URL)) {
    const { code, state, iss } = response
    return { code, state, iss, error: undefined }
  }
  if (!URL.canParse(String(response))) throw new AuthorizationResponseError('unreadable')
  const { searchParams } = new URL(response)
  const of = (name: string) => searchParams.get(name) ?? undefined
  return { code: of('code'), state: of('state'), iss: of('iss'), error: of('error') }
}

/**
 * Refuses an answer that did not come from where the login was sent (RFC 9207): another server could have it exchange a
 * code that is not meant for us.
 *
 * @throws AuthorizationResponseError
 */
export function checkIssuer({ iss }: Answer, { namedIssuer, namesItself, issuer }: PendingLogin): void {
  if (iss === undefined ? namesItself : !isSameIssuer(iss, namedIssuer ?? issuer)) {
    throw new AuthorizationResponseError('issuer')
  }
}
