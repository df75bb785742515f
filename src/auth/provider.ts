/**
 * As much of the SDK's `OAuthClientProvider` as is used, described structurally, so that no SDK type stands in our public
 * face. Every provider written for the SDK fits, and is used as it is.
 */
export interface OAuthProvider {
  readonly redirectUrl: string | URL | undefined
  readonly clientMetadataUrl?: string
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's types of these documents are its own, and differ by version
  readonly clientMetadata: any
  state?(): string | Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  clientInformation(): any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  saveClientInformation?(clientInformation: any): void | Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  tokens(): any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  saveTokens(tokens: any): void | Promise<void>
  redirectToAuthorization(authorizationUrl: URL): void | Promise<void>
  saveCodeVerifier(codeVerifier: string): void | Promise<void>
  codeVerifier(): string | Promise<string>
  addClientAuthentication?(
    headers: Headers,
    params: URLSearchParams,
    url: string | URL,
    // biome-ignore lint/suspicious/noExplicitAny: as above
    metadata?: any,
  ): void | Promise<void>
  validateResourceURL?(serverUrl: string | URL, resource?: string): Promise<URL | undefined>
  invalidateCredentials?(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void | Promise<void>
  prepareTokenRequest?(scope?: string): URLSearchParams | Promise<URLSearchParams | undefined> | undefined
}

export const isProvider = (value: object): value is OAuthProvider =>
  'clientMetadata' in value &&
  'tokens' in value &&
  typeof value.tokens === 'function' &&
  'redirectToAuthorization' in value &&
  typeof value.redirectToAuthorization === 'function'
