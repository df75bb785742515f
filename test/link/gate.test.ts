/** The gate by itself: visitors of plain values under a driven clock. */
import { describe, expect, it } from 'vitest'
import { SimulatedClock } from 'xstate'
import type { WireEvidence } from '../../machines/index.js'
import type { Door, Visitor } from '../../src/link/gate/door.js'
import { Gate, gateOf } from '../../src/link/gate/index.js'
import { HANDSHAKES_AT_ONCE } from '../../src/link/gate/origins.js'

const exit: WireEvidence = { kind: 'exit', wire: 'stdio', summary: 'exit code 1', exit: { code: 1 } }
const http = (path = '/mcp') => ({ url: `https://one.test${path}` })
const command = (over: object = {}) => ({ command: 'node', args: ['server.js'], ...over })

function rig(target: Parameters<Gate['door']>[0] = http()) {
  const clock = new SimulatedClock()
  const gate = new Gate(clock)
  return { clock, gate, door: doorOf(gate, target) }
}

function doorOf(gate: Gate, target: Parameters<Gate['door']>[0]): Door {
  const door = gate.door(target)
  if (!door) throw new Error('there should be a door')
  return door
}

/** Asks again whenever it is called, as a link does, and remembers the last answer. */
class Guest implements Visitor {
  readonly insists: boolean
  readonly patienceMs = 30_000
  readonly #door: Door
  answer: ReturnType<Door['ask']>

  constructor(door: Door, insists = false) {
    this.#door = door
    this.insists = insists
    this.answer = door.ask(this)
  }
  readonly called = (): void => {
    this.answer = this.#door.ask(this)
  }
  get is(): string {
    return this.answer.type === 'held' ? this.answer.because : this.answer.type
  }
  pass(): void {
    this.#door.passed(this)
  }
  leave(): void {
    this.#door.leave(this)
  }
  crash(): number {
    return this.#door.crashed(this, exit)
  }
}

const guests = (door: Door, count: number): Guest[] => Array.from({ length: count }, () => new Guest(door))
const count = (all: readonly Guest[], is: string): number => all.filter((guest) => guest.is === is).length

describe('a time that an HTTP server named', () => {
  it('holds for every connection to its address, for what is left of it', () => {
    const { door, clock } = rig()
    door.cool(7_000)
    clock.increment(2_000)
    expect(new Guest(door).answer).toEqual({ type: 'held', because: 'cooldown', forMs: 5_000 })
    clock.increment(5_000)
    expect(new Guest(door).is).toBe('admitted')
  })

  it('is the longest of those that were named, and an hour at most', () => {
    const { door } = rig()
    for (const ms of [9_000, 1_000, Number.NaN]) door.cool(ms)
    expect(new Guest(door).answer).toMatchObject({ forMs: 9_000 })
    door.cool(Number.POSITIVE_INFINITY)
    expect(new Guest(door).answer).toMatchObject({ forMs: 3_600_000 })
  })

  it('does not hold what somebody asks for by hand', () => {
    const { door } = rig()
    door.cool(7_000)
    expect(new Guest(door, true).is).toBe('admitted')
  })

  it('lets other servers of the origin be tried by one connection at a time, and other origins by all (P20)', () => {
    const { gate, door } = rig()
    door.cool(7_000)
    const others = guests(doorOf(gate, http('/other')), 10)
    expect([count(others, 'admitted'), count(others, 'handshakes')]).toEqual([1, 9])
    others[0]?.pass()
    expect(count(others, 'admitted')).toBe(2)
    expect(count(guests(doorOf(gate, { url: 'https://two.test/mcp' }), 10), 'admitted')).toBe(10)
  })
})

describe('handshakes with one origin', () => {
  it('are limited, and follow one another in order', () => {
    const { door } = rig()
    const all = guests(door, HANDSHAKES_AT_ONCE + 3)
    expect(count(all, 'admitted')).toBe(HANDSHAKES_AT_ONCE)
    all[5]?.pass()
    expect(all[HANDSHAKES_AT_ONCE]?.is).toBe('admitted')
    // Who comes now is behind those who wait, also when there is room for a moment.
    const late = new Guest(door)
    all[HANDSHAKES_AT_ONCE + 1]?.leave()
    all[6]?.leave()
    expect([all[HANDSHAKES_AT_ONCE + 2]?.is, late.is]).toEqual(['admitted', 'handshakes'])
  })

  it('with a server that nobody is at do not wait for those with another (P20)', () => {
    const { gate, door } = rig()
    guests(door, HANDSHAKES_AT_ONCE + 10)
    expect(guests(doorOf(gate, http('/other')), 2).map(({ is }) => is)).toEqual(['admitted', 'handshakes'])
  })

  it('are not needed again by one that was let in', () => {
    const { door } = rig()
    const guest = new Guest(door)
    guest.called()
    expect(guest.is).toBe('admitted')
    guest.pass()
    guest.leave()
  })
})

describe('the starts of one command', () => {
  it('are three at a time until one got ready, then as many as come', () => {
    const { door } = rig(command())
    const all = guests(door, 20)
    expect([count(all, 'admitted'), count(all, 'starts')]).toEqual([3, 17])
    all[0]?.pass()
    expect(count(all, 'admitted')).toBe(20)
  })

  it('are three altogether where each ends early; all others hear what those met', () => {
    const { door } = rig(command())
    const all = guests(door, 20)
    expect(all.slice(0, 3).map((guest) => guest.crash())).toEqual([1, 2, 3])
    expect([count(all, 'admitted'), count(all, 'refused')]).toEqual([3, 17])
    expect(all[9]?.answer).toMatchObject({
      evidence: {
        kind: 'exit',
        exit: { code: 1 },
        sent: false,
        earlyExits: 3,
        summary: expect.stringContaining('3 times'),
      },
    })
  })

  it('count one end once, however it shows', () => {
    const { door } = rig(command())
    const guest = new Guest(door)
    expect([guest.crash(), guest.crash()]).toEqual([1, 1])
    guest.leave()
    expect(new Guest(door).crash()).toBe(2)
  })

  it('after three are one at a time, no more often than one connection alone would', () => {
    const { door, clock } = rig(command())
    for (const guest of guests(door, 3)) guest.crash()
    clock.increment(26_000)
    expect(new Guest(door).is).toBe('refused')
    clock.increment(4_000)
    const [scout, ...others] = guests(door, 5)
    expect([scout?.is, count(others, 'starts')]).toEqual(['admitted', 4])
    expect(scout?.crash()).toBe(4)
    expect(count(others, 'refused')).toBe(4)
    clock.increment(30_000)
    const again = guests(door, 5)
    again[0]?.pass()
    expect(count(again, 'admitted')).toBe(5)
  })

  it('are begun anew when somebody asks by hand, once for all who do', () => {
    const { door } = rig(command())
    for (const guest of guests(door, 3)) guest.crash()
    const hands = Array.from({ length: 20 }, () => new Guest(door, true))
    expect(count(hands, 'admitted')).toBe(3)
    for (const guest of hands.slice(0, 3)) guest.crash()
    expect([count(hands, 'admitted'), count(hands, 'refused')]).toEqual([3, 17])
  })

  it('that are given up unfinished are followed by one at a time', () => {
    const { door } = rig(command())
    const all = guests(door, 6)
    for (const guest of all.slice(0, 3)) guest.leave()
    expect(count(all.slice(3), 'admitted')).toBe(1)
  })

  it('are proven anew after a process that had been ready ended', () => {
    const { door } = rig(command())
    new Guest(door).pass()
    expect(count(guests(door, 20), 'admitted')).toBe(20)
    const again = rig(command())
    new Guest(again.door).pass()
    again.door.ended()
    expect(count(guests(again.door, 20), 'admitted')).toBe(3)
  })

  it.each([
    ['other arguments', command({ args: ['other.js'] })],
    ['another directory', command({ cwd: '/tmp' })],
    ['another environment', command({ env: { KEY: 'x' } })],
  ])('with %s are another matter', (_, other) => {
    const { gate, door } = rig(command())
    for (const guest of guests(door, 3)) guest.crash()
    expect(new Guest(doorOf(gate, other)).is).toBe('admitted')
    expect(new Guest(doorOf(gate, command())).is).toBe('refused')
  })
})

describe('a crowd', () => {
  /** Goes when it is refused or held, as a link does whose chart goes on at once; tells how deep calls lie in calls. */
  const crowd = (door: Door, size: number) => {
    const seen = { depth: 0, deepest: 0, called: 0 }
    for (let n = 0; n < size; n++) {
      const visitor: Visitor = {
        insists: false,
        patienceMs: 30_000,
        called: () => {
          seen.called += 1
          seen.depth += 1
          seen.deepest = Math.max(seen.deepest, seen.depth)
          if (door.ask(visitor).type !== 'admitted') door.leave(visitor)
          seen.depth -= 1
        },
      }
      door.ask(visitor)
    }
    return seen
  }

  it.each([
    [
      'is refused',
      command(),
      (_door: Door, first: Guest[]) => {
        for (const guest of first) guest.crash()
      },
    ],
    [
      'is told to wait',
      http(),
      (door: Door, [guest]: Guest[]) => {
        door.cool(7_000)
        guest?.leave()
      },
    ],
  ])('that %s is called one after the other, not one within the other', (_, target, end) => {
    const { door } = rig(target)
    const first = guests(door, 'url' in target ? HANDSHAKES_AT_ONCE : 3)
    const seen = crowd(door, 2_000)
    end(door, first)
    expect(seen).toEqual({ depth: 0, deepest: 1, called: 2_000 })
  })
})

describe('the gate', () => {
  it('is one for each clock, and has no door for what is not shared', () => {
    const clock = new SimulatedClock()
    expect(gateOf(clock)).toBe(gateOf(clock))
    expect(gateOf(clock)).not.toBe(gateOf(new SimulatedClock()))
    const gate = new Gate(clock)
    expect(gate.door({ open: () => Promise.reject(new Error('no transport')) } as never)).toBeUndefined()
    expect(gate.door({ url: 'not a url' })).toBeUndefined()
  })

  it('keeps nothing of those who came and went, and little of the others', () => {
    const { gate, clock } = rig()
    for (let n = 0; n < 3_000; n++) {
      const guest = new Guest(doorOf(gate, { url: `https://host-${n}.test/mcp` }))
      guest.pass()
      guest.leave()
    }
    expect(gate.size).toBe(0)
    for (let n = 0; n < 3_000; n++) {
      doorOf(gate, { url: `https://host-${n}.test/mcp` }).cool(5_000)
      new Guest(doorOf(gate, command({ args: [`${n}`] }))).crash()
    }
    expect(gate.size).toBeLessThanOrEqual(2_000)
    clock.increment(6_000)
    doorOf(gate, { url: 'https://one-more.test/mcp' }).cool(1)
    expect(gate.size).toBeLessThanOrEqual(1_001)
  })
})
