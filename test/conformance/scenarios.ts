/** Client scenarios of the official suite, and what each asks of a client. */
export interface Scenario {
  readonly name: string
  readonly asks: string
  /** It judges only what a client does, and finds no fault with one that does nothing. */
  readonly vacuous?: true
}

export const scenarios: readonly Scenario[] = [
  { name: 'initialize', asks: 'initialize names a version of the protocol and the client', vacuous: true },
  { name: 'tools_call', asks: 'lists tools and calls one' },
  { name: 'elicitation-sep1034-client-defaults', asks: 'fills in the defaults of an elicitation' },
  { name: 'sse-retry', asks: 'goes on with a stream that was closed, at the time the server named' },
  { name: 'auth/metadata-default', asks: 'finds the authorization server by the metadata of the resource' },
  { name: 'auth/metadata-var1', asks: 'the same, with metadata at the root' },
  { name: 'auth/metadata-var2', asks: 'the same, with an issuer that has a path' },
  { name: 'auth/metadata-var3', asks: 'the same, with metadata at an address of its own' },
  { name: 'auth/basic-cimd', asks: 'uses the URL of its own metadata as its client id' },
  { name: 'auth/scope-from-www-authenticate', asks: 'asks for the scope that the 401 names' },
  { name: 'auth/scope-from-scopes-supported', asks: 'else for the scopes of the resource' },
  { name: 'auth/scope-omitted-when-undefined', asks: 'else for none' },
  { name: 'auth/scope-step-up', asks: 'asks for more when a 403 says so' },
  { name: 'auth/scope-retry-limit', asks: 'does not ask for ever' },
  { name: 'auth/token-endpoint-auth-basic', asks: 'authenticates as the server asks: client_secret_basic' },
  { name: 'auth/token-endpoint-auth-post', asks: 'client_secret_post' },
  { name: 'auth/token-endpoint-auth-none', asks: 'as a public client' },
  { name: 'auth/pre-registration', asks: 'uses an id and a secret that were given to it' },
  { name: 'auth/2025-03-26-oauth-metadata-backcompat', asks: 'revision 2025-03-26: metadata on the server itself' },
  { name: 'auth/2025-03-26-oauth-endpoint-fallback', asks: 'revision 2025-03-26: endpoints by their default names' },
  { name: 'auth/resource-mismatch', asks: 'stops when the metadata speaks of another resource', vacuous: true },
  { name: 'auth/offline-access-scope', asks: 'asks for offline_access where it is offered' },
  { name: 'auth/offline-access-not-supported', asks: 'and not where it is not' },
  { name: 'auth/client-credentials-jwt', asks: 'works without a person: private_key_jwt' },
  { name: 'auth/client-credentials-basic', asks: 'works without a person: client_secret_basic' },
  { name: 'auth/cross-app-access-complete-flow', asks: "works with the login of an enterprise's identity provider" },
]
