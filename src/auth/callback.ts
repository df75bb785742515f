import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Clock, systemClock } from '../clock.js'
import { CallbackError } from '../errors.js'

export interface CallbackOptions {
  /**
   * Where the browser comes back to: `http:`, to 127.0.0.1 or localhost; port 0 is any free one. Default
   * `http://127.0.0.1:0/callback`. Give a port where the authorization server insists on the very address that was
   * registered, and `login.redirectUrl` where a login is under way.
   */
  readonly redirectUrl?: string | URL
  /** How long the person may take, in milliseconds. Default 300,000: five minutes. */
  readonly timeoutMs?: number
  /** Ends the waiting; `response` rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /**
   * Whether this is the response that is waited for, told by its `state` for instance. Others are refused and do not
   * count: any page in the person's browser can send one. Default: each is.
   */
  readonly accept?: (response: URL) => boolean
  /** Where time comes from. Default: the system's clock. */
  readonly clock?: Clock
}

/** Waits on this machine for the browser to come back from a login. */
export interface LoopbackCallback extends AsyncDisposable {
  /** The redirect URL to register and to ask the authorization server for. */
  readonly redirectUrl: string
  /**
   * The whole URL that the browser came back to: for `connection.authorize(url)`, which checks state and issuer. Also
   * resolves when the answer is an error of the authorization server.
   *
   * Rejects with CallbackError after `timeoutMs` or `close()`, or with the reason of `signal`.
   */
  readonly response: Promise<URL>
  /** Stops waiting; no socket is left. */
  close(): Promise<void>
}

/**
 * Listens on 127.0.0.1 for the one response of a login (RFC 8252, section 7.3) and answers the browser with a page that
 * says it may be closed. Whatever else comes is refused: other hosts (DNS rebinding), methods and paths, and requests
 * that a page makes behind the person's back.
 *
 * @throws CallbackError `unavailable` when the port cannot be had
 * @throws TypeError when `redirectUrl` is no address of this machine
 */
export async function listenForCallback(options: CallbackOptions = {}): Promise<LoopbackCallback> {
  const { timeoutMs = 300_000, signal, accept = () => true, clock = systemClock } = options
  const redirectUrl = readRedirectUrl(options.redirectUrl ?? 'http://127.0.0.1:0/callback')
  signal?.throwIfAborted()
  const server = createServer()
  redirectUrl.port = String(await listen(server, Number(redirectUrl.port || 80)))
  return new Listening(server, redirectUrl, { timeoutMs, signal, accept, clock })
}

function readRedirectUrl(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined
  if (url?.protocol === 'http:' && /^(?:127\.0\.0\.1|localhost)$/.test(url.hostname)) return url
  throw new TypeError('listenForCallback: redirectUrl is an http: address of 127.0.0.1 or localhost.')
}

/** @returns the port */
async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    const why = Object(error).code === 'EADDRINUSE' ? 'another program has it' : String(Object(error).code)
    throw new CallbackError(
      'unavailable',
      `The login cannot come back to port ${port} of 127.0.0.1: ${why}. Give another port, or none for any that is free.`,
      error,
    )
  }
  return Object(server.address()).port
}

class Listening implements LoopbackCallback {
  readonly redirectUrl: string
  readonly response: Promise<URL>
  readonly #server: Server
  readonly #url: URL
  readonly #accept: (response: URL) => boolean
  readonly #closed: Promise<unknown>
  #resolve: (response: URL) => void = () => {}
  #reject: (reason: unknown) => void = () => {}
  #stop: () => void

  constructor(
    server: Server,
    url: URL,
    {
      timeoutMs,
      signal,
      accept,
      clock,
    }: Required<Pick<CallbackOptions, 'timeoutMs' | 'accept' | 'clock'>> & CallbackOptions,
  ) {
    this.#server = server
    this.#url = url
    this.#accept = accept
    this.redirectUrl = url.href
    this.#closed = once(server, 'close')
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Nobody need wait for it: the login may come about elsewhere.
    this.response.catch(() => {})
    const late = new CallbackError('timeout', `Nobody came back from the login within ${timeoutMs} ms. Start it again.`)
    const timer: unknown = clock.setTimeout(() => this.#give(late), timeoutMs)
    const onAbort = () => this.#give(signal?.reason)
    signal?.addEventListener('abort', onAbort)
    this.#stop = () => {
      clock.clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      server.close()
    }
    server.on('request', (request, response) => this.#answer(request, response))
    if (signal?.aborted) onAbort()
  }

  async close(): Promise<void> {
    this.#give(new CallbackError('closed', 'Nobody waits for the login any more.'))
    await this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #give(reason: unknown): void {
    this.#reject(reason)
    this.#stop()
    this.#server.closeAllConnections()
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = this.#urlOf(request)
    const refusal = this.#refusal(request, url)
    if (refusal) {
      page(response, ...refusal)
      return
    }
    // No second one from here on; what is still open is cut once the page has left.
    this.#resolve(url)
    this.#stop()
    response.once('close', () => this.#server.closeAllConnections())
    const outcome = url.searchParams.has('code') ? 'You are logged in.' : 'The login was refused.'
    page(response, 200, `${outcome} You may close this page.`)
  }

  #refusal({ method, headers }: IncomingMessage, url: URL): [number, string] | undefined {
    if (!this.#isThisHost(headers.host)) return [403, 'This address answers to its own name only.']
    if (url.pathname !== this.#url.pathname) return [404, 'There is nothing here.']
    if (method !== 'GET') return [405, 'A login comes back by GET.']
    // Browsers say what a request is for. A login comes back because the person was sent here, not from within a page.
    const mode = headers['sec-fetch-mode']
    if (mode !== undefined && mode !== 'navigate') return [403, 'A login comes back as a page of its own.']
    const says = url.searchParams.has('code') || url.searchParams.has('error')
    if (!says || !this.#accept(url)) return [400, 'This is not the answer to the login that is waited for.']
    return undefined
  }

  /** Always at our own origin: a request may name another host in its first line. */
  #urlOf({ url = '' }: IncomingMessage): URL {
    const { origin } = this.#url
    const whole = `${origin}${url}`
    return new URL(url.startsWith('/') && URL.canParse(whole) ? whole : origin)
  }

  #isThisHost(host: string | undefined): boolean {
    const { port } = this.#url
    return host === `127.0.0.1:${port}` || host === `localhost:${port}`
  }
}

/** Plain, without a script, and with nothing of the request in it: the address of the page holds the code. */
function page(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(`<!doctype html><html lang="en"><title>Login</title><p>${sentence}</p></html>\n`)
}
