import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createConnection } from 'mcp-lifeline'
import { type LoginRequest, listenForCallback, memoryStore, oauth } from 'mcp-lifeline/auth'

const { url, stop } = await startProtected()

// part: login
const server = createConnection({
  name: 'protected',
  target: { url },
  authorizer: oauth({
    store: memoryStore(),
    redirectUrl: 'http://127.0.0.1:8976/callback',
    clientName: 'My assistant',
  }),
})

// Whenever a person is needed. Of several processes only one is to open a browser.
server.authorization$.subscribe((login) => {
  if (login?.begunHere) logIn(login).catch(console.error)
})

// It waits for the person, until its own deadline.
const answer = await server.callTool({ name: 'whoami' }, { timeoutMs: 300_000 })
console.log(answer.content[0]?.text)
// end

await server.close()

// part: token
const withKey = createConnection({
  name: 'with-key',
  target: { url },
  authorizer: { token: () => process.env.API_KEY ?? 'example-key' },
})
// end

await withKey.connect()
console.log(`with a key: ${withKey.status}`)
await withKey.close()
stop()

// part: callback
/** Listens on this machine until the browser is back, and hands over the whole address that it was sent to. */
async function logIn(login: LoginRequest): Promise<void> {
  await using callback = await listenForCallback({ redirectUrl: login.redirectUrl })
  await openBrowser(login.url)
  await server.authorize(await callback.response)
}
// end

/** Stands for the browser and a person who agrees. */
async function openBrowser(url: URL): Promise<void> {
  console.log(`log in at ${url.origin}${url.pathname}`)
  const response = await fetch(url, { redirect: 'manual' })
  get(response.headers.get('location') ?? '')
}

/** A server that asks for a login, and the authorization server behind it, in one. */
async function startProtected(): Promise<{ url: string; stop: () => void }> {
  const codes = new Map<string, string | null>()
  const tokens = new Set(['example-key'])
  const http = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const asked = new URL(req.url ?? '', origin)
    const send = (status: number, value?: unknown, headers: Record<string, string> = {}) =>
      res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(value && JSON.stringify(value))
    if (asked.pathname === '/.well-known/oauth-protected-resource/mcp')
      return send(200, { resource: `${origin}/mcp`, authorization_servers: [origin] })
    if (asked.pathname === '/.well-known/oauth-authorization-server')
      return send(200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      })
    if (asked.pathname === '/register') return send(201, { ...JSON.parse(body), client_id: randomUUID() })
    if (asked.pathname === '/authorize') {
      const code = randomUUID()
      codes.set(code, asked.searchParams.get('code_challenge'))
      const back = new URL(asked.searchParams.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({ code, state: asked.searchParams.get('state') ?? '' }).toString()
      return send(302, undefined, { location: back.href })
    }
    if (asked.pathname === '/token') {
      const given = new URLSearchParams(body)
      const proof = createHash('sha256')
        .update(given.get('code_verifier') ?? '')
        .digest('base64url')
      if (codes.get(given.get('code') ?? '') !== proof) return send(400, { error: 'invalid_grant' })
      const access_token = randomUUID()
      tokens.add(access_token)
      return send(200, { access_token, token_type: 'Bearer', expires_in: 3600 })
    }
    if (!tokens.has(req.headers.authorization?.slice(7) ?? '')) return send(401)
    if (req.method !== 'POST') return send(405)
    const { id, method } = JSON.parse(body)
    if (id === undefined) return send(202)
    const tools = [{ name: 'whoami', inputSchema: { type: 'object' } }]
    const serverInfo = { name: 'protected', version: '1.0.0' }
    const results: Record<string, unknown> = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
      'tools/list': { tools },
      'tools/call': { content: [{ type: 'text', text: 'You are known here.' }] },
    }
    return send(200, { jsonrpc: '2.0', id, result: results[method] ?? {} })
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return { url: `${origin}/mcp`, stop: () => http.close() }
}
