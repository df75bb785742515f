import type { WireKind } from '../../machines/evidence.js'
import { stdioUnsupported } from '../wire/index.js'
import type { TransportLike } from '../wire/wire.js'

/** A server that runs as a child process. */
export interface StdioTarget {
  readonly command: string
  readonly args?: readonly string[]
  /** The server's own variables; they win over inherited ones. `undefined` takes an inherited one away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Further variables of this process to take over, beside the short safe list. */
  readonly inheritEnv?: readonly string[]
  readonly cwd?: string
  /**
   * A small helper process ends the server's process group when this process is killed by SIGKILL and so cannot do it
   * itself. One helper serves all. No effect on Windows. Default `false`; `true` for servers of a hub.
   */
  readonly watchdog?: boolean
  /** Texts that are not shown wherever the server repeats them; secrets in `env` need not be named. */
  readonly secrets?: readonly string[]
}

/** A server at an address. */
export interface HttpTarget {
  readonly url: string | URL
  /** Sent with every request; a function is asked anew for each. */
  readonly headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>)
  /**
   * `http`: Streamable HTTP. `sse`: the older HTTP+SSE wire of revision 2024-11-05. `auto` (default): Streamable HTTP
   * first, and the older one if the server refuses it as such servers do; what served is remembered for the address.
   */
  readonly kind?: 'http' | 'sse' | 'auto'
  /** An undici Dispatcher, for a proxy or a certificate authority. Not closed by the connection. */
  readonly dispatcher?: DispatcherLike
  /** Texts that are not shown wherever the server repeats them; those in `headers` need not be named. */
  readonly secrets?: readonly string[]
}

/** Any transport of the SDK. `open` is called for every link and must give a fresh one each time. */
export interface CustomTarget {
  readonly open: () => TransportLike
}

export type Target = StdioTarget | HttpTarget | CustomTarget

/** As much of an undici Dispatcher as a connection needs to know. */
type DispatcherLike = NonNullable<import('../wire/index.js').HttpClientOptions['dispatcher']>

export function wireKind(target: Target): WireKind {
  if ('command' in target) return 'stdio'
  if (!('url' in target)) return 'custom'
  return target.kind === 'sse' ? 'sse' : 'http'
}

/** The other wire may be tried too. */
export const isAuto = (target: Target): boolean => 'url' in target && (target.kind ?? 'auto') === 'auto'

/** Names a target without anything that may be secret in it: no arguments, headers, query or credentials. */
export function addressOf(target: Target): string {
  if ('command' in target) return `stdio:${target.command}`
  if (!('url' in target)) return 'custom'
  if (!URL.canParse(String(target.url))) return 'url'
  const { origin, pathname } = new URL(target.url)
  return `${origin}${pathname}`
}

/** The target is on another machine: losing the network explains losing it. */
export function isRemote(target: Target): boolean {
  if (!('url' in target)) return false
  const host = URL.canParse(String(target.url)) ? new URL(target.url).hostname : ''
  return !/^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(host)
}

/**
 * Refuses a target that cannot be meant.
 *
 * @throws TypeError that says what a target may be
 */
export function checkTarget(name: string, target: unknown): asserts target is Target {
  const kinds = ['command', 'url', 'open'].filter(
    (key) => typeof target === 'object' && target !== null && key in target,
  )
  if (kinds.length !== 1) {
    throw new TypeError(
      `Connection '${name}': target needs exactly one of command, url and open, not ${kinds.join(' and ') || 'none'}.`,
    )
  }
  const { command, args, open, headers, kind }: Record<string, unknown> = { ...Object(target) }
  const refuse = (sentence: string) => new TypeError(`Connection '${name}': ${sentence}`)
  if (command !== undefined && (typeof command !== 'string' || command === '')) {
    throw refuse('target.command is the program to run, as text.')
  }
  if (command !== undefined && stdioUnsupported) throw refuse(`target.command does not serve here: ${stdioUnsupported}`)
  if (args !== undefined && !(Array.isArray(args) && args.every((arg) => typeof arg === 'string'))) {
    throw refuse('target.args is a list of texts, one for each argument.')
  }
  if (open !== undefined && typeof open !== 'function')
    throw refuse('target.open is a function that makes a transport.')
  if (headers !== undefined && (headers === null || !['object', 'function'].includes(typeof headers))) {
    throw refuse('target.headers is an object of names and values, or a function that gives one.')
  }
  if (kind !== undefined && kind !== 'http' && kind !== 'sse' && kind !== 'auto') {
    throw refuse(`target.kind is one of http, sse and auto, not ${String(kind)}.`)
  }
}
