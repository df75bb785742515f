import type { InspectionEvent, Observer } from 'xstate'
import type { FaultClass, Rule } from '../../machines/faults.js'
import { type PolicyOptions, resolvePolicy } from '../../machines/policy.js'
import type { ConnectionInput } from '../../machines/types.js'
import { type AnyAuthorizer, authorizerFor } from '../auth/index.js'
import { type Clock, type Random, systemClock, systemRandom } from '../clock.js'
import {
  addressOf,
  ConnectionRuntime,
  checkTarget,
  clientOptions,
  isAuto,
  isKnownLegacy,
  isRemote,
  type ServerRequest,
  type ServerRequestHandler,
  type Target,
  wireKind,
} from '../link/index.js'
import type { Capabilities } from '../protocol.js'
import { loneFetch } from '../wire/index.js'
import { Authorization } from './authorization.js'
import { type Checkpoint, readCheckpoint } from './checkpoint.js'

/** Everything that a connection can be told. Only `name` and `target` are needed. */
export interface ConnectionOptions {
  /** How the connection is called in errors, logs and inspectors. */
  readonly name: string
  /** The server: a command to run, an address, or a factory of SDK transports. */
  readonly target: Target
  /** Who we say we are, and the answers to what a server may ask of us. Default: this library, and nothing. */
  readonly client?: {
    readonly name?: string
    readonly version?: string
    readonly capabilities?: Capabilities
    /** Answered on every link. A request that is pending when the link is lost is aborted and never answered elsewhere. */
    readonly handlers?: Readonly<Partial<Record<ServerRequest, ServerRequestHandler>>>
  }
  readonly policy?: PolicyOptions
  /**
   * Who gets credentials: `oauth(…)` or `clientCredentials(…)` of `mcp-lifeline/auth`, `{ token(), refresh?() }` for an
   * API key or a way of your own, or any `OAuthClientProvider` written for the SDK. Only for a target with a `url`; an
   * `authorization` among its `headers` wins. Default: none, and a refused request ends in `failed`.
   */
  readonly authorizer?: AnyAuthorizer
  /** Rules that are asked before the library's own when a failure is judged. */
  readonly rules?: readonly Rule<FaultClass>[]
  /** What `checkpoint()` gave, perhaps in another process: the session is gone on with if it still lives. */
  readonly resume?: Checkpoint
  /** What the server says of its tools (read-only, idempotent) is believed. Default `false`. */
  readonly trusted?: boolean
  /** Where time comes from. Default: the system's clock. */
  readonly clock?: Clock
  /** Where chance comes from: numbers in [0, 1). Default `Math.random`. */
  readonly random?: Random
  /** An observer of XState inspection events, for this connection's actors: see `mcp-lifeline/inspect`. */
  readonly inspect?: Observer<InspectionEvent> | ((event: InspectionEvent) => void)
  /** Used for HTTP in place of undici. */
  readonly fetch?: typeof globalThis.fetch
}

const noPolicy: PolicyOptions = Object.freeze({})

/**
 * The input of {@link connectionMachine}, for `createActor` or a parent machine's `invoke`. It keeps target and secrets
 * to itself: nothing of them shows in inspectors, snapshots or JSON.
 *
 * @throws TypeError that names the option and what it may be
 */
export function connectionInput(options: ConnectionOptions): ConnectionInput {
  const { name, target, rules = [], clock = systemClock, random = systemRandom, trusted = false, fetch } = options
  if (typeof name !== 'string' || name === '') throw new TypeError('A connection needs a name.')
  checkTarget(name, target)
  const wire = wireKind(target)
  const policy = resolvePolicy(wire, options.policy)
  const client = clientOptions(options.client)
  const { session, logLevel, subscriptions } = readCheckpoint(options.resume, addressOf(target))
  const authorization = options.authorizer && authorizationFor(options.authorizer, options)
  const token = authorization && (() => authorization.token())
  const runtime = new ConnectionRuntime(
    {
      name,
      target,
      client,
      policy,
      rules,
      clock,
      random,
      fetch,
      token,
      trusted,
      policyOptions: options.policy ?? noPolicy,
    },
    session,
  )
  authorization?.serve(runtime)
  if (logLevel !== undefined) runtime.restoration.wantLogLevel(logLevel)
  for (const uri of subscriptions) runtime.restoration.wantSubscription(uri)
  return {
    name,
    wire,
    remote: isRemote(target),
    authorizer: authorization !== undefined,
    legacyAllowed: isAuto(target),
    ...(isKnownLegacy(target) && { dialect: { wire: 'sse' as const } }),
    resumable: session !== undefined,
    policy,
    rules,
    random,
    now: () => clock.now(),
    runtime,
  }
}

function authorizationFor(
  given: AnyAuthorizer,
  { name, target, clock = systemClock, fetch }: ConnectionOptions,
): Authorization {
  const authorizer = authorizerFor(given)
  if (!('url' in target)) {
    throw new TypeError(
      `Connection '${name}': an authorizer is for a target with a url; a program takes its secrets in env.`,
    )
  }
  if (!URL.canParse(String(target.url))) {
    throw new TypeError(`Connection '${name}': target.url is no address, and credentials belong to one.`)
  }
  const { dispatcher } = target
  const site = { name, url: new URL(target.url), clock, fetch: loneFetch({ fetch, dispatcher }) }
  return new Authorization(authorizer, site)
}
