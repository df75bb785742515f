/** Servers at an address: the way there, and what they answer. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import type { Explanation } from '../../../src/index.js'
import { hang, html, type Play, redirect, rpcError, status } from '../../../src/testing/fault-server/index.js'
import { driven, until } from '../../connection/rig.js'
import { connected, failure, type Scene, type SceneOptions, scene } from '../../reports/rig.js'
import { certificate, privateKey } from '../../wire/http/certificate.js'
import type { Situation } from './situation.js'

/** Connects to a server that was arranged so, and explains what came of it. */
async function atStart(arrange: (it: Scene) => unknown, options?: SceneOptions): Promise<Explanation> {
  await using it = await scene(options)
  await arrange(it)
  it.connection.connect().catch(() => undefined)
  await until(it.connection, 'backoff', 'failed')
  return it.connection.explain()
}

/** Plays so to every POST of the handshake. */
const posts =
  (play: Play) =>
  ({ server }: Scene) =>
    server.answer('POST', play)

/** A call on a connection that is ready is met by this. */
async function onCall(play: Play): Promise<Explanation> {
  await using it = await connected()
  it.server.answer('tools/call', play)
  const failed = failure(it.call({ replay: 'never', timeoutMs: 500 }))
  await it.pass(500)
  await failed
  await it.settled()
  return it.connection.explain()
}

export const web: readonly Situation[] = [
  {
    name: 'Nothing listens at the port',
    cause: 'reachable',
    says: 'ECONNREFUSED',
    advice: 'Nothing listens at http://127.0.0.1:PORT: start the server there, or correct host and port in the URL.',
    play: () => atStart(({ server }) => server.stop()),
  },
  {
    name: 'The host name does not exist',
    cause: 'dns',
    says: 'http://mcp.example.invalid is not found (ENOTFOUND)',
    advice: 'Check the spelling of the host in the URL; names inside a company may need its VPN.',
    async play() {
      // A resolver that answers as one does for a name that does not exist, whatever network this runs in.
      const lookup = (host: string, _options: object, done: (error: Error, address: string, family: number) => void) =>
        done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), '', 4)
      const dispatcher = new Agent({ connect: { lookup: lookup as never } })
      const { connection } = driven({ target: { url: 'http://mcp.example.invalid/mcp', dispatcher } })
      connection.connect().catch(() => undefined)
      await until(connection, 'backoff')
      const explanation = connection.explain()
      await connection.close()
      await dispatcher.close()
      return explanation
    },
  },
  {
    name: 'The certificate of the server is not trusted',
    cause: 'certificate',
    says: 'https://127.0.0.1:PORT: DEPTH_ZERO_SELF_SIGNED_CERT',
    advice:
      'The certificate of https://127.0.0.1:PORT is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Renew it, or name its authority in NODE_EXTRA_CA_CERTS.',
    async play() {
      const server = createServer({ cert: certificate, key: privateKey })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const { connection } = driven({ target: { url: `https://127.0.0.1:${port}/mcp` } })
      connection.connect().catch(() => undefined)
      await until(connection, 'failed')
      const explanation = connection.explain()
      await connection.close()
      await new Promise((resolve) => server.close(resolve))
      return explanation
    },
  },
  {
    name: 'The network of this machine is away',
    cause: 'reachable',
    says: 'the network of this machine is away',
    advice: 'Bring the network back; the connection goes on by itself.',
    async play() {
      await using it = await connected()
      await it.server.stop()
      it.connection.actor.send({ type: 'network.offline' })
      await it.passUntil(() => it.connection.status === 'backoff', 60_000)
      return it.connection.explain()
    },
  },
  {
    name: 'One connection breaks, and the server goes on as before',
    cause: 'reachable',
    says: 'ECONNRESET',
    advice:
      'The other side, or something on the way, broke the connection: see the logs of the server and of proxies before it.',
    async play() {
      await using it = await scene()
      it.server.once('initialize', ({ res }) => void res.socket?.resetAndDestroy())
      it.connection.connect().catch(() => undefined)
      await it.passUntil(() => it.connection.status === 'ready', 20_000)
      return it.connection.explain()
    },
  },
  {
    name: 'The server takes the request and says nothing',
    cause: 'responsive',
    says: 'it did not answer anything while initializing within 10 s',
    advice:
      'Something takes the request and says nothing: see whether the server is stuck, and whether a proxy or firewall swallows answers.',
    async play() {
      await using it = await scene()
      posts(hang())(it)
      it.connection.connect().catch(() => undefined)
      await it.server.seen('initialize')
      await it.passUntil(() => it.connection.status === 'backoff', 20_000)
      return it.connection.explain()
    },
  },
  {
    name: 'The path of the address is wrong (404)',
    cause: 'endpoint',
    says: 'it answers 404 to an MCP client',
    advice: 'The address answers 404 to an MCP client. Check that the URL is the MCP endpoint of the server.',
    play: () => atStart(() => undefined, { path: '/api' }),
  },
  {
    name: 'The server speaks only the older HTTP+SSE, and `kind` says `http`',
    cause: 'endpoint',
    says: 'it answers 405 to an MCP client',
    advice:
      'Check the path of the URL. If the server speaks the older HTTP+SSE, leave `kind` at `auto`, or set it to `sse`.',
    play: () => atStart(() => undefined, { server: { legacy: true }, path: '/sse', kind: 'http' }),
  },
  {
    name: 'A captive portal or sign-in page answers in place of the server',
    cause: 'endpoint',
    says: 'a web page came in place of an answer, titled “Welcome to the hotel”',
    advice:
      'Open the address in a browser: it may be the sign-in page of a network or proxy (captive portal), of the site, or simply not the path of the MCP endpoint.',
    play: () => atStart(posts(html(200, '<html><head><title>Welcome to the hotel</title></head></html>'))),
  },
  {
    name: 'The endpoint has moved to another host (308)',
    cause: 'endpoint',
    says: 'it answers 308 and sends clients to https://new.example.com/mcp',
    advice:
      'Put that address into the configuration if it is right; credentials are not sent to another origin unasked.',
    play: () => atStart(posts(redirect('https://new.example.com/mcp', 308))),
  },
  {
    name: 'The server does not know this host name (421)',
    cause: 'endpoint',
    says: 'it answers 421 to an MCP client',
    advice: 'The server takes this host name for a stranger: add it to the allowed hosts of the server.',
    play: () => atStart(posts(status(421, { body: 'Invalid Host header' }))),
  },
  {
    name: 'The server speaks another protocol version',
    cause: 'version',
    says: 'the server insists on 2099-01-01',
    advice: 'The server and this library share no protocol version. Update one of them.',
    play: () => atStart(() => undefined, { server: { protocolVersion: '2099-01-01' } }),
  },
  {
    name: 'No credential is sent, or it is refused (401)',
    cause: 'credential',
    says: 'the server answers 401',
    advice: 'The server wants a valid credential. Log in, or give it a token.',
    play: () => atStart(posts(status(401))),
  },
  {
    name: 'The credential is good, and this client may not come in (403)',
    cause: 'access',
    says: 'the server answers 403 at the door',
    advice:
      'The server refuses this client (403). Check the credential, the address and the allowed hosts of the server.',
    play: () => atStart(posts(status(403))),
  },
  {
    name: 'One tool is not allowed (403)',
    cause: 'access',
    says: '403 to tools/call',
    advice: 'The server does not allow this call (403).',
    play: () => onCall(status(403)),
  },
  {
    name: 'The server limits the rate (429 with Retry-After)',
    cause: 'rate',
    says: 'and asks for 30 s',
    advice:
      'The time that it names is served before anything is tried again. Call it less often, or ask its operator for more.',
    play: () => atStart(posts(status(429, { retryAfter: 30 }))),
  },
  {
    name: 'The application reconnects in a loop until the server limits it',
    cause: 'storm',
    also: ['rate'],
    says: 'of them before the policy would have tried',
    advice:
      'The application calls reconnect(), retry() or connect() in a loop. Leave the trying to the connection, or wait between them.',
    async play() {
      await using it = await scene()
      posts(status(429))(it)
      it.connection.connect().catch(() => undefined)
      for (let i = 0; i < 12; i++) {
        await it.passUntil(() => it.connection.status === 'backoff', 20_000)
        it.connection.retry()
      }
      await it.passUntil(() => it.connection.status === 'backoff', 20_000)
      return it.connection.explain()
    },
  },
  {
    name: 'The server is overloaded or being deployed (503)',
    cause: 'load',
    says: 'it answered 503 to initialize once',
    advice:
      'The server behind the proxy is away or overloaded: see its logs, and whether it is being deployed. It is tried again with growing pauses.',
    play: () => atStart(posts(status(503))),
  },
  {
    name: 'A proxy waits too long for the request (408)',
    cause: 'load',
    says: 'it answered 408 to tools/call once',
    advice:
      'The server, or a proxy, waited too long for the request: look for a slow network, or a proxy that buffers.',
    play: () => onCall(status(408)),
  },
  {
    name: 'A proxy gives up on a slow call (504)',
    cause: 'load',
    says: 'it answered 504 to tools/call once',
    advice:
      'A proxy gave up on the server: let the server answer sooner or send progress, or raise the read timeout of the proxy.',
    play: () => onCall(html(504)),
  },
  {
    name: 'A tool takes longer than its call may',
    cause: 'responsive',
    says: '1 call had no answer in time, the last (tools/call, 500 ms)',
    advice:
      'Give slow tools more time (`timeoutMs`, or `maxTotalMs` where they report progress), or see what keeps the server busy.',
    play: () => onCall(hang()),
  },
  {
    name: 'The lists cannot be read, and the rest works',
    cause: 'lists',
    says: 'tools could not be read (rpc.-32603)',
    advice: 'Its last good content serves, and it is asked for again. The server answered tools/list with an error.',
    async play() {
      await using it = await scene()
      it.server.answer('tools/list', rpcError(-32603, 'Internal error'))
      await it.connection.connect()
      await it.settled()
      return it.connection.explain()
    },
  },
]
