/** Servers that forget, are replaced, or are several; and streams that something on the way cuts. */
import { html, type Play, rpcError, sse } from '../../../src/testing/fault-server/index.js'
import { connected, failure, type Scene, scene } from '../../reports/rig.js'
import type { Situation } from './situation.js'

const again = (it: Scene): Promise<number> => it.passUntil(() => it.connection.status === 'ready', 60_000)

/** Requests go to two instances in turn, and each knows only its own sessions. */
function balancer(): Play {
  const owners = new Map<string, number>()
  let turn = 0
  return async (visit) => {
    const { request, server } = visit
    const replica = turn++ % 2
    if (request.session !== undefined && owners.get(request.session) !== replica)
      return rpcError(-32001, 'Session not found', { code: 404, id: null })(visit)
    await visit.healthy()
    const [latest] = [...server.sessions].slice(-1)
    if (request.method === 'initialize' && latest !== undefined) owners.set(latest, replica)
  }
}

/** From the next session on the server is another version of itself. */
function deploy(it: Scene, version: string): void {
  it.server.answer('initialize', async (visit) => {
    const session = visit.server.openSession()
    const { params } = visit.request.body as { params: { protocolVersion: string } }
    const result = {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'fault-server', version },
    }
    visit.res.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session })
    visit.res.end(JSON.stringify({ jsonrpc: '2.0', id: visit.request.id, result }))
  })
}

const tools = (...names: string[]) => names.map((name) => ({ name, inputSchema: { type: 'object' } }))

const restartAdvice =
  'Nothing is to be done: the session was made anew and the lists were read again. What the server kept in memory is gone.'

export const sessions: readonly Situation[] = [
  {
    name: 'The server was restarted and forgot its sessions (404)',
    cause: 'restart',
    says: 'it no longer knew the session, its stream broke just before',
    advice: restartAdvice,
    async play() {
      await using it = await connected()
      await it.server.restart()
      await it.call()
      await again(it)
      return it.connection.explain()
    },
  },
  {
    name: 'The server was away for a while, and came back without its sessions',
    cause: 'restart',
    says: 'it no longer knew the session, nothing listened there for a while',
    advice: restartAdvice,
    async play() {
      await using it = await connected()
      await it.server.stop()
      it.connection.request('tools/list').catch(() => undefined)
      await it.passUntil(() => it.connection.status === 'backoff', 60_000)
      await it.pass(3_000)
      it.server.forgetSessions()
      await it.server.start()
      await again(it)
      return it.connection.explain()
    },
  },
  {
    name: 'The server is deployed anew behind a proxy, which answers 502 meanwhile',
    cause: 'restart',
    says: 'the proxy before it had no server',
    advice: restartAdvice,
    async play() {
      await using it = await connected()
      it.server.forgetSessions()
      it.server.answer('*', html(502))
      it.server.streams.cut()
      await it.passUntil(() => it.connection.status === 'backoff', 120_000, 1_000)
      await it.pass(2_000)
      it.server.heal()
      await again(it)
      return it.connection.explain()
    },
  },
  {
    name: 'An update of the server removed tools',
    cause: 'restart',
    also: ['lists'],
    says: 'it was fault-server 1.0.0 and is fault-server 2.0.0',
    advice: restartAdvice,
    async play() {
      await using it = await connected({ server: { tools: tools('append', 'search', 'delete') } })
      deploy(it, '2.0.0')
      it.server.health.tools = tools('append', 'find')
      await it.server.restart()
      await it.call()
      await again(it)
      return it.connection.explain()
    },
  },
  {
    name: 'The server took tools away while it runs',
    cause: 'lists',
    says: 'tools without search, delete since',
    advice:
      'The server no longer offers them: an update may have renamed or removed them, or it lacks a setting that enables them. Calls to them are refused by it.',
    async play() {
      await using it = await connected({ server: { tools: tools('append', 'search', 'delete') } })
      it.server.health.tools = tools('append')
      it.server.streams.push({ method: 'notifications/tools/list_changed' })
      await it.passUntil(() => it.connection.catalog.tools.length === 1, 10_000)
      return it.connection.explain()
    },
  },
  {
    name: 'The session expired on the server',
    cause: 'session',
    says: 'the server no longer knew it after 30 min: Session not found',
    advice: 'It was made anew. If it happens often, let the server keep sessions for longer, or outside of its memory.',
    async play() {
      await using it = await connected({ server: { listening: false } })
      await it.pass(30 * 60_000, 30_000)
      it.server.forgetSessions()
      await it.call()
      await again(it)
      return it.connection.explain()
    },
  },
  {
    name: 'Two instances behind a load balancer do not share their sessions',
    cause: 'instances',
    also: ['session'],
    says: 'were unknown soon after the server had given them out',
    advice:
      'Several instances seem to stand behind a load balancer. Let it keep clients apart (sticky sessions, by cookie or by the header Mcp-Session-Id), let the instances share their sessions, or run the server without sessions.',
    async play() {
      await using it = await scene()
      it.server.answer('*', balancer())
      it.connection.connect().catch(() => undefined)
      await it.passUntil(() => it.connection.status === 'failed', 300_000, 500)
      return it.connection.explain()
    },
  },
  {
    name: 'The server gives out one session, and another client holds it',
    cause: 'session',
    says: 'another client holds the only session that the server gives out',
    advice:
      'The server serves one session at a time and another client holds it. End that client or restart the server.',
    async play() {
      await using it = await scene()
      it.server.openSession()
      const occupied = rpcError(-32600, 'Invalid Request: Server already initialized', { code: 400, id: null })
      it.server.answer('initialize', occupied)
      it.connection.connect().catch(() => undefined)
      await it.passUntil(() => it.connection.status === 'backoff', 5_000)
      return it.connection.explain()
    },
  },
  {
    name: 'A proxy cuts the listening stream whenever it idles for a minute',
    cause: 'idle-proxy',
    says: 'the listening stream was cut 4 times after 1 min without a byte; nginx (proxy_read_timeout), AWS load balancers',
    advice:
      'Raise the idle limit of the proxy beyond 1 min (nginx: proxy_read_timeout), or let the server send a comment on the stream at least every 36 s; probes of the client go over other connections and do not help here. The stream is opened again each time, and lists are read again.',
    async play() {
      await using it = await connected()
      for (let cut = 1; cut <= 4; cut++) {
        await it.passUntil(() => it.server.streams.size === 1, 10_000)
        await it.pass(60_000, 1_000)
        it.server.streams.end()
      }
      await it.settled()
      return it.connection.explain()
    },
  },
  {
    name: 'A proxy cuts the answers of slow calls, while the server says nothing',
    cause: 'idle-proxy',
    says: 'streams of answers were cut 3 times after 30 s without a byte',
    advice:
      'Raise the idle limit of the proxy beyond 30 s (nginx: proxy_read_timeout), or let the server send progress or a comment at least every 18 s while it works.',
    async play() {
      await using it = await connected()
      it.server.answer('tools/call', sse([': working\n\n', { until: ({ server }) => server.wait(30_000) }, 'destroy']))
      for (let n = 1; n <= 3; n++) {
        const call = failure(it.call({ replay: 'never' }))
        await it.server.seen('tools/call', n)
        await it.pass(31_000, 1_000)
        await call
      }
      return it.connection.explain()
    },
  },
  {
    name: 'A proxy cuts the stream of the older HTTP+SSE wire, and the session with it, whenever it idles',
    cause: 'idle-proxy',
    says: 'the stream of the session was cut 3 times after 20 s without a byte',
    advice:
      'Raise the idle limit of the proxy beyond 20 s (nginx: proxy_read_timeout), or set `policy.keepaliveMs` to 12000 (it is 30000): on this wire the answers to probes keep the stream in use.',
    async play() {
      await using it = await connected({ kind: 'sse', path: '/sse', server: { legacy: true } })
      for (let cut = 1; cut <= 3; cut++) {
        await it.pass(20_000, 1_000)
        it.server.legacy.end()
        await it.passUntil(() => it.connection.status !== 'ready', 5_000)
        await again(it)
      }
      return it.connection.explain()
    },
  },
]
