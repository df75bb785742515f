/**
 * Connections that break one promise each, so that every sentence of the simulation is seen to notice. The library is the
 * real one; what is broken stands between it and the simulated world, or above it.
 */
import { type ConnectionOptions, createConnection } from '../../src/index.js'
import { authorizationSabotages } from './authorization-sabotage.js'
import { childSabotages } from './sabotage-children.js'
import { crowdSabotages } from './sabotage-crowd.js'
import { dialogueSabotages } from './sabotage-dialogue.js'
import { again, answering, fetching, handled, judging, never, rule, type Sabotage } from './sabotage-kit.js'

const opening = (wrap: (open: () => Transport) => () => Transport) => (options: ConnectionOptions) =>
  createConnection('open' in options.target ? { ...options, target: { open: wrap(options.target.open) } } : options)
type Transport = ReturnType<Extract<ConnectionOptions['target'], { open: unknown }>['open']>

export const sabotages: readonly Sabotage[] = [
  ...authorizationSabotages,
  ...childSabotages,
  ...crowdSabotages,
  ...dialogueSabotages,
  {
    what: 'a broken reply is taken for a refusal',
    breaks: 'no unsafe call runs twice (P2)',
    connect: judging(rule((e) => e.kind === 'stream' || e.kind === 'network', { delivery: 'refused', suspect: true })),
  },
  {
    what: 'an overdue call is taken for a refused one',
    breaks: 'what is said not to have run has not',
    connect: judging(
      rule((e) => e.http?.status === 502 || e.http?.status === 504, { class: 'permanent', delivery: 'refused' }),
    ),
  },
  {
    what: 'every call is sent twice',
    breaks: 'request ids never repeat within a session',
    connect: fetching((fetch) => (url, init, { method }) => {
      if (method === 'tools/call') void again(fetch, url, init)
      return fetch(url, init)
    }),
  },
  {
    what: 'a lost session is taken for a failed call',
    breaks: 'a lost session is never gone on with (P9)',
    connect: judging(rule((e) => e.sessionSent === true && e.http?.status === 404, {})),
  },
  {
    what: 'the old session stands in the handshake',
    breaks: 'initialize never carries a session (P9)',
    connect: fetching(
      (fetch) =>
        (url, init, { method }) =>
          fetch(
            url,
            method === 'initialize' ? { ...init, headers: { ...init.headers, 'mcp-session-id': 'old' } } : init,
          ),
    ),
  },
  {
    what: 'an older session is spoken in now and then',
    breaks: 'there is at most one session (P4)',
    connect: fetching((fetch) => {
      let first: RequestInit | undefined
      return (url, init, { method }) => {
        if (method === 'tools/list') first ??= init
        if (first && method === 'tools/call') void again(fetch, url, first)
        return fetch(url, init)
      }
    }),
  },
  {
    what: 'two streams are listened on',
    breaks: 'there is at most one listening stream (P4)',
    connect: fetching((fetch) => (url, init) => {
      if (init.method === 'GET') void again(fetch, url, init)
      return fetch(url, init)
    }),
  },
  {
    what: 'two transports are open',
    breaks: 'there is at most one wire (P4)',
    connect: opening((open) => () => {
      open()
        .start()
        .catch(() => {})
      return open()
    }),
  },
  {
    what: 'the end of a transport is not told',
    breaks: 'it is never ready over a wire known dead (P21)',
    connect: opening((open) => () => {
      const transport = open()
      return Object.defineProperty(transport, 'onclose', { get: () => undefined, set: () => {} })
    }),
  },
  {
    what: 'the time that a server asks for is not heard',
    breaks: 'no request is faster than the policy allows (P6)',
    connect: fetching((fetch) => async (url, init) => {
      const response = await fetch(url, init)
      response.headers.delete('retry-after')
      return response
    }),
  },
  {
    what: 'chance makes all pauses nothing',
    breaks: 'attempts in a row have pauses (P6)',
    connect: (options) => createConnection({ ...options, random: () => 0 }),
  },
  {
    what: 'every request is made a hundred times',
    breaks: 'there is no hot loop (P6)',
    connect: fetching((fetch) => (url, init, { method }) => {
      if (method === 'ping') for (let i = 0; i < 100; i++) void again(fetch, url, init)
      return fetch(url, init)
    }),
  },
  {
    what: 'what passes is taken for what does not',
    breaks: 'only what no waiting cures ends in failed',
    connect: judging(rule((e) => e.errno === 'ECONNREFUSED', { class: 'permanent', scope: 'link' })),
  },
  {
    what: 'a broken reply is told late',
    breaks: 'a call settles soon after its reply is lost (P3)',
    connect: fetching(
      (fetch) => (url, init) =>
        fetch(url, init).catch(async (error: unknown) => {
          await new Promise((resolve) => setTimeout(resolve, 200))
          throw error
        }),
    ),
  },
  {
    what: 'a call is forgotten',
    breaks: 'every call settles by its deadline (P1)',
    connect: handled(() => ({ callTool: () => never })),
  },
  {
    what: 'a call gets the answer to another',
    breaks: 'every call gets its own answer',
    connect: handled(() => ({ callTool: async () => ({ content: [{ type: 'text', text: 'call-0' }] }) })),
  },
  {
    what: 'a call is answered that never ran',
    breaks: 'what was answered has run',
    connect: handled(() => ({
      callTool: async ({ arguments: args }) => ({ content: [{ type: 'text', text: String(args?.key) }] }),
    })),
  },
  {
    what: 'a call fails with an error of nobody',
    breaks: 'every error is one of the library’s',
    connect: handled(() => ({ callTool: () => Promise.reject(new Error('oops')) })),
  },
  {
    what: 'a subscription does not get through',
    breaks: 'subscriptions and log level are those asked for (P11)',
    connect: fetching(
      (fetch) => (url, init, message) =>
        message.method === 'resources/subscribe' ? answering(message, {}) : fetch(url, init),
    ),
  },
  {
    what: 'the lists of the beginning are kept',
    breaks: 'the lists are those of the server (P10)',
    connect: fetching(
      (fetch) => (url, init, message) =>
        message.method === 'tools/list' ? answering(message, { tools: [] }) : fetch(url, init),
    ),
  },
  {
    what: 'nothing is sent any more after a while',
    breaks: 'once all is well, the connection becomes ready (liveness)',
    connect: fetching((fetch) => {
      let left = 10
      return (url, init) => {
        left -= 1
        return left > 0 ? fetch(url, init) : never
      }
    }),
  },
  {
    what: 'no tool is called any more',
    breaks: 'once all is well, calls are answered (liveness)',
    connect: fetching(
      (fetch) => (url, init, message) =>
        message.method === 'tools/call'
          ? Promise.resolve(new Response('', { status: 404, headers: { 'content-type': 'text/plain' } }))
          : fetch(url, init),
    ),
  },
  {
    what: 'a promise is rejected and nobody hears',
    breaks: 'no promise is rejected unheard',
    connect: (options) => {
      setTimeout(() => void Promise.reject(new Error('unheard')), 100)
      return createConnection(options)
    },
  },
  {
    what: 'a timer throws',
    breaks: 'nothing throws',
    connect: (options) => {
      setTimeout(() => {
        throw new Error('thrown')
      }, 100)
      return createConnection(options)
    },
  },
  {
    what: 'a timer is left',
    breaks: 'no timer is left after close (P18)',
    connect: (options) => {
      setInterval(() => {}, 60_000)
      return createConnection(options)
    },
  },
  {
    what: 'a request is left open',
    breaks: 'nothing is left open after close (P18)',
    connect: fetching(
      (fetch) =>
        (url, { signal: _, ...init }) =>
          fetch(url, init),
    ),
  },
  {
    what: 'closing does not end',
    breaks: 'close ends by its deadline (P18)',
    connect: handled(() => ({ close: () => never })),
  },
  {
    what: 'closing fails',
    breaks: 'close always succeeds (P18)',
    connect: handled((connection) => ({
      close: async () => {
        await connection.close()
        throw new Error('no')
      },
    })),
  },
]
