/**
 * Plays: what a fault server does with one request. Each is a value, so that an arrangement is one line:
 * `server.answer('tools/call', status(503, { retryAfter: 2 }))`.
 */
import type { ServerResponse } from 'node:http'
import { frame } from './frame.js'
import type { Play, Visit } from './visit.js'

export interface AnswerOptions {
  headers?: Record<string, string | string[]>
  body?: unknown
  /** Seconds, or an HTTP date. */
  retryAfter?: number | string
  contentType?: string
}

/** A plain HTTP answer. An object as body is sent as JSON. */
export function status(code: number, { headers, body, retryAfter, contentType }: AnswerOptions = {}): Play {
  return ({ res }) => {
    const isText = typeof body === 'string'
    const type = contentType ?? (body === undefined ? undefined : isText ? 'text/plain' : 'application/json')
    res.writeHead(code, {
      ...(type && { 'content-type': type }),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      ...headers,
    })
    res.end(body === undefined ? undefined : isText ? body : JSON.stringify(body))
  }
}

/** A page, as proxies and wrong addresses give it. */
export function html(code = 200, text = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>'): Play {
  return status(code, { body: text, contentType: 'text/html; charset=utf-8' })
}

export function redirect(location: string, code = 307): Play {
  return status(code, { headers: { location } })
}

/** The JSON-RPC answer to the request, as JSON. */
export function result(value: Record<string, unknown> = {}, options: AnswerOptions = {}): Play {
  return (visit) => status(200, { body: { jsonrpc: '2.0', id: visit.request.id, result: value }, ...options })(visit)
}

export interface RpcErrorOptions extends AnswerOptions {
  /** Default 200. */
  code?: number
  /** The id in the error: that of the request (default), or what is given; `undefined` leaves it out. */
  id?: unknown
  data?: unknown
  /** Framed as an SSE event with the same status. */
  framed?: boolean
}

/** A JSON-RPC error: `rpcError(-32001, 'Session not found', { code: 404, id: null })`. */
export function rpcError(rpc: number, message: string, options: RpcErrorOptions = {}): Play {
  return (visit) => {
    const { code = 200, data, framed, ...rest } = options
    const error = { code: rpc, message, ...(data !== undefined && { data }) }
    const body = { jsonrpc: '2.0', id: 'id' in options ? options.id : visit.request.id, error }
    if (!framed) return status(code, { ...rest, body })(visit)
    const text = `event: message\ndata: ${JSON.stringify(body)}\n\n`
    return status(code, { ...rest, body: text, contentType: 'text/event-stream' })(visit)
  }
}

/** One part of an SSE answer: text as it is, an event, a pause until something happens, or an end. */
export type Part =
  | string
  | { event?: string; id?: string; retry?: number; data?: unknown }
  /** The response to the request. */
  | { respond: Record<string, unknown>; id?: string; event?: string }
  /** Goes on when this resolves. */
  | { until: (visit: Visit) => Promise<unknown> }
  | 'destroy'
  | 'stay-open'

/**
 * An answer as a stream of server-sent events. It ends cleanly after the last part, unless that is `destroy` (the socket
 * is cut) or `stay-open`: `sse([': keepalive\n\n', 'destroy'])`.
 */
export function sse(parts: readonly Part[], options: AnswerOptions & { code?: number } = {}): Play {
  return async (visit) => {
    const { res, request } = visit
    res.writeHead(options.code ?? 200, {
      'content-type': options.contentType ?? 'text/event-stream',
      ...options.headers,
    })
    res.flushHeaders()
    for (const part of parts) {
      if (part === 'stay-open') return
      if (part === 'destroy') {
        await drained(res)
        res.destroy()
        return
      }
      if (typeof part === 'string') res.write(part)
      else if ('until' in part) await part.until(visit)
      else if ('respond' in part) {
        res.write(frame({ ...part, data: { jsonrpc: '2.0', id: request.id, result: part.respond } }))
      } else res.write(frame(part))
    }
    res.end()
  }
}

/** Never answers. */
export function hang(): Play {
  return () => {}
}

/** Reads the request and cuts the socket without a word; the server may have run it. */
export function destroy(): Play {
  return ({ res }) => {
    res.socket?.resetAndDestroy()
  }
}

/** Writes a head and `text`, promises more, and stops there: `stall(200, '{"jsonrpc":')`, or cuts with `{ cut: true }`. */
export function stall(
  code: number,
  text = '',
  {
    cut = false,
    contentType = 'application/json',
    length,
  }: { cut?: boolean; contentType?: string; length?: number } = {},
): Play {
  return async ({ res }) => {
    res.writeHead(code, {
      'content-type': contentType,
      ...(length !== undefined && { 'content-length': String(length) }),
    })
    res.flushHeaders()
    if (text) res.write(text)
    if (!cut) return
    await drained(res)
    res.destroy()
  }
}

/** Does `play` once `when` resolves. */
export function after(when: (visit: Visit) => Promise<unknown>, play: Play): Play {
  return async (visit) => {
    await when(visit)
    await play(visit)
  }
}

/** Waits so many milliseconds, then does `play`. */
export function slow(ms: number, play: Play = healthy()): Play {
  return after(({ server }) => server.wait(ms), play)
}

/** What the server would do without an arrangement. */
export function healthy(): Play {
  return (visit) => visit.healthy()
}

/** One play after the other, one per request; the last one stays. */
export function inTurn(...plays: readonly [Play, ...Play[]]): Play {
  let turn = 0
  return (visit) => {
    const play = plays[Math.min(turn, plays.length - 1)]
    turn += 1
    return play?.(visit)
  }
}

/** Resolves when what was written has left for the network. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    res.write('', () => resolve())
    res.once('close', () => resolve())
  })
}
