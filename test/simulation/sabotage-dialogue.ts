/** Connections that break what the two sides say beside calls and their answers. */
import { type Connection, type ConnectionOptions, createConnection } from '../../src/index.js'
import { again, fetching, handled, never, type Sabotage } from './sabotage-kit.js'

type CallOptions = NonNullable<Parameters<Connection['callTool']>[1]>
type OnProgress = NonNullable<CallOptions['onProgress']>

/** What is told of progress is changed on its way. */
const progressing = (change: (tell: OnProgress) => OnProgress): Sabotage['connect'] =>
  handled((connection) => ({
    callTool: (params, options = {}) => {
      const { onProgress } = options
      return connection.callTool(params, onProgress ? { ...options, onProgress: change(onProgress) } : options)
    },
  }))

const accepted = () => Promise.resolve(new Response(null, { status: 202 }))

export const dialogueSabotages: readonly Sabotage[] = [
  {
    what: 'every answer to the server is sent twice',
    breaks: 'a request of the server is answered once',
    connect: fetching((fetch) => (url, init, { method, id }) => {
      if (method === undefined && id !== undefined) void again(fetch, url, init)
      return fetch(url, init)
    }),
  },
  {
    what: 'an answer to the server comes in the next session',
    breaks: 'a request of the server is answered in its own session',
    connect: fetching((fetch) => {
      let kept: { readonly body: RequestInit['body']; readonly session: string } | undefined
      return (url, init, { method, id }) => {
        const session = (init.headers as Record<string, string>)['mcp-session-id'] ?? ''
        if (method === undefined && id !== undefined) kept = { body: init.body, session }
        if (kept && method === 'tools/list' && session !== kept.session) {
          void again(fetch, url, { ...init, body: kept.body })
          kept = undefined
        }
        return fetch(url, init)
      }
    }),
  },
  {
    what: 'handlers do not hear of the end of their link',
    breaks: 'what the server of a lost link asked for is given up',
    connect: (options: ConnectionOptions) => {
      const { handlers = {} } = options.client ?? {}
      const { signal } = new AbortController()
      const deaf = Object.entries(handlers).map(([method, answer]) => [
        method,
        (params: Record<string, unknown>) => answer(params, { signal }),
      ])
      return createConnection({ ...options, client: { handlers: Object.fromEntries(deaf) } })
    },
  },
  {
    what: 'the server is not answered',
    breaks: 'once all is well, the server is answered (liveness)',
    connect: fetching(
      (fetch) =>
        (url, init, { method, id }) =>
          method === undefined && id !== undefined ? accepted() : fetch(url, init),
    ),
  },
  {
    what: 'nobody listens to the server after a while',
    breaks: 'once all is well, the server is listened to (liveness)',
    connect: fetching((fetch) => (url, init) => (init.method === 'GET' ? never : fetch(url, init))),
  },
  {
    what: 'a call is taken back twice',
    breaks: 'a call is taken back once',
    connect: fetching((fetch) => (url, init, { method }) => {
      if (method === 'notifications/cancelled') void again(fetch, url, init)
      return fetch(url, init)
    }),
  },
  {
    what: 'a call is taken back while it is waited for',
    breaks: 'what is taken back is not waited for any more',
    connect: fetching((fetch) => (url, init, { method, id }) => {
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }
      const answer = fetch(url, init)
      if (method === 'tools/call')
        setTimeout(() => void again(fetch, url, { ...init, body: JSON.stringify(cancelled) }), 500)
      return answer
    }),
  },
  {
    what: 'a call that is given up is not taken back',
    breaks: 'once all is well, a call that is given up is taken back (liveness)',
    connect: fetching(
      (fetch) =>
        (url, init, { method }) =>
          method === 'notifications/cancelled' ? accepted() : fetch(url, init),
    ),
  },
  {
    what: 'progress comes to another call',
    breaks: 'progress is of its own call',
    connect: progressing((tell) => (progress) => tell({ ...progress, message: 'call-0 1' })),
  },
  {
    what: 'progress comes twice',
    breaks: 'progress comes in order',
    connect: progressing((tell) => (progress) => {
      tell(progress)
      tell(progress)
    }),
  },
  {
    what: 'progress comes late',
    breaks: 'no progress comes after the end of a call',
    connect: progressing((tell) => (progress) => void setTimeout(() => tell(progress), 5_000)),
  },
]
