import { isHttpsUrl, registerClient } from '@modelcontextprotocol/sdk/client/auth.js'
import { WireError } from '../wire/index.js'
import { type Discovered, isSameIssuer } from './discovery.js'
import { unusable } from './failure.js'
import type { Messenger } from './messenger.js'
import { unite } from './scopes.js'
import type { OAuthSetup } from './setup.js'
import type { StoredClient } from './stored-client.js'
import type { Remembered, Vault } from './vault.js'

/** The client that is known to this authorization server, if one is remembered. */
export function knownClient({ client }: Remembered, issuer: string): StoredClient | undefined {
  return client && (typeof client.issuer !== 'string' || isSameIssuer(client.issuer, issuer)) ? client : undefined
}

/** Whether both are the same client of the authorization server. */
export const isSameClient = (a: StoredClient | undefined, b: StoredClient | undefined): boolean =>
  a?.client_id === b?.client_id

/**
 * The client to authorize as: the one remembered, the address of its metadata where the server takes such, or one that
 * is registered now.
 *
 * @throws WireError with evidence: passing, or that there is no way to become a client of this server
 */
export async function clientFor(
  vault: Vault,
  setup: OAuthSetup,
  { issuer, metadata, scope: supported }: Discovered,
  scope: string | undefined,
  messenger: Messenger,
): Promise<StoredClient> {
  const { clientMetadataUrl, registers, redirectUrl } = setup
  const known = knownClient(await vault.read(), issuer)
  if (known && (!registers || isSentBackTo(known, redirectUrl))) return known
  if (clientMetadataUrl && isHttpsUrl(clientMetadataUrl) && metadata?.client_id_metadata_document_supported) {
    const client = { client_id: clientMetadataUrl, issuer }
    await vault.change({ client })
    return client
  }
  if (!registers) throw unusable('the client is not known to the authorization server and may not be registered')
  // For everything that the resource has scopes for: a client may never ask for more than it was registered with
  // (RFC 7591, section 2), and asks for less first.
  const client = { ...(await register(setup, issuer, metadata, unite(scope, supported), messenger)), issuer }
  await vault.change({ client })
  return client
}

/**
 * Whether the server would send the browser back there: else it shows an error to the person, and nobody ever comes back.
 * Of a loopback address the port may differ (RFC 8252, section 7.3). A client that does not say where is believed.
 */
function isSentBackTo({ redirect_uris }: StoredClient, redirectUrl: string | undefined): boolean {
  if (!Array.isArray(redirect_uris) || redirectUrl === undefined) return true
  return redirect_uris.some((uri) => withoutLoopbackPort(String(uri)) === withoutLoopbackPort(redirectUrl))
}

const withoutLoopbackPort = (uri: string): string =>
  uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d+(?=\/|$)/i, '$1')

async function register(
  setup: OAuthSetup,
  issuer: string,
  metadata: Discovered['metadata'],
  scope: string | undefined,
  messenger: Messenger,
): Promise<StoredClient> {
  const clientMetadata = setup.clientMetadata()
  messenger.forget()
  try {
    return await registerClient(issuer, {
      ...(metadata && { metadata }),
      clientMetadata,
      ...(scope !== undefined && { scope }),
      fetchFn: messenger.fetch,
    })
  } catch {
    const evidence = messenger.failure?.evidence
    const status = evidence?.http?.status
    // Away, or overloaded. Any other answer says that clients cannot be registered here.
    if (evidence && (status === undefined || status >= 500 || status === 429)) throw new WireError(evidence)
    throw unusable(`the authorization server registers no clients${evidence ? ` (${evidence.summary})` : ''}`)
  }
}
