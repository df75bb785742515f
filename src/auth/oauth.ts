import type { OAuthClientMetadata } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Authorizer } from './authorizer.js'
import { OAuthCredentials } from './oauth-credentials.js'
import type { OAuthSetup } from './setup.js'
import type { TokenStore } from './store.js'
import { StoreVault } from './store-vault.js'
import type { StoredClient } from './stored-client.js'
import type { Remembered, Vault } from './vault.js'

/** How a person logs in, and where the login is remembered. */
export interface OAuthOptions {
  /** Where tokens, client and pending login are remembered, for every server by its address. */
  readonly store: TokenStore
  /** Where the browser is sent after the login. Whatever listens there hands the address to `connection.authorize()`. */
  readonly redirectUrl: string | URL
  /** Shown to the person who logs in. Default `mcp-lifeline`. */
  readonly clientName?: string
  /** Scopes to ask for where the server names none, separated by spaces. Default: none. */
  readonly scope?: string
  /** A client that is known to the authorization server already. Default: one is registered, and again if forgotten. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** The only authorization server that `clientId` is for. Needed with a `clientSecret`: else any server could name one of its own. */
  readonly issuer?: string
  /**
   * Address of a document that describes this client, `https:` and with a path: it serves as client id where the
   * authorization server takes such, so that nothing has to be registered.
   */
  readonly clientMetadataUrl?: string
  /** Further fields of the registration, over those made from the options above. */
  readonly clientMetadata?: Readonly<Record<string, unknown>>
}

/**
 * OAuth 2.1 with a person who logs in, as the protocol describes it: the authorization server is found, the client
 * registered, tokens are refreshed ahead of their end. One value serves any number of connections and servers.
 *
 * @throws TypeError that names the option and what it may be
 */
export function oauth(options: OAuthOptions): Authorizer {
  const { store, clientId, clientSecret, issuer } = options
  if (typeof store?.get !== 'function' || typeof store.lock !== 'function') {
    throw new TypeError('oauth: store is a TokenStore, with get, set, delete and lock.')
  }
  if (clientSecret !== undefined && !(issuer !== undefined && URL.canParse(issuer))) {
    throw new TypeError('oauth: issuer is the address of the authorization server; with a clientSecret it is needed.')
  }
  const setup = setupOf(options)
  return {
    attach(site) {
      const vault = new StoreVault(store, site.url)
      const client =
        clientId === undefined
          ? undefined
          : { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }), ...(issuer && { issuer }) }
      return new OAuthCredentials(site, setup, client ? new KnownClient(vault, client) : vault)
    },
  }
}

function setupOf({
  redirectUrl,
  clientName,
  scope,
  clientId,
  clientSecret,
  clientMetadataUrl,
  clientMetadata,
}: OAuthOptions): OAuthSetup {
  if (!URL.canParse(String(redirectUrl)))
    throw new TypeError('oauth: redirectUrl is the address the browser is sent back to.')
  if (clientMetadataUrl !== undefined && !/^https:\/\/[^/]+\/./.test(clientMetadataUrl)) {
    throw new TypeError('oauth: clientMetadataUrl is an https: address with a path.')
  }
  const back = String(redirectUrl)
  const metadata: OAuthClientMetadata = {
    client_name: clientName ?? 'mcp-lifeline',
    redirect_uris: [back],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
    ...(scope !== undefined && { scope }),
    ...clientMetadata,
  }
  return {
    redirectUrl: back,
    clientMetadata: () => metadata,
    registers: clientId === undefined,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
  }
}

/** A client of the configuration stands before whatever is remembered, and is written nowhere. */
class KnownClient implements Vault {
  readonly #vault: Vault
  readonly #client: StoredClient
  readonly watch?: (listener: () => void) => () => void

  constructor(vault: Vault, client: StoredClient) {
    this.#vault = vault
    this.#client = client
    if (vault.watch) this.watch = (listener) => vault.watch?.(listener) ?? (() => {})
  }

  async read(): Promise<Remembered> {
    return { ...(await this.#vault.read()), client: this.#client }
  }

  async change({ client: _configured, ...change }: Remembered): Promise<void> {
    await this.#vault.change(change)
  }

  lock<T>(work: () => Promise<T>): Promise<T> {
    return this.#vault.lock(work)
  }
}
