import { discoverAuthorizationServerMetadata, discoverOAuthServerInfo } from '@modelcontextprotocol/sdk/client/auth.js'
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/sdk/shared/auth.js'
import { checkResourceAllowed, resourceUrlFromServerUrl } from '@modelcontextprotocol/sdk/shared/auth-utils.js'
import { WireError } from '../wire/index.js'
import { unusable } from './failure.js'
import type { Messenger } from './messenger.js'
import type { OAuthSetup } from './setup.js'

/** What was found out about who gives credentials for a server. */
export interface Discovered {
  /** The authorization server, as the resource names it: what tokens and clients are bound to. */
  readonly issuer: string
  readonly metadata?: AuthorizationServerMetadata
  /** The resource indicator, as the resource names itself (RFC 8707). */
  readonly resource?: string
  /** Scopes that the resource names. */
  readonly scope?: string
}

/**
 * Asks the server who gives credentials for it (RFC 9728), and that one how (RFC 8414, OpenID Connect), with the ways of
 * older servers behind it. Documents that are not there, or are pages of something else, lead on to the next way; ones
 * that cannot be had just now do not: credentials would be sent to the wrong place.
 *
 * `known`: who gave what is remembered. Only a resource that names another one takes its place: a page that is shown for
 * a while instead of a document (a proxy, a portal) would otherwise make a person log in, and with the wrong server.
 *
 * @throws WireError with evidence: passing, or that the metadata is of another resource
 */
export async function discover(
  server: URL,
  setup: Pick<OAuthSetup, 'validateResourceURL'>,
  messenger: Messenger,
  resourceMetadataUrl?: URL,
  known?: string,
): Promise<Discovered> {
  const found = await discoverOAuthServerInfo(server, {
    fetchFn: messenger.fetch,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  }).catch(() => undefined)
  if (messenger.outage) throw new WireError(messenger.outage.evidence)
  if (!found) throw unusable('the metadata of the authorization server cannot be read')
  const { resourceMetadata } = found
  const resource = await resourceOf(server, setup, resourceMetadata?.resource)
  const isNamed = Boolean(resourceMetadata?.authorization_servers?.length)
  const issuer = isNamed || known === undefined ? String(found.authorizationServerUrl) : known
  const metadata = isSameIssuer(issuer, String(found.authorizationServerUrl))
    ? found.authorizationServerMetadata
    : await metadataOf(issuer, messenger)
  if (metadata && !isNamedByItsOwn(metadata, issuer)) {
    throw unusable('the metadata of the authorization server is that of another')
  }
  const scope = resourceMetadata?.scopes_supported?.join(' ')
  return {
    issuer,
    ...(metadata && { metadata }),
    ...(resource !== undefined && { resource }),
    ...(scope && { scope }),
  }
}

async function metadataOf(issuer: string, messenger: Messenger): Promise<Discovered['metadata']> {
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: messenger.fetch }).catch(
    () => undefined,
  )
  if (messenger.outage) throw new WireError(messenger.outage.evidence)
  return metadata
}

async function resourceOf(
  server: URL,
  { validateResourceURL }: Pick<OAuthSetup, 'validateResourceURL'>,
  named: string | undefined,
): Promise<string | undefined> {
  const own = resourceUrlFromServerUrl(server)
  if (validateResourceURL) return (await validateResourceURL(own, named))?.href
  if (named === undefined) return undefined
  // A token for what the metadata names would be of use to whoever that is.
  if (URL.canParse(named) && checkResourceAllowed({ requestedResource: own, configuredResource: named })) return named
  throw unusable('the metadata of the server is that of another resource')
}

/**
 * Metadata in the name of another server would have that one's logins answered to this one (RFC 8414, 3.3): the issuer of
 * an answer is compared with the name. Servers that stand before another and pass its metadata on do bear its name; then
 * the code has to go to that one as well.
 */
function isNamedByItsOwn({ issuer, token_endpoint }: AuthorizationServerMetadata, asked: string): boolean {
  if (isSameIssuer(issuer, asked)) return true
  return URL.canParse(issuer) && new URL(issuer).origin === new URL(token_endpoint).origin
}

/** Whether two names are of one authorization server: as parsed, and whether or not a slash ends them. */
export function isSameIssuer(a: string, b: string): boolean {
  const plain = (name: string) => (URL.canParse(name) ? new URL(name).href : name).replace(/\/$/, '')
  return plain(a) === plain(b)
}
