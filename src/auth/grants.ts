/** The requests for tokens: one shape for what comes of each, judged by what the server answered. */
import {
  exchangeAuthorization,
  fetchToken,
  type OAuthClientProvider,
  refreshAuthorization,
} from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { WireError } from '../wire/index.js'
import type { Discovered } from './discovery.js'
import { stepEvidence, type Verdict } from './failure.js'
import type { Messenger } from './messenger.js'
import type { OAuthSetup } from './setup.js'
import type { StoredClient } from './stored-client.js'
import type { PendingLogin } from './vault.js'

export type Grant =
  | { readonly tokens: OAuthTokens }
  | { readonly verdict: Verdict; readonly evidence: WireError['evidence'] }

/** What every request for tokens is made of. */
export interface GrantContext {
  readonly setup: OAuthSetup
  readonly found: Discovered
  readonly client: StoredClient | undefined
  readonly messenger: Messenger
}

export function byRefresh(context: GrantContext, refreshToken: string): Promise<Grant> {
  const { setup, found, client, messenger } = context
  return granted(messenger, () =>
    refreshAuthorization(found.issuer, {
      ...common(found),
      clientInformation: client ?? { client_id: '' },
      refreshToken,
      ...(setup.addClientAuthentication && { addClientAuthentication: setup.addClientAuthentication }),
      fetchFn: messenger.fetch,
    }),
  )
}

export function byCode(context: GrantContext, code: string, login: PendingLogin): Promise<Grant> {
  const { setup, found, client, messenger } = context
  return granted(messenger, () =>
    exchangeAuthorization(login.issuer, {
      ...common(found),
      clientInformation: client ?? { client_id: '' },
      authorizationCode: code,
      codeVerifier: login.verifier,
      redirectUri: login.redirectUrl,
      ...(login.resource !== undefined && { resource: login.resource }),
      ...(setup.addClientAuthentication && { addClientAuthentication: setup.addClientAuthentication }),
      fetchFn: messenger.fetch,
    }),
  )
}

/** Credentials of the client's own: no person, no refresh token. */
export function byClient(context: GrantContext, scope: string | undefined): Promise<Grant> {
  const { setup, found, client, messenger } = context
  const asked = { ...setup.clientMetadata(), ...(scope !== undefined && { scope }) }
  const provider: OAuthClientProvider = {
    redirectUrl: undefined,
    clientMetadata: asked,
    clientInformation: () => client,
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => '',
    ...(setup.addClientAuthentication && { addClientAuthentication: setup.addClientAuthentication }),
    ...(setup.prepareTokenRequest && { prepareTokenRequest: setup.prepareTokenRequest }),
  }
  return granted(messenger, () => fetchToken(provider, found.issuer, { ...common(found), fetchFn: messenger.fetch }))
}

/** The resource goes out exactly as the server wrote it. */
function common({ metadata, resource }: Discovered): Pick<Discovered, 'metadata' | 'resource'> {
  return { ...(metadata && { metadata }), ...(resource !== undefined && { resource }) }
}

async function granted(messenger: Messenger, ask: () => Promise<OAuthTokens>): Promise<Grant> {
  messenger.forget()
  try {
    return { tokens: await ask() }
  } catch (error) {
    if (messenger.failure) return messenger.failure
    if (error instanceof WireError) throw error
    // The answer was good JSON and no token, or the request could not be made.
    return { verdict: 'passing', evidence: stepEvidence('the answer for a token cannot be read') }
  }
}
