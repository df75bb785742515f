/** The rig itself, driven by the official SDK's own client, so that what later tests see is about the library. */

import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { expect, test } from 'vitest'
import { browse, type Rig, startRig } from './rig/index.js'

const redirectUrl = 'http://127.0.0.1:4711/callback'

/** Remembers everything in memory, as the SDK's examples do. */
class Remembering implements OAuthClientProvider {
  sentTo: URL | undefined
  held: OAuthTokens | undefined
  #client: OAuthClientInformationMixed | undefined
  #verifier = ''
  readonly redirectUrl = redirectUrl
  readonly clientMetadata = {
    redirect_uris: [redirectUrl],
    client_name: 'rig test',
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  }
  clientInformation = () => this.#client
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.#client = client
  }
  tokens = () => this.held
  saveTokens = (tokens: OAuthTokens) => {
    this.held = tokens
  }
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url
  }
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier
  }
  codeVerifier = () => this.#verifier
}

/** Logs in by the SDK alone: what it remembers of it. */
async function loggedIn(rig: Rig): Promise<Remembering> {
  const provider = new Remembering()
  const authProvider = provider
  const first = new StreamableHTTPClientTransport(new URL(rig.server.url), { authProvider })
  await expect(new Client({ name: 'rig', version: '1' }).connect(first)).rejects.toBeInstanceOf(UnauthorizedError)
  const back = await browse(provider.sentTo ?? '')
  await first.finishAuth(back.searchParams.get('code') ?? '')
  return provider
}

/** Calls a tool with nothing but a token, through the SDK's client. */
async function call(rig: Rig, name: string, token = ''): Promise<unknown> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const client = new Client({ name: 'rig', version: '1' })
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(rig.server.url), { requestInit }))
    return await client.callTool({ name, arguments: { text: 'this' } })
  } finally {
    await client.close()
  }
}

const refresh = (rig: Rig, provider: Remembering, token = provider.held?.refresh_token ?? '') =>
  fetch(`${rig.authority.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: provider.clientInformation()?.client_id ?? '',
    }),
  })

const said = async (response: Response): Promise<Record<string, string>> => Object(await response.json())

test.each(['opaque', 'jwt'] as const)('%s tokens: log in, call, expire, refresh', async (accessTokenFormat) => {
  await using rig = await startRig({ accessTokenFormat })
  const provider = await loggedIn(rig)
  const { access_token } = provider.held ?? {}
  expect(access_token?.split('.')).toHaveLength(accessTokenFormat === 'jwt' ? 3 : 1)
  await call(rig, 'read', access_token)
  rig.authority.expireAccessTokens()
  await expect(call(rig, 'read', access_token)).rejects.toMatchObject({ code: 401 })
  const next = await said(await refresh(rig, provider))
  expect(next.refresh_token).not.toBe(provider.held?.refresh_token)
  await call(rig, 'read', next.access_token)
  expect(rig.server.runs).toEqual({ read: 2 })
  expect(rig.authority.registrations).toBe(1)
  expect(rig.authority.grants().map(({ grantType, status }) => `${grantType} ${status}`)).toEqual([
    'authorization_code 200',
    'refresh_token 200',
  ])
})

test('a refresh token that comes twice costs the whole family', async () => {
  await using rig = await startRig()
  const provider = await loggedIn(rig)
  const next = await said(await refresh(rig, provider))
  expect(rig.authority.reuses).toBe(0)
  expect((await refresh(rig, provider)).status).toBe(400)
  expect(rig.authority.reuses).toBe(1)
  expect((await refresh(rig, provider, next.refresh_token)).status).toBe(400)
  await expect(call(rig, 'read', next.access_token)).rejects.toMatchObject({ code: 401 })
})

test('revoked tokens and forgotten clients are refused in the words of RFC 6749', async () => {
  await using rig = await startRig()
  const provider = await loggedIn(rig)
  rig.authority.revokeRefreshTokens()
  expect((await said(await refresh(rig, provider))).error).toBe('invalid_grant')
  rig.authority.forgetClients()
  expect((await said(await refresh(rig, provider))).error).toBe('invalid_client')
  expect(rig.authority.grants('refresh_token').map(({ error }) => error)).toEqual(['invalid_grant', 'invalid_client'])
})

test('a tool that needs more is refused with the scope that is missing', async () => {
  await using rig = await startRig()
  const provider = await loggedIn(rig)
  const response = await fetch(rig.server.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${provider.held?.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write' } }),
  })
  expect(response.status).toBe(403)
  expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="mcp:write"')
})

test('answers in place of the authorization server are not counted as its own', async () => {
  await using rig = await startRig()
  const provider = await loggedIn(rig)
  rig.authority.interfere = (_request, response) => {
    response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Back soon</h1>')
    return true
  }
  expect((await refresh(rig, provider)).status).toBe(503)
  rig.authority.interfere = undefined
  expect((await refresh(rig, provider)).status).toBe(200)
  expect(rig.authority.grants('refresh_token')).toHaveLength(1)
})
