import { initialContext } from '../../../machines/changes.js'
import { connectionChart } from '../../../machines/connection.js'
import { type DelayName, delays } from '../../../machines/delays.js'
import type { WireKind } from '../../../machines/evidence.js'
import { resolvePolicy } from '../../../machines/policy.js'
import type { ConnectionContext } from '../../../machines/types.js'
import { code, codes, duration, table } from './markdown.js'
import { pathOf, transitionsOf, withDescendants } from './transitions.js'

interface Explained {
  readonly what: string
  /** The option that sets it. */
  readonly option?: string
  /** Said in place of a figure, where the figure comes from the outside. */
  readonly figure?: string
  /** What makes it grow: from the first value of the field to the last. */
  readonly grows?: { readonly field: 'slowStarts' | 'listRounds'; readonly from: number; readonly to: number }
}

const explained: Readonly<Record<DelayName, Explained>> = {
  connectTimeout: {
    what: 'Opening the wire. With stdio, the whole start has this budget; it doubles after a start that was too slow.',
    option: 'timeouts.connectMs',
    grows: { field: 'slowStarts', from: 0, to: 2 },
  },
  initializeTimeout: {
    what: 'The handshake, or the one request that resumes a session. With stdio, as long as `connectTimeout`.',
    option: 'timeouts.initializeMs',
    grows: { field: 'slowStarts', from: 0, to: 2 },
  },
  discoverTimeout: {
    what: 'Reading all lists. Not a failure: the connection is ready then, and the missing lists are asked for again.',
    option: 'timeouts.discoverMs',
  },
  probeTimeout: { what: 'One probe.', option: 'timeouts.probeMs' },
  closeTimeout: { what: 'Ending session and wire.', option: 'timeouts.closeMs' },
  authorizeTimeout: { what: 'One step of an authorization that needs no person.' },
  consentTimeout: { what: 'For a person to agree to more scope, while everything else goes on.' },
  keepalive: {
    what: 'Between probes of a link that has proved itself. None where the server takes POST only.',
    option: 'keepaliveMs',
  },
  stableAfter: { what: 'How long a connection must hold before its failures are forgotten.', option: 'stableAfterMs' },
  probePause: { what: 'After a probe that failed at once, before the next.' },
  wakePause: { what: 'Before the probe after sleep, or after the network returned.' },
  hold: {
    what: 'At the gate, before it is asked again; sooner when it calls. Longer where a server named a time.',
    figure: 'as the server says, or 22.5 – 37.5 s',
  },
  cooling: { what: 'The time that the server named. Nothing shortens it.', figure: 'as the server says' },
  retryDelay: { what: 'Before the next attempt.', option: 'backoff', figure: 'see [Backoff](#backoff)' },
  offlineRecheck: { what: 'Between looks at a network that is known to be away.' },
  rest: {
    what: 'After the last attempt, calls are refused at once for so long: the longest delay of the backoff.',
    option: 'backoff',
  },
  slowProbe: { what: 'Between single attempts of an exhausted connection.', option: 'slowProbeMs' },
  gather: {
    what: 'After lists changed, for further changes; longer with each round.',
    grows: { field: 'listRounds', from: 0, to: 10 },
  },
  listsQuiet: { what: 'Without changes, after which the pauses of `gather` are short again.' },
  listRetry: {
    what: 'Before a list that could not be read is asked for again.',
    grows: { field: 'listRounds', from: 1, to: 10 },
  },
  tokenRefresh: { what: 'Before a credential is renewed ahead of its end.', figure: 'as the authorizer says' },
}

/** Every named delay of the chart: where it runs, what it is for, and what it comes to by default. */
export function deadlines(): string {
  return table(
    ['name', 'runs in', 'stdio', 'HTTP', 'option of `policy`', 'what for'],
    Object.entries(explained).map(([name, entry]) => [
      code(name),
      codes(statesWith(name)),
      figure(name as DelayName, entry, 'stdio'),
      figure(name as DelayName, entry, 'http'),
      entry.option ? code(entry.option) : '',
      entry.what,
    ]),
  )
}

function statesWith(name: string): string[] {
  const used = withDescendants(connectionChart.root).filter((node) =>
    transitionsOf(node).some(({ on }) => on === `after ${name}`),
  )
  if (used.length === 0) throw new Error(`no state of the chart uses the delay '${name}'`)
  return used.map(pathOf)
}

function figure(name: DelayName, { figure, grows }: Explained, wire: WireKind): string {
  if (figure) return figure
  const at = (field: Partial<ConnectionContext>) =>
    [0, 1].map((random) => delays[name]({ context: { ...sampleContext(wire, random), ...field } }))
  const values = grows ? [grows.from, grows.to].flatMap((value) => at({ [grows.field]: value })) : at({})
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return least === most ? duration(least) : `${duration(least)} – ${duration(most)}`
}

/** What a connection knows when it begins, with every option at its default. */
export function sampleContext(wire: WireKind, random = 0): ConnectionContext {
  return initialContext({
    input: {
      name: 'documented',
      wire,
      remote: wire === 'http',
      authorizer: false,
      legacyAllowed: false,
      resumable: false,
      policy: resolvePolicy(wire),
      rules: [],
      random: () => random,
      now: () => 0,
      runtime: { name: 'documented', toJSON: () => null },
    },
  })
}
