/** Connections that break one promise about credentials each. */
import { again, fetching, handled, type Sabotage } from './sabotage-kit.js'

const isForTokens = (url: string): boolean => url.endsWith('/token')

/** What came, as one that can be made anew. */
async function whole({ status, headers, body }: Response): Promise<{ text: string; init: ResponseInit }> {
  const { value } = (await body?.getReader().read()) ?? {}
  return { text: new TextDecoder().decode(value), init: { status, headers } }
}

const withoutCredential = ({ headers, ...init }: RequestInit): RequestInit => {
  const { authorization: _, ...rest } = Object(headers)
  return { ...init, headers: rest }
}

export const authorizationSabotages: readonly Sabotage[] = [
  {
    what: 'an answer that is refused for its credential is lost',
    breaks: 'once all is well, the server is answered (liveness)',
    connect: fetching((fetch) => async (url, init, { method, id }) => {
      const response = await fetch(url, init)
      const isRefused = response.status === 401 && method === undefined && id !== undefined
      return isRefused ? new Response(null, { status: 202 }) : response
    }),
  },
  {
    what: 'every token is asked for twice',
    breaks: 'one token is asked for at a time (P12)',
    connect: fetching((fetch) => (url, init) => {
      if (isForTokens(url)) void again(fetch, url, init)
      return fetch(url, init)
    }),
  },
  {
    what: 'the first refresh token is used for ever',
    breaks: 'a replaced refresh token is never used again (P13)',
    connect: fetching((fetch) => {
      let first: RequestInit | undefined
      return (url, init) => {
        if (!isForTokens(url)) return fetch(url, init)
        first ??= init
        return fetch(url, { ...init, body: first.body })
      }
    }),
  },
  {
    what: 'another refresh token is kept than came',
    breaks: 'a good refresh token is never thrown away (P13)',
    connect: fetching((fetch) => async (url, init) => {
      const response = await fetch(url, init)
      if (!isForTokens(url)) return response
      const { text, init: head } = await whole(response)
      return new Response(text.replace('-refresh-', '-forged-'), head)
    }),
  },
  {
    what: 'trouble at the token endpoint is taken for the end of the login',
    breaks: 'nobody is asked to log in while the login is good',
    connect: fetching((fetch) => async (url, init) => {
      const response = await fetch(url, init)
      if (!isForTokens(url) || response.status < 429) return response
      return new Response('{"error":"invalid_grant"}', { status: 400 })
    }),
  },
  {
    what: 'one refused credential ends every call',
    breaks: 'no call is given up for the sake of another (P14)',
    connect: fetching((fetch) => {
      const calls = new Set<AbortController>()
      return async (url, { signal, ...init }, { method }) => {
        const own = new AbortController()
        signal?.addEventListener('abort', () => own.abort(signal.reason))
        if (method === 'tools/call') calls.add(own)
        const response = await fetch(url, { ...init, signal: own.signal })
        if (response.status === 401) for (const one of calls) if (one !== own) one.abort()
        return response
      }
    }),
  },
  {
    what: 'no credential gets through, and it is tried for ever',
    breaks: 'no more than three credentials are got in a row',
    connect: (options) => {
      const connection = fetching(
        (fetch) => (url, init) => fetch(url, url.endsWith('/mcp') ? withoutCredential(init) : init),
      )(options)
      connection.actor.on('*', ({ type }) => {
        if (type === 'connection.failed') setTimeout(() => connection.actor.send({ type: 'retry' }), 100)
      })
      return connection
    },
  },
  {
    what: 'a credential stands in an error',
    breaks: 'no secret is ever told (P19)',
    connect: ({ fetch = globalThis.fetch, ...options }) => {
      let credential = ''
      const listening: typeof fetch = (url, init = {}) => {
        credential = Object(init.headers).authorization ?? credential
        return fetch(url, init)
      }
      return handled(() => ({ callTool: () => Promise.reject(new Error(credential)) }))({
        ...options,
        fetch: listening,
      })
    },
  },
]
