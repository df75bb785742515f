import type { PolicyOptions } from '../../../machines/index.js'
import type { Handled } from './answering.js'
import type { Chance } from './chance.js'
import { type ChildTraits, childTraitsOf } from './child-traits.js'
import { type AuthorizationKind, type GrantTraits, grantTraitsOf } from './grant-traits.js'
import { type LossDialect, lossDialects } from './refusals.js'

/** What kind of server it is; it does not change while it runs. */
export interface Traits {
  /** Streamable HTTP over the injected `fetch`, a transport that the application brings, or a child process. */
  readonly wire: 'http' | 'custom' | 'stdio'
  readonly replies: 'json' | 'sse'
  /** Events have ids, and a stream that broke can be gone on with. */
  readonly eventIds: boolean
  /** GET opens a listening stream; otherwise it is answered by 405. */
  readonly listening: boolean
  /** `initialize` gives out a session id. */
  readonly sessions: boolean
  /** Sessions outlive a restart of the server. */
  readonly keepsSessions: boolean
  readonly lossDialect: LossDialect
  readonly answersPing: boolean
  /** What DELETE is answered by: 200, 204, 404 or 405. */
  readonly endStatus: number
  /** One way, in milliseconds: least and most. */
  readonly latencyMs: readonly [least: number, most: number]
  readonly tools: number
  /** What the application answers when the server asks for it. */
  readonly handles: readonly Handled[]
  /** Of the program, where the server is one. */
  readonly child: ChildTraits
  readonly authorization: AuthorizationKind
  readonly grants: GrantTraits
}

const handled = ['roots/list', 'sampling/createMessage', 'elicitation/create'] as const

export function traitsOf(chance: Chance): Traits {
  const least = chance.whole(1, 20)
  const handles = chance.of('handlers')
  const wire = chance.weighted({ http: 60, custom: 15, stdio: 25 } as const)
  const kind = chance.of('authorization').weighted({ none: 50, tokens: 15, oauth: 35 })
  return {
    wire,
    replies: chance.pick(['json', 'sse']),
    eventIds: chance.happens(0.5),
    listening: chance.happens(0.8),
    sessions: chance.happens(0.85),
    keepsSessions: chance.happens(0.2),
    lossDialect: chance.pick(lossDialects),
    answersPing: chance.happens(0.85),
    endStatus: chance.pick([200, 204, 404, 405]),
    latencyMs: [least, least + chance.mostlySmall(0, 200)],
    tools: chance.whole(1, 5),
    handles: handled.filter(() => handles.happens(0.6)),
    child: childTraitsOf(chance.of('child')),
    authorization: wire === 'http' ? kind : 'none',
    grants: grantTraitsOf(chance.of('grants')),
  }
}

/** What the application asks of the connection. */
export function policyOf(chance: Chance): PolicyOptions {
  return {
    backoff: chance.pick([
      'gentle',
      'responsive',
      'conservative',
      { baseMs: chance.whole(50, 2_000), capMs: chance.whole(2_000, 20_000) },
    ] as const),
    maxAttempts: chance.pick([3, 8, 20, 20]),
    keepaliveMs: chance.pick([0, 5_000, 30_000, 30_000]),
    stableAfterMs: chance.pick([1_000, 10_000, 10_000]),
    slowProbeMs: chance.pick([false, 20_000, 60_000] as const),
    queueLimit: chance.pick([4, 256]),
    onSessionLost: chance.happens(0.95) ? 'renew' : 'fail',
    timeouts: { callMs: chance.pick([5_000, 20_000, 60_000]), closeMs: chance.pick([1_000, 5_000]) },
  }
}
