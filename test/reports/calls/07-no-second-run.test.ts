/**
 * Report 07.02: an automatic retry ran a write twice. Every way of failing × what the server says of the tool × whether it
 * is believed × what the caller wants. The server counts its runs.
 *
 * Two cells differ from the report. It lets every 404 stand for an unknown outcome; here one whose body is the protocol's
 * own refusal is believed, since the specification has servers answer so before they run anything. And hints count only
 * from a server that the application trusts, as the specification demands.
 */
import { describe, expect, it } from 'vitest'
import { SimulatedClock } from 'xstate'
import { type CallOptions, type Connection, createConnection, OutcomeUnknownError } from '../../../src/index.js'
import {
  destroy,
  type FaultServer,
  type Play,
  rpcError,
  startFaultServer,
  status,
} from '../../../src/testing/fault-server/index.js'
import { turns } from '../rig.js'
import { quickChild } from '../stdio/rig.js'

const hintsOf = {
  none: {},
  readOnly: { readOnlyHint: true },
  idempotent: { idempotentHint: true },
  destructive: { destructiveHint: true, readOnlyHint: false, idempotentHint: false },
} as const
type Hint = keyof typeof hintsOf

interface Mode {
  readonly name: string
  /** Whether the tool has run when the failure shows. */
  readonly ran: boolean
  readonly play?: Play
}

const modes: readonly Mode[] = [
  { name: 'M1 the socket breaks', ran: true, play: destroy() },
  { name: 'M2 a proxy answers 404', ran: true, play: status(404) },
  { name: 'M3 a proxy answers 502', ran: true, play: status(502) },
  { name: 'M4 401 before it runs', ran: false, play: status(401) },
  { name: 'M5 the listener is closed', ran: false },
  { name: 'M6 429 before it runs', ran: false, play: status(429, { retryAfter: 2 }) },
  {
    name: 'M7 the session is refused before it runs',
    ran: false,
    play: rpcError(-32001, 'Session not found', { code: 404, id: null }),
  },
]

class Bench implements AsyncDisposable {
  runs = 0
  readonly clock = new SimulatedClock()
  readonly server: FaultServer
  readonly connection: Connection

  constructor(server: FaultServer, trusted: boolean) {
    this.server = server
    server.health.call = () => {
      this.runs += 1
      return { content: [] }
    }
    // Somebody who can get another token.
    let number = 0
    const refresh = () => {
      number += 1
    }
    this.connection = createConnection({
      name: 'test',
      target: { url: server.url },
      authorizer: { token: () => `token-${number}`, refresh },
      clock: this.clock,
      random: () => 0.5,
      trusted,
    })
  }

  /** One call of the tool that fails once in this way; what the caller gets. */
  async play({ ran, play }: Mode, options: CallOptions = {}): Promise<'answered' | unknown> {
    await this.connection.connect()
    if (play) {
      this.server.once('tools/call', (visit) => {
        if (ran) this.runs += 1
        return play(visit)
      })
    } else await this.server.stop()
    let outcome: unknown
    const call = this.connection.callTool({ name: 'append', arguments: {} }, options).then(
      () => {
        outcome = 'answered'
      },
      (error: unknown) => {
        outcome = error
      },
    )
    if (!play) {
      await turns(50)
      await this.server.start()
    }
    for (let step = 0; outcome === undefined && step < 400; step++) {
      this.clock.increment(100)
      await turns(20)
    }
    await call
    return outcome
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close()
    await this.server[Symbol.asyncDispose]()
  }
}

async function bench(hint: Hint, trusted: boolean): Promise<Bench> {
  const tool = { name: 'append', inputSchema: { type: 'object' }, annotations: hintsOf[hint] }
  return new Bench(await startFaultServer({ tools: [tool] }), trusted)
}

const hints = Object.keys(hintsOf) as Hint[]
const cells = modes.flatMap((mode) =>
  hints.flatMap((hint) => [false, true].map((trusted) => ({ mode, hint, trusted, name: mode.name }))),
)

describe('07.02: no unsafe call runs twice (P2)', () => {
  it.each(cells)('07.02: $name · hint $hint · trusted $trusted', async ({ mode, hint, trusted }) => {
    await using it = await bench(hint, trusted)
    const outcome = await it.play(mode)
    const isHarmless = trusted && (hint === 'readOnly' || hint === 'idempotent')
    if (mode.ran && !isHarmless) {
      expect(outcome).toBeInstanceOf(OutcomeUnknownError)
      expect(it.runs).toBe(1)
    } else {
      expect(outcome).toBe('answered')
      expect(it.runs).toBe(mode.ran ? 2 : 1)
    }
    // Whatever became of the call, the connection is well again.
    for (let step = 0; it.connection.status !== 'ready' && step < 100; step++) {
      it.clock.increment(100)
      await turns(20)
    }
    expect(it.connection.status).toBe('ready')
  })

  it.each(modes)('07.02: $name · the caller says never: one attempt', async (mode) => {
    await using it = await bench('readOnly', true)
    const outcome = await it.play(mode, { replay: 'never' })
    // Nothing was sent while nobody listened, so waiting for the connection is no second attempt; but it was tried once.
    expect(outcome).toBeInstanceOf(Error)
    expect(it.runs).toBe(mode.ran ? 1 : 0)
    expect(it.server.count('tools/call')).toBe(mode.play ? 1 : 0)
  })

  it.each(modes.filter(({ ran }) => ran))('07.02: $name · the caller says always: sent again', async (mode) => {
    await using it = await bench('destructive', false)
    expect(await it.play(mode, { replay: 'always' })).toBe('answered')
    expect(it.runs).toBe(2)
  })

  it.each([
    ['none', false, 1],
    ['idempotent', true, 2],
  ] as const)('07.02: over stdio · the process is killed · hint %s, trusted %s', async (hint, trusted, runs) => {
    const listed = { tools: [{ name: 'append', inputSchema: { type: 'object' }, annotations: hintsOf[hint] }] }
    const on = { 'tools/list': [{ result: listed }], 'tools/call:append': [{ result: { content: [] } }] }
    await using it = quickChild(
      { starts: [{ on: { ...on, 'tools/call:append': [{ die: 'SIGKILL' }] } }], on },
      { trusted },
    )
    await it.connection.connect()
    const outcome = await it.connection.callTool({ name: 'append' }).catch((error: unknown) => error)
    if (runs === 1) expect(outcome).toBeInstanceOf(OutcomeUnknownError)
    else expect(outcome).toEqual({ content: [] })
    await it.connection.ready()
    expect(it.messages('tools/call')).toHaveLength(runs)
  })

  it('07.02: a call that fails every time is sent three times at most', async () => {
    await using it = await bench('readOnly', true)
    it.server.answer('tools/call', status(502))
    const outcome = await it.play({ name: '', ran: true, play: status(502) })
    expect(outcome).toBeInstanceOf(OutcomeUnknownError)
    expect(it.server.count('tools/call')).toBe(3)
  })
})
