import { Collected } from './body.js'
import { HttpClient, type HttpClientOptions } from './client.js'
import { type ResponseHeaders, targetOf } from './exchange.js'

/** No answer here is as long; what comes beyond it is not waited for, in bytes. */
const MAX_BODY = 1_000_000

/** The headers that are of use to whoever reads a small answer as a whole. */
const kept = ['content-type', 'location', 'retry-after', 'date', 'www-authenticate']

/**
 * A `fetch` for a few requests beside a wire, as authorization needs: it goes by the same dispatcher, proxy and
 * certificate authorities as the wires do, reads each answer as a whole, and keeps no socket open after it.
 */
export function loneFetch(options: HttpClientOptions = {}): typeof globalThis.fetch {
  if (options.fetch) return options.fetch
  return async (input, init = {}) => {
    const client = new HttpClient(options)
    try {
      await client.ready()
      return await answer(client, String(input), init)
    } finally {
      await client.close()
    }
  }
}

function answer(client: HttpClient, url: string, { method, headers, body, signal }: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const collected = new Collected()
    const done = () => resolve(responseOf(head?.status ?? 502, head?.headers, collected.text()))
    let head: { status: number; headers: ResponseHeaders } | undefined
    const exchange = client.exchange(
      {
        method: method === 'POST' || method === 'DELETE' ? method : 'GET',
        target: targetOf(new URL(url)),
        headers: Object.fromEntries(new Headers(headers)),
        ...(body !== undefined && body !== null && { body: String(body) }),
      },
      {
        head: (status, answered) => {
          head = { status, headers: answered }
        },
        data: (chunk) => {
          collected.add(chunk)
          if (collected.bytes <= MAX_BODY) return
          done()
          exchange.abort()
        },
        end: done,
        fail: (error) => reject(error),
      },
    )
    const onAbort = () => {
      exchange.abort()
      reject(signal?.reason)
    }
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

function responseOf(status: number, headers: ResponseHeaders | undefined, text: string): Response {
  const told = new Headers()
  for (const name of kept) {
    const value = headers?.get(name)
    if (value !== undefined) told.set(name, value)
  }
  const hasBody = status !== 204 && status !== 205 && status !== 304
  return new Response(hasBody ? text : null, { status, headers: told })
}
