import type { WireEvidence } from '../../machines/evidence.js'
import { redact } from '../redact.js'
import { errnoOf, retryAfterMs, WireError } from '../wire/index.js'
import type { Site } from './authorizer.js'
import { stepEvidence, type Verdict } from './failure.js'

/** How long one exchange with an authorization server may take: less than a step as a whole. */
const EXCHANGE_MS = 20_000
/** Bodies are cut here; no answer of an authorization server is as long. */
const MAX_BODY = 1_000_000

/** What an exchange came to. */
interface Seen {
  readonly verdict: Verdict
  readonly evidence: WireEvidence
}

/**
 * A `fetch` for the SDK's pieces that remembers what was answered. Failures are judged by that, never by the texts of
 * errors. Documents that are no JSON (a page of a web application that answers everything) are made absent ones.
 */
export class Messenger {
  readonly #site: Pick<Site, 'fetch' | 'clock'>
  readonly #secrets: readonly (string | undefined)[]
  /** The last answer that was not what was due. */
  failure: Seen | undefined
  /** A document could not be had because its server was not well: what is known without it is not to be trusted. */
  outage: Seen | undefined

  /** `secrets`: what an answer might repeat. */
  constructor(site: Pick<Site, 'fetch' | 'clock'>, secrets: readonly (string | undefined)[] = []) {
    this.#site = site
    this.#secrets = secrets
  }

  /** Begins anew: what comes now is of the next request. */
  forget(): void {
    this.failure = undefined
  }

  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const isDocument = (init.method ?? 'GET') === 'GET'
    this.failure = undefined
    const { status, headers, body } = await this.#exchange(String(url), init, isDocument)
    const json = parsed(body)
    const isGood = status >= 200 && status < 300
    if (isGood && json !== undefined && json.error === undefined) {
      return new Response(nullBody(status) ? null : complete(json), { status, headers: plain(headers) })
    }
    const seen = this.#seen(String(url), status, headers, json)
    this.failure = seen
    if (isDocument && seen.verdict === 'passing' && (status >= 500 || status === 429)) this.outage = seen
    // What is no JSON is not there; an error that came with a good status is an error.
    const told = isGood ? (isDocument ? 404 : 400) : status
    return new Response(nullBody(told) ? null : body, { status: told, headers: plain(headers) })
  }

  async #exchange(url: string, init: RequestInit, isDocument: boolean) {
    const { clock, fetch } = this.#site
    const abort = new AbortController()
    const timer: unknown = clock.setTimeout(() => abort.abort(), EXCHANGE_MS)
    try {
      // Codes, secrets and tokens of a request go nowhere else, whatever its answer says.
      const redirect = isDocument ? {} : { redirect: 'manual' as const }
      const response = await fetch(url, { ...init, ...redirect, signal: abort.signal })
      return { status: response.status || 404, headers: response.headers, body: await opening(response) }
    } catch (error) {
      const errno = errnoOf(error)
      const what = abort.signal.aborted ? `no answer within ${EXCHANGE_MS} ms` : (errno ?? 'network error')
      const target = originOf(url)
      const evidence = stepEvidence(`${what} from ${target}`, { ...(errno && { errno }), target })
      const seen: Seen = { verdict: 'passing', evidence }
      this.failure = seen
      if (isDocument) this.outage = seen
      throw new WireError(evidence)
    } finally {
      clock.clearTimeout(timer)
    }
  }

  #seen(url: string, status: number, headers: Headers, json: Json | undefined): Seen {
    const error = typeof json?.error === 'string' ? json.error.replace(/[^\w.-]/g, '').slice(0, 60) : undefined
    const detail = typeof json?.error_description === 'string' ? this.#clean(json.error_description) : undefined
    const verdict = verdictOf(status, error)
    const known = { get: (name: string) => headers.get(name) ?? undefined, setCookies: () => [] }
    const retry = retryAfterMs(known, this.#site.clock.now())
    const contentType = headers.get('content-type') ?? undefined
    return {
      verdict,
      evidence: stepEvidence(`HTTP ${status}${error ? ` ${error}` : ''} from ${originOf(url)}`, {
        http: {
          status,
          exchange: 'message',
          ...(contentType !== undefined && { contentType }),
          ...(error && { body: JSON.stringify({ error, ...(detail && { error_description: detail }) }) }),
        },
        ...(verdict === 'login' && { subject: 'login' }),
        ...(retry !== undefined && { retryAfterMs: retry }),
      }),
    }
  }

  #clean(text: string): string {
    const secrets = this.#secrets.filter((secret): secret is string => secret !== undefined && secret.length >= 6)
    return redact(text, {}, secrets).slice(0, 200)
  }
}

/** The body up to the limit; what comes after it is not waited for. */
async function opening({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (reader && text.length < MAX_BODY) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
  }
  reader?.cancel().catch(() => {})
  return text.slice(0, MAX_BODY)
}

type Json = Readonly<Record<string, unknown>>

/**
 * By the error codes of RFC 6749, 5.2. A refusal in words of the provider's own (report 04.03) needs a person as well;
 * an answer that is no answer of OAuth does not speak of the login at all.
 */
function verdictOf(status: number, error: string | undefined): Verdict {
  if (error === undefined || status >= 500 || status === 429 || status === 408) return 'passing'
  if (/^(?:temporarily_unavailable|server_error|slow_down|too_many_requests|rate_limit\w*)$/.test(error))
    return 'passing'
  return error === 'invalid_client' || error === 'unauthorized_client' ? 'client' : 'login'
}

/** Fields of a token's answer that are texts where they are there. */
const TEXTS = new Set(['refresh_token', 'scope', 'id_token'])

/**
 * Some servers leave out of a token's answer what the SDK insists on, or fill a field they have nothing for with `null`.
 * The refresh token of before may be spent by now: what can be used of the answer is, and the rest counts as left out.
 */
function complete(json: Json): string {
  const { access_token, token_type, expires_in, ...rest } = json
  if (typeof access_token !== 'string') return JSON.stringify(json)
  const lifeS = typeof expires_in === 'string' && expires_in.trim() !== '' ? Number(expires_in) : expires_in
  const isTold = ([name, value]: [string, unknown]) => !TEXTS.has(name) || typeof value === 'string'
  return JSON.stringify({
    ...Object.fromEntries(Object.entries(rest).filter(isTold)),
    access_token,
    token_type: typeof token_type === 'string' ? token_type : 'Bearer',
    ...(typeof lifeS === 'number' && Number.isFinite(lifeS) && { expires_in: lifeS }),
  })
}

function parsed(body: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** The body was read and decoded; headers that speak of its coding do not hold any more. */
function plain(headers: Headers): Headers {
  const kept = new Headers()
  for (const name of ['content-type', 'location', 'retry-after']) {
    const value = headers.get(name)
    if (value !== null) kept.set(name, value)
  }
  return kept
}

const nullBody = (status: number): boolean => status === 204 || status === 205 || status === 304
const originOf = (url: string): string => new URL(url).origin
