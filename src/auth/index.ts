/** Who gets the credentials of connections: logins, tokens of your own, credentials of a program. */
export {
  type AuthorizationResponse,
  type Authorizer,
  type Credentials,
  type CredentialsChange,
  type CredentialsListener,
  type LoginRequest,
  nextEpoch,
  type Refusal,
  refusalOf,
  type Site,
} from './authorizer.js'
export { type CallbackOptions, type LoopbackCallback, listenForCallback } from './callback.js'
export { type ClientCredentialsOptions, clientCredentials } from './client-credentials.js'
export { failedBy, stepEvidence } from './failure.js'
export { forgetLogin } from './forget.js'
export { type OAuthOptions, oauth } from './oauth.js'
export type { OAuthProvider } from './provider.js'
export { type AnyAuthorizer, authorizerFor } from './resolve.js'
export type { TokenStore } from './store.js'
export * from './stores/index.js'
export type { TokenSource } from './token-source.js'
