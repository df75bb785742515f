import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientMetadata } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { OAuthProvider } from './provider.js'

/** What an OAuth client is, apart from what it remembers. */
export interface OAuthSetup {
  /** Where the browser is sent back to. Absent: no person ever logs in here. */
  readonly redirectUrl?: string
  /** Of an own client; what it registers as. */
  readonly clientMetadata: () => OAuthClientMetadata
  /** A client id that is the address of the client's metadata (CIMD), for servers that take such. */
  readonly clientMetadataUrl?: string
  /** Whether a client may be registered where none is known. */
  readonly registers: boolean
  state?(): string | Promise<string>
  readonly addClientAuthentication?: OAuthClientProvider['addClientAuthentication']
  readonly prepareTokenRequest?: OAuthClientProvider['prepareTokenRequest']
  readonly validateResourceURL?: OAuthClientProvider['validateResourceURL']
  /** A login was begun; its address, for whoever opens browsers. */
  onLogin?(url: URL): void | Promise<void>
}

/** A provider of the SDK's kind, by its own words. */
export function setupOf(provider: OAuthProvider): OAuthSetup {
  const { redirectUrl, clientMetadataUrl } = provider
  return {
    ...(redirectUrl && { redirectUrl: String(redirectUrl) }),
    clientMetadata: () => provider.clientMetadata,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    registers: provider.saveClientInformation !== undefined && Boolean(redirectUrl),
    ...(provider.state && { state: () => provider.state?.() ?? '' }),
    ...(provider.addClientAuthentication && {
      addClientAuthentication: (...given) => provider.addClientAuthentication?.(...given),
    }),
    ...(provider.prepareTokenRequest && { prepareTokenRequest: (scope) => provider.prepareTokenRequest?.(scope) }),
    ...(provider.validateResourceURL && {
      validateResourceURL: async (server, resource) => provider.validateResourceURL?.(server, resource),
    }),
    onLogin: (url) => provider.redirectToAuthorization(url),
  }
}
