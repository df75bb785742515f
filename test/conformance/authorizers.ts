/** The authorizer that each scenario of the suite calls for. */
import { discoverOAuthServerInfo } from '@modelcontextprotocol/sdk/client/auth.js'
import {
  type Authorizer,
  clientCredentials,
  memoryStore,
  type OAuthOptions,
  type OAuthProvider,
  oauth,
} from '../../src/auth/index.js'

/** What the suite tells a client of a scenario. */
type Context = Readonly<Record<string, string>>

const login = (more: Partial<OAuthOptions> = {}): Authorizer =>
  oauth({ store: memoryStore(), redirectUrl: 'http://localhost:3000/callback', clientName: 'conformance', ...more })

type Maker = (context: Context, url: string) => Authorizer | OAuthProvider | Promise<Authorizer>

const authorizers: Readonly<Record<string, Maker>> = {
  'auth/basic-cimd': () => login({ clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }),
  'auth/pre-registration': async ({ client_id, client_secret }, url) =>
    login({ clientId: client_id, clientSecret: client_secret, issuer: await issuerOf(url) }),
  'auth/client-credentials-basic': async ({ client_id = '', client_secret = '' }, url) =>
    clientCredentials({ clientId: client_id, clientSecret: client_secret, issuer: await issuerOf(url) }),
  'auth/client-credentials-jwt': async (context, url) => {
    const { client_id: clientId = '', private_key_pem: privateKey = '', signing_algorithm: algorithm = '' } = context
    return clientCredentials({ clientId, privateKey, algorithm, issuer: await issuerOf(url) })
  },
  'auth/cross-app-access-complete-flow': enterprise,
}

export function authorizerOf(scenario: string, context: Context, url: string): ReturnType<Maker> {
  const make = authorizers[scenario] ?? (() => login())
  return make(context, url)
}

/** Known to whoever has a secret to give away; the suite tells the secret and not whose it is. */
async function issuerOf(url: string): Promise<string> {
  return (await discoverOAuthServerInfo(url)).authorizationServerUrl
}

/**
 * A grant of an application's own, as a provider of the SDK's kind: the enterprise's identity provider exchanges the
 * person's login for an assertion, and the authorization server that for a token (SEP-990, RFC 8693, RFC 7523).
 */
function enterprise(context: Context, url: string): OAuthProvider {
  let held: unknown
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], token_endpoint_auth_method: 'client_secret_basic' },
    clientInformation: () => ({ client_id: context.client_id, client_secret: context.client_secret }),
    tokens: () => held,
    saveTokens: (tokens) => {
      held = tokens
    },
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => '',
    prepareTokenRequest: async (scope) => {
      const assertion = await exchanged(context, await issuerOf(url), url)
      const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
      return new URLSearchParams({ grant_type, assertion, ...(scope && { scope }) })
    },
  }
}

async function exchanged(context: Context, audience: string, resource: string): Promise<string> {
  const { idp_token_endpoint = '', idp_id_token = '', idp_client_id = '' } = context
  const response = await fetch(idp_token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      ...{ subject_token: idp_id_token, audience, resource, client_id: idp_client_id },
    }),
  })
  const { access_token } = Object(await response.json())
  if (typeof access_token !== 'string') throw new Error(`the identity provider answered ${response.status}`)
  return access_token
}
