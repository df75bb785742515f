import { ClientCredentialsProvider, PrivateKeyJwtProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import type { Authorizer } from './authorizer.js'
import { OAuthCredentials } from './oauth-credentials.js'
import { ProviderVault } from './provider-vault.js'
import { setupOf } from './setup.js'

/** Credentials of a program of its own, with no person behind it: by a secret, or by a private key. */
export type ClientCredentialsOptions = {
  readonly clientId: string
  /** Scopes to ask for, separated by spaces. Default: those that the server names. */
  readonly scope?: string
  /** The only authorization server that the credentials are sent to: else any server could name one of its own. */
  readonly issuer: string
} & (
  | { readonly clientSecret: string }
  /** A key as PEM or JWK, and how it signs (`ES256`, …): the secret never leaves (RFC 7523). */
  | { readonly privateKey: string | Uint8Array | Record<string, unknown>; readonly algorithm: string }
)

/**
 * The client credentials grant. Tokens are kept in memory and got again when they run out.
 *
 * @throws TypeError that names the option and what it may be
 */
export function clientCredentials(options: ClientCredentialsOptions): Authorizer {
  const { clientId, scope, issuer } = options
  if (typeof clientId !== 'string' || clientId === '')
    throw new TypeError('clientCredentials: clientId is the id of the client.')
  if (!URL.canParse(issuer))
    throw new TypeError('clientCredentials: issuer is the address of the authorization server.')
  const common = {
    clientId,
    ...(scope !== undefined && { scope }),
    expectedIssuer: issuer,
  }
  return {
    attach(site) {
      const provider =
        'clientSecret' in options
          ? new ClientCredentialsProvider({ ...common, clientSecret: options.clientSecret })
          : new PrivateKeyJwtProvider({ ...common, privateKey: options.privateKey, algorithm: options.algorithm })
      return new OAuthCredentials(site, setupOf(provider), new ProviderVault(provider))
    },
  }
}
