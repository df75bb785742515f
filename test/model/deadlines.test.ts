import { describe, expect, it } from 'vitest'
import { createActor, fromCallback, fromPromise, SimulatedClock } from 'xstate'
import {
  type ConnectionEvent,
  type ConnectionInput,
  connectionChart,
  type PolicyOptions,
} from '../../machines/index.js'
import { granted, sampleFault, sampleInput, sampleSession } from '../../src/testing/explorer/index.js'

/** The chart on a clock of our own, with actors that never say anything by themselves. */
const quiet = connectionChart.provide({
  actors: {
    link: fromCallback(() => {}),
    login: fromCallback(() => {}),
    refresh: fromPromise(() => new Promise(() => {})),
    exchange: fromPromise(() => new Promise(() => {})),
    stepUp: fromPromise(() => new Promise(() => {})),
    release: fromPromise(() => new Promise(() => {})),
  },
})

function rig(input: Parameters<typeof sampleInput>[0] = {}, policy: PolicyOptions = {}) {
  const clock = new SimulatedClock()
  const given: ConnectionInput = sampleInput({
    now: () => clock.now(),
    ...input,
    policy: { maxAttempts: 20, ...policy },
  })
  const actor = createActor(quiet, { clock, input: given })
  actor.subscribe({ error: () => {} })
  actor.start()
  const place = () => JSON.stringify(actor.getSnapshot().value).replace(/["{}]/g, '').replace(/:/g, '.')
  return {
    context: () => actor.getSnapshot().context,
    place,
    send: (...events: ConnectionEvent[]) => {
      for (const event of events) actor.send(event)
    },
    error: () => actor.getSnapshot().error,
    /** The state holds until just before, and is another at the time. */
    holds(ms: number): string {
      const before = place()
      clock.increment(ms - 1)
      expect(place()).toBe(before)
      clock.increment(1)
      expect(place()).not.toBe(before)
      return place()
    },
    pass: (ms: number) => clock.increment(ms),
  }
}

type Rig = ReturnType<typeof rig>

const opened: ConnectionEvent[] = [{ type: 'connect' }, { type: 'link.opened' }]
const initialized: ConnectionEvent[] = [...opened, { type: 'link.initialized', session: sampleSession(true) }]
const usable: ConnectionEvent[] = [...initialized, { type: 'link.discovered', complete: true }]
const ready = (input?: Parameters<typeof rig>[0], policy?: PolicyOptions): Rig => {
  const made = rig(input, policy)
  made.send(...usable)
  return made
}
const transient = (retryAfterMs?: number): ConnectionEvent => ({
  type: 'fault',
  fault: sampleFault('transient', retryAfterMs === undefined ? {} : { retryAfterMs }),
})
const health = (r: Rig): string => /health\.(\w+)/.exec(r.place())?.[1] ?? r.place()

describe('every deadline, at its default', () => {
  it('connect: 10 s', () => {
    const r = rig()
    r.send({ type: 'connect' })
    expect(r.holds(10_000)).toBe('backoff.waiting')
    expect(r.context().fault).toMatchObject({ code: 'deadline.connecting', evidence: { afterMs: 10_000 } })
  })

  it('connect, for a local process: 60 s, doubling after each start that was too slow, up to 240 s', () => {
    const r = rig({ wire: 'stdio', random: () => 0 })
    r.send({ type: 'connect' })
    for (const ms of [60_000, 120_000, 240_000, 240_000]) {
      expect(r.place()).toBe('linked.connecting.opening')
      r.holds(ms)
      expect(r.context().fault?.evidence.afterMs).toBe(ms)
      r.send({ type: 'demand.raised' })
      r.pass(r.context().waitMs)
    }
  })

  it('connect: runs on no link that is held at the gate, and anew when it is let through', () => {
    const r = rig()
    r.send({ type: 'connect' })
    r.pass(9_000)
    r.send({ type: 'link.held', because: 'handshakes' })
    expect(r.holds(30_000)).toBe('linked.connecting.opening')
    r.send({ type: 'link.held', because: 'handshakes' })
    r.pass(20_000)
    r.send({ type: 'link.called' })
    expect(r.place()).toBe('linked.connecting.opening')
    expect(r.holds(10_000)).toBe('backoff.waiting')
    expect(r.context().attempts).toBe(1)
  })

  it.each([
    [0, 22_500],
    [0.5, 30_000],
    [1 - Number.EPSILON, 37_500],
  ])('a hold until others are through: asked again after 30 s ± 25 %% (chance %d)', (random, ms) => {
    const r = rig({ random: () => random })
    r.send({ type: 'connect' }, { type: 'link.held', because: 'starts' })
    expect(r.holds(ms)).toBe('linked.connecting.opening')
  })

  it('a hold for a time that the server named: that time, and a share of it more by chance; an hour at most', () => {
    for (const [forMs, ms] of [
      [7_000, 7_350],
      [1_000, 1_250],
      [Number.POSITIVE_INFINITY, 3_780_000],
    ] as const) {
      const r = rig()
      r.send({ type: 'connect' }, { type: 'link.held', because: 'cooldown', forMs })
      expect(r.holds(ms)).toBe('linked.connecting.opening')
      expect(r.context().attempts).toBe(0)
    }
  })

  it('a return of the network: within 2 s, and within the base where a call waits', () => {
    for (const [demand, ms] of [
      [false, 1_000],
      [true, 250],
    ] as const) {
      const r = rig()
      r.send(...opened, { type: 'network.offline' }, transient())
      if (demand) r.send({ type: 'demand.raised' })
      r.send({ type: 'network.online' })
      expect(r.holds(ms)).toBe('linked.connecting.opening')
    }
  })

  it('initialize: 10 s', () => {
    const r = rig()
    r.send(...opened)
    expect(r.place()).toBe('linked.initializing.handshaking')
    expect(r.holds(10_000)).toBe('backoff.waiting')
    expect(r.context().fault?.code).toBe('deadline.initializing')
  })

  it('resume: 10 s', () => {
    const r = rig({ resumable: true })
    r.send(...opened)
    expect(r.place()).toBe('linked.initializing.resuming')
    expect(r.holds(10_000)).toBe('backoff.waiting')
    expect(r.context().fault?.code).toBe('deadline.resuming')
  })

  it('discover: 10 s, after which the connection is ready with what has come, and is probed', () => {
    const r = rig()
    r.send(...initialized)
    expect(r.holds(10_000)).toContain('linked.ready')
    expect(health(r)).toBe('probing')
    expect(r.place()).toContain('catalog.stale')
  })

  it('stability: 10 s', () => {
    const r = rig()
    r.send(...opened, transient())
    expect(r.context().attempts).toBe(1)
    r.pass(500)
    r.send(...usable)
    r.pass(9_999)
    expect([health(r), r.context().attempts]).toEqual(['settling', 1])
    r.pass(1)
    expect([health(r), r.context().attempts]).toEqual(['steady', 0])
  })

  it('keepalive: 30 s, then two probes of 5 s each, then the link is dead (P16)', () => {
    const r = ready()
    r.pass(10_000)
    expect(health(r)).toBe('steady')
    r.pass(29_999)
    expect(health(r)).toBe('steady')
    r.pass(1)
    expect(health(r)).toBe('probing')
    r.pass(4_999)
    expect(r.context().missedProbes).toBe(0)
    r.pass(1)
    expect([health(r), r.context().missedProbes]).toEqual(['probing', 1])
    r.pass(4_999)
    expect(health(r)).toBe('probing')
    r.pass(1)
    expect(r.place()).toBe('backoff.waiting')
    expect(r.context().fault?.code).toBe('probe.unanswered')
  })

  it('keepalive: never, where it is 0 or the server takes POST only', () => {
    const off = ready({}, { keepaliveMs: 0 })
    const postOnly = ready()
    postOnly.send({ type: 'link.postOnly' })
    for (const r of [off, postOnly]) {
      r.pass(10_000)
      for (let minutes = 0; minutes < 60; minutes++) r.pass(60_000)
      expect(health(r)).toBe('steady')
    }
  })

  it('keepalive: anew, when a listening stream has opened after all (promise P16)', () => {
    const r = ready()
    r.pass(10_000)
    r.send({ type: 'link.postOnly' })
    for (let minutes = 0; minutes < 60; minutes++) r.pass(60_000)
    r.send({ type: 'link.listening' })
    r.pass(29_999)
    expect(health(r)).toBe('steady')
    r.pass(1)
    expect(health(r)).toBe('probing')
  })

  it('a wake: within 2 s', () => {
    const r = ready({ random: () => 0.75 })
    r.send({ type: 'clock.jumped' })
    expect(health(r)).toBe('waking')
    r.pass(1_499)
    expect(health(r)).toBe('waking')
    r.pass(1)
    expect(health(r)).toBe('probing')
  })

  it('close: 5 s', () => {
    const r = ready()
    r.send({ type: 'close' })
    expect(r.place()).toBe('closing')
    expect(r.holds(5_000)).toBe('closed')
    const other = ready()
    other.send({ type: 'disconnect' })
    expect(other.holds(5_000)).toBe('idle')
  })

  it.each([
    [0, 22_500],
    [0.5, 30_000],
    [1 - Number.EPSILON, 37_500],
  ])('offline recheck: 30 s ± 25 % (chance %d)', (random, ms) => {
    const r = rig({ random: () => random })
    r.send(...opened, { type: 'network.offline' }, transient())
    expect(r.place()).toBe('backoff.offline')
    expect(r.holds(ms)).toBe('linked.connecting.opening')
    expect(r.context().attempts).toBe(0)
  })

  it('cooling: served offline too, as a server that names a time has answered (P6)', () => {
    const r = rig()
    r.send(...opened, { type: 'network.offline' }, transient(60_000))
    expect(r.place()).toBe('backoff.cooling')
    r.send({ type: 'network.online' })
    expect(r.holds(60_000)).toBe('backoff.waiting')
  })

  it.each([
    [0, 45_000],
    [0.5, 60_000],
    [1 - Number.EPSILON, 75_000],
  ])('slow probe: 60 s ± 25 % after resting for the longest pause (chance %d)', (random, ms) => {
    const r = rig({ random: () => random }, { maxAttempts: 0 })
    r.send({ type: 'connect' }, transient())
    expect(r.place()).toBe('failed.exhausted.resting')
    expect(r.holds(10_000)).toBe('failed.exhausted.open')
    expect(r.holds(ms)).toBe('linked.connecting.opening')
  })

  it('rest: as long as the server asks for, where that is longer', () => {
    const r = rig({}, { maxAttempts: 0 })
    r.send({ type: 'connect' }, transient(25_000))
    expect(r.place()).toBe('failed.exhausted.resting')
    expect(r.holds(25_000)).toBe('failed.exhausted.open')
  })

  it('slow probe: never, where it is off', () => {
    const r = rig({}, { maxAttempts: 0, slowProbeMs: false })
    r.send({ type: 'connect' }, transient())
    for (let hours = 0; hours < 24; hours++) r.pass(3_600_000)
    expect(r.place()).toBe('failed.exhausted.open')
  })

  it('a step of authorization: 30 s', () => {
    const r = ready({ authorizer: true })
    r.send({ type: 'fault', fault: sampleFault('unauthorized') })
    expect(r.place()).toBe('linked.reauthorizing.refreshing')
    expect(r.holds(30_000)).toBe('backoff.waiting')
    expect(r.context().fault?.code).toBe('deadline.reauthorizing')
  })

  it('a login: as long as it takes', () => {
    const r = ready({ authorizer: true })
    r.send({ type: 'fault', fault: sampleFault('unauthorized') })
    r.send({ type: 'xstate.done.actor.refresh', output: { type: 'needs-user' }, actorId: 'refresh' } as never)
    for (let hours = 0; hours < 24; hours++) r.pass(3_600_000)
    expect(r.place()).toBe('linked.reauthorizing.awaitingUser')
  })

  it('a refresh ahead of time: when the credential says, and 30 s after one that failed', () => {
    const r = ready({ authorizer: true })
    const credentials = () => /credentials\.(\w+)/.exec(r.place())?.[1]
    r.send({ type: 'credentials.changed', epoch: 1, refreshAt: 120_000 })
    r.pass(119_999)
    expect(credentials()).toBe('valid')
    r.pass(1)
    expect(credentials()).toBe('refreshing')
    // Nothing is heard of it within the time that a step may take.
    r.pass(30_000)
    expect(credentials()).toBe('valid')
    r.pass(30_000)
    expect(credentials()).toBe('refreshing')
    r.send({ type: 'xstate.done.actor.refresh', output: granted(r.context()), actorId: 'refresh' } as never)
    expect([credentials(), r.context().credentialEpoch]).toEqual(['valid', 2])
  })

  it('a refresh ahead of time: at a time of the clock, whatever happens meanwhile', () => {
    const r = ready({ authorizer: true })
    const credentials = () => /credentials\.(\w+)/.exec(r.place())?.[1]
    r.send({ type: 'credentials.changed', epoch: 1, refreshAt: 120_000 })
    r.pass(60_000)
    r.send({ type: 'reconnect' }, ...usable.slice(1))
    r.pass(30_000)
    r.send({ type: 'clock.jumped' })
    r.pass(29_999)
    expect(credentials()).toBe('valid')
    r.pass(1)
    expect(credentials()).toBe('refreshing')
  })

  it('a refresh ahead of time: also one that is due in a month, which no timer can wait for at once', () => {
    const r = ready({ authorizer: true }, { keepaliveMs: 0 })
    const month = 30 * 24 * 3_600_000
    r.send({ type: 'credentials.changed', epoch: 1, refreshAt: month })
    r.pass(2 ** 31 - 1)
    // The authorizer finds that it is not due yet.
    const output = { type: 'granted', epoch: 1, refreshAt: month } as const
    r.send({ type: 'xstate.done.actor.refresh', output, actorId: 'refresh' } as never)
    r.pass(month - 2 ** 31)
    expect(r.place()).toContain('credentials.valid')
    r.pass(1)
    expect(r.place()).toContain('credentials.refreshing')
  })

  it('stepping up: 30 s to ask, ten minutes for the person, 30 s for the exchange', () => {
    const r = ready({ authorizer: true }, { keepaliveMs: 0 })
    const step = () => /credentials\.(?:steppingUp\.)?(\w+)/.exec(r.place())?.[1]
    const needsUser = { type: 'xstate.done.actor.stepUp', output: { type: 'needs-user' }, actorId: 'stepUp' } as never
    r.send({ type: 'scope.insufficient' })
    r.pass(29_999)
    expect(step()).toBe('asking')
    r.pass(1)
    expect(step()).toBe('valid')
    r.send({ type: 'scope.insufficient' }, needsUser)
    r.pass(599_999)
    expect(step()).toBe('awaitingUser')
    r.pass(1)
    expect(step()).toBe('valid')
    r.send({ type: 'scope.insufficient' }, needsUser, { type: 'auth.responded' })
    r.pass(29_999)
    expect(step()).toBe('exchanging')
    r.pass(1)
    expect(step()).toBe('valid')
  })

  it('changed lists: 300 ms, and unread ones are asked for again', () => {
    const r = ready({ random: () => 0 })
    const catalog = () => /catalog\.(\w+)/.exec(r.place())?.[1]
    r.send({ type: 'lists.changed' })
    r.pass(299)
    expect(catalog()).toBe('gathering')
    r.pass(1)
    expect(catalog()).toBe('refreshing')
    r.send({ type: 'lists.refreshed', complete: false })
    expect(catalog()).toBe('stale')
    r.pass(4_000)
    expect(catalog()).toBe('refreshing')
    r.pass(10_000)
    expect(catalog()).toBe('stale')
  })

  it('lists that were read before the stream was open: when the link has proved itself', () => {
    const r = ready()
    const catalog = () => /catalog\.(\w+)/.exec(r.place())?.[1]
    r.send({ type: 'lists.unheard' })
    r.pass(9_999)
    expect(catalog()).toBe('unheard')
    r.pass(1)
    expect(catalog()).toBe('refreshing')
    r.send({ type: 'lists.refreshed', complete: true, unchanged: true })
    r.pass(60_000)
    expect(catalog()).toBe('fresh')
    r.send({ type: 'lists.unheard' })
    expect(catalog()).toBe('refreshing')
  })
})

describe('the waits of backoff', () => {
  it('serve the time that the server named, and then their own', () => {
    const r = rig()
    r.send({ type: 'connect' }, transient(7_000))
    expect(r.place()).toBe('backoff.cooling')
    expect(r.holds(7_000)).toBe('backoff.waiting')
    // Half of max(base, 10 % of 7 s).
    expect(r.context().waitMs).toBe(350)
    expect(r.holds(350)).toBe('linked.connecting.opening')
  })

  it('are not shortened by demand while cooling, whatever comes', () => {
    const r = rig()
    r.send({ type: 'connect' }, transient(7_000))
    for (let i = 0; i < 5; i++) r.send({ type: 'demand.raised' }, { type: 'demand.cleared' }, { type: 'connect' })
    r.send({ type: 'network.offline' }, { type: 'network.online' }, { type: 'clock.jumped' }, { type: 'demand.raised' })
    expect(r.holds(7_000)).toBe('backoff.waiting')
  })

  it('are shortened by demand once', () => {
    const r = rig()
    for (let i = 0; i < 6; i++) {
      r.send({ type: 'connect' }, transient())
      if (i < 5) r.pass(r.context().waitMs)
    }
    expect(r.context()).toMatchObject({ attempts: 6, waitMs: 5_000 })
    r.pass(4_000)
    r.send({ type: 'demand.raised' })
    expect(r.context().waitMs).toBe(1_000)
    r.pass(600)
    // A second call does not begin the wait anew.
    r.send({ type: 'demand.cleared' }, { type: 'demand.raised' })
    expect(r.holds(400)).toBe('linked.connecting.opening')
  })

  it('of an absurd time are an hour, and not none', () => {
    for (const ms of [2 ** 31, 1e15, Number.POSITIVE_INFINITY]) {
      const r = rig()
      r.send({ type: 'connect' }, transient(ms))
      r.pass(3_599_999)
      expect(r.place()).toBe('backoff.cooling')
      r.pass(1)
      expect(r.place()).toBe('backoff.waiting')
    }
    const r = rig()
    r.send({ type: 'connect' }, transient(Number.NaN))
    expect(r.place()).toBe('backoff.waiting')
  })

  it('first after a healthy period are anywhere within the base', () => {
    for (const [random, ms] of [
      [0, 0],
      [0.5, 250],
      [1 - Number.EPSILON, 500],
    ] as const) {
      const r = ready({ random: () => random })
      r.send(transient())
      expect(r.context().waitMs).toBe(ms)
    }
  })
})

describe('what stands against a connection', () => {
  /** Comes back after one failed attempt. */
  const returned = (): Rig => {
    const r = rig()
    r.send(...opened, transient())
    r.pass(500)
    r.send(...usable)
    return r
  }

  it('is forgotten 10 s after ready, however often the link is suspected and answers meanwhile (P7)', () => {
    const r = returned()
    for (let second = 0; second < 10; second++) {
      expect(r.context().attempts).toBe(1)
      r.pass(500)
      r.send({ type: 'suspect' })
      r.pass(500)
      r.send({ type: 'probe.answered' })
    }
    expect([health(r), r.context().attempts]).toEqual(['steady', 0])
  })

  it('is not forgotten while an answer is awaited: time alone proves nothing', () => {
    const r = returned()
    r.pass(9_000)
    r.send({ type: 'suspect' })
    r.pass(4_000)
    expect([health(r), r.context().attempts]).toEqual(['probing', 1])
    r.send({ type: 'probe.answered' })
    expect([health(r), r.context().attempts]).toEqual(['steady', 0])
  })

  it('counts on when the link dies unanswered', () => {
    const r = returned()
    r.pass(9_000)
    r.send({ type: 'suspect' })
    for (let probe = 0; probe < 2; probe++) r.pass(5_000)
    expect([r.place(), r.context().attempts]).toEqual(['backoff.waiting', 2])
  })
})

describe('a session', () => {
  it('that two resumes in a row get no answer under is given up, and a new one is made', () => {
    const r = rig({ resumable: true })
    r.send({ type: 'connect' })
    for (const attempt of [1, 2]) {
      r.send({ type: 'link.opened' })
      expect(r.place()).toBe('linked.initializing.resuming')
      r.pass(10_000)
      expect(r.context().attempts).toBe(attempt)
      r.pass(r.context().waitMs)
    }
    r.send({ type: 'link.opened' })
    expect(r.place()).toBe('linked.initializing.handshaking')
  })

  it('is kept through refused dials and answers of any kind', () => {
    const r = rig({ resumable: true })
    r.send({ type: 'connect' })
    for (const seen of [
      { kind: 'network', phase: 'resuming', sent: false, errno: 'ECONNREFUSED' },
      { kind: 'deadline', phase: 'resuming' },
      { kind: 'http', phase: 'resuming', sent: true },
      { kind: 'network', phase: 'connecting', sent: false },
    ] as const) {
      r.send({ type: 'link.opened' }, { type: 'fault', fault: sampleFault('transient', {}, seen) })
      r.pass(r.context().waitMs)
    }
    expect(r.context()).toMatchObject({ session: { resumable: true }, unansweredResumes: 1 })
  })
})
