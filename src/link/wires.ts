import type { Policy } from '../../machines/policy.js'
import type { Clock, Random } from '../clock.js'
import { redact } from '../redact.js'
import { type AccessToken, HttpClient, HttpWire, SseWire, StdioWire, TransportWire } from '../wire/index.js'
import type { Wire } from '../wire/wire.js'
import type { SessionMemory } from './port.js'
import { secretsOf } from './secrets.js'
import type { HttpTarget, StdioTarget, Target } from './target.js'

export interface WiresOptions {
  readonly clock: Clock
  readonly random: Random
  readonly fetch?: typeof globalThis.fetch
  /** The credential for the next request. */
  readonly token?: () => Promise<AccessToken | undefined>
}

/** Makes the wires of one connection. The sockets of HTTP are shared by all of them, so that a new link uses TLS again. */
export class Wires {
  readonly #options: WiresOptions
  #http: HttpClient | undefined

  constructor(options: WiresOptions) {
    this.#options = options
  }

  /** A fresh wire; nothing runs yet. `wire`: which one, where the target leaves it open. */
  make(
    target: Target,
    { closeMs }: Pick<Policy, 'closeMs'>,
    resume: SessionMemory | undefined,
    wire: 'http' | 'sse' | undefined,
  ): Wire {
    const { clock } = this.#options
    if ('open' in target) return new TransportWire(target.open(), clock)
    if ('url' in target) return (wire ?? target.kind) === 'sse' ? this.#sse(target) : this.http(target, resume)
    const secrets = secretsOf(target)
    const clean = (text: string) => redact(text, {}, secrets)
    const child = new StdioWire({ ...mutable(target), clock, redact: clean })
    child.limitClosing(closeMs)
    return child
  }

  http(target: HttpTarget, resume: SessionMemory | undefined): HttpWire {
    const { clock, random, token } = this.#options
    return new HttpWire({
      url: target.url,
      headers: target.headers,
      token,
      client: this.#client(target),
      session: resume?.id === undefined ? undefined : { id: resume.id, protocolVersion: resume.protocolVersion },
      listen: 'manual',
      clock,
      random,
    })
  }

  #sse(target: HttpTarget): SseWire {
    const { clock, token } = this.#options
    return new SseWire({ url: target.url, headers: target.headers, token, client: this.#client(target), clock })
  }

  #client({ dispatcher }: HttpTarget): HttpClient {
    this.#http ??= new HttpClient({ fetch: this.#options.fetch, dispatcher })
    return this.#http
  }

  /** Closes idle sockets; a later wire opens new ones. Everything that uses them must have ended. */
  async close(): Promise<void> {
    const http = this.#http
    this.#http = undefined
    await http?.close()
  }
}

function mutable({ command, args, env, inheritEnv, cwd, watchdog }: StdioTarget) {
  return { command, args: args && [...args], env, inheritEnv: inheritEnv && [...inheritEnv], cwd, watchdog }
}
