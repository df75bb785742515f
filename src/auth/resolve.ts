import type { Authorizer } from './authorizer.js'
import { OAuthCredentials } from './oauth-credentials.js'
import { isProvider, type OAuthProvider } from './provider.js'
import { ProviderVault } from './provider-vault.js'
import { setupOf } from './setup.js'
import { isTokenSource, type TokenSource, tokenAuthorizer } from './token-source.js'

/** Everything that a connection takes as its authorizer. */
export type AnyAuthorizer = Authorizer | TokenSource | OAuthProvider

/**
 * The authorizer that is meant.
 *
 * @throws TypeError that says what an authorizer may be
 */
export function authorizerFor(given: AnyAuthorizer): Authorizer {
  if (typeof given === 'object' && given !== null) {
    if ('attach' in given && typeof given.attach === 'function') return given
    if (isProvider(given)) return providerAuthorizer(given)
    if (isTokenSource(given)) return tokenAuthorizer(given)
  }
  throw new TypeError(
    'authorizer is one of oauth(…), clientCredentials(…), { token(), refresh?() } and an OAuthClientProvider.',
  )
}

/** A provider written for the SDK, used as it is. */
function providerAuthorizer(provider: OAuthProvider): Authorizer {
  return {
    attach: (site) => new OAuthCredentials(site, setupOf(provider), new ProviderVault(provider)),
  }
}
