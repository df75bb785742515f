/** Chance from a seed, so that a run can be told by it; what the machine does with time stays its own. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** In [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low))
  }

  pick<T>(of: readonly [T, ...T[]]): T {
    return of[Math.floor(this.next() * of.length)] ?? of[0]
  }
}
