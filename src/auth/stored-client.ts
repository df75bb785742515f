/** A client as the authorization server knows it. */
export interface StoredClient {
  readonly client_id: string
  readonly client_secret?: string
  /** The authorization server that knows it. It is shown to no other. */
  readonly issuer?: string
  readonly [more: string]: unknown
}
