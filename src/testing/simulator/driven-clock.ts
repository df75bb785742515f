import { setImmediate as nextTurn } from 'node:timers'
import { MAX_DELAY_MS } from '../../../machines/index.js'
import type { Clock } from '../../clock.js'

/** A timer of the driven clock; looks like one of Node's. */
export class DrivenTimer {
  /** Time of the clock's own count at which it is due. */
  dueAt: number
  readonly order: number
  readonly run: () => void
  /** Of the simulation itself, not of what it runs. */
  readonly inner: boolean
  readonly everyMs: number | undefined
  over = false

  constructor(dueAt: number, order: number, run: () => void, inner: boolean, everyMs?: number) {
    this.dueAt = dueAt
    this.order = order
    this.run = run
    this.inner = inner
    this.everyMs = everyMs
  }

  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return true
  }
}

/**
 * Time that stands still until it is driven. Timers fire in the order of their time, those of one time in the order in
 * which they were set, and between any two every promise that can settle has settled: nothing else decides an order.
 */
export class DrivenClock implements Clock {
  readonly #heap: DrivenTimer[] = []
  readonly #startedAt: number
  #elapsed = 0
  #asleep = 0
  #order = 0
  #outer = 0

  /** @param startedAt what `now()` says at the beginning */
  constructor(startedAt = Date.UTC(2026, 0, 1)) {
    this.#startedAt = startedAt
  }

  /** The time on the wall, in milliseconds. */
  readonly now = (): number => this.#startedAt + this.#elapsed + this.#asleep

  /** Milliseconds that timers have seen pass: no sleep of the machine, and nobody who sets the clock, moves it. */
  readonly monotonic = (): number => this.#elapsed

  /** Milliseconds that timers have seen pass. */
  get elapsed(): number {
    return this.#elapsed
  }

  /** Timers that were set through the seam or the globals and are neither over nor cleared. */
  get outstanding(): number {
    return this.#outer
  }

  /** As Node does: what no timer can hold is 1 ms. */
  readonly setTimeout = <A extends unknown[]>(fn: (...args: A) => void, ms?: number, ...args: A): DrivenTimer =>
    this.#add(() => fn(...args), held(ms), false)

  readonly setInterval = <A extends unknown[]>(fn: (...args: A) => void, ms?: number, ...args: A): DrivenTimer =>
    this.#add(() => fn(...args), held(ms), false, held(ms))

  readonly clearTimeout = (timer: unknown): void => {
    if (!(timer instanceof DrivenTimer) || timer.over) return
    timer.over = true
    if (!timer.inner) this.#outer -= 1
  }

  /** A timer of the simulation's own, in the same order as all others. */
  plan(ms: number, fn: () => void): DrivenTimer {
    return this.#add(fn, Math.max(0, ms), true)
  }

  /** The machine sleeps: the time on the wall goes on, that of timers does not. */
  sleep(ms: number): void {
    this.#asleep += ms
  }

  /** Every promise that can settle has. */
  readonly settle = settled

  /**
   * Goes on to the next timer that is due by `until` and runs it, and then every promise. Without one, time goes on to
   * `until`.
   *
   * @returns whether a timer ran
   */
  async step(until: number): Promise<boolean> {
    const timer = this.#next(until)
    if (!timer) {
      this.#elapsed = Math.max(this.#elapsed, until)
      return false
    }
    this.#elapsed = Math.max(this.#elapsed, timer.dueAt)
    if (timer.everyMs === undefined) {
      timer.over = true
      if (!timer.inner) this.#outer -= 1
    } else {
      timer.dueAt = this.#elapsed + timer.everyMs
      this.#push(timer)
    }
    timer.run()
    await settled()
    return true
  }

  #add(run: () => void, ms: number, inner: boolean, everyMs?: number): DrivenTimer {
    const timer = new DrivenTimer(this.#elapsed + ms, this.#order++, run, inner, everyMs)
    if (!inner) this.#outer += 1
    this.#push(timer)
    return timer
  }

  #push(timer: DrivenTimer): void {
    const heap = this.#heap
    let at = heap.push(timer) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent]
      if (!above || !isBefore(timer, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = timer
  }

  #next(until: number): DrivenTimer | undefined {
    for (;;) {
      const first = this.#heap[0]
      if (!first) return undefined
      if (!first.over && first.dueAt > until) return undefined
      this.#pop()
      if (!first.over) return first
    }
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (!last || heap.length === 0) return
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const [a, b] = [heap[left], heap[left + 1]]
      const child = b && a && isBefore(b, a) ? left + 1 : left
      const least = heap[child]
      if (!least || !isBefore(least, last)) break
      heap[at] = least
      at = child
    }
    heap[at] = last
  }
}

const isBefore = (a: DrivenTimer, b: DrivenTimer): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order)

const held = (ms: number | undefined): number =>
  ms !== undefined && ms >= 1 && ms <= MAX_DELAY_MS ? Math.trunc(ms) : 1

/**
 * Every promise that can settle has: the event loop takes a turn only when no microtask is left. As nothing in a
 * simulation waits for the machine, the turn brings nothing else.
 */
const settled = (): Promise<void> => new Promise((resolve) => nextTurn(resolve))
