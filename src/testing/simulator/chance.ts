import type { Random } from '../../clock.js'

/**
 * Chance from a seed: the same seed gives the same row of numbers, on every machine. Each part of a simulation has a row
 * of its own, so that one draw more here changes nothing there.
 */
export class Chance {
  #a: number
  readonly #seed: number

  constructor(seed: number, part = '') {
    this.#seed = seed
    this.#a = mix(seed, part)
  }

  /** The row of another part of the same simulation. */
  of(part: string): Chance {
    return new Chance(this.#seed, part)
  }

  /** In [0, 1). mulberry32: 32 bits of state are plenty for a row of some thousand draws. */
  readonly next: Random = () => {
    this.#a = (this.#a + 0x6d2b79f5) | 0
    let t = this.#a
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** Whole, from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  /** Many small, few large: whole, from `low` to `high`. */
  mostlySmall(low: number, high: number): number {
    return low + Math.floor(this.next() ** 3 * (high - low + 1))
  }

  happens(share: number): boolean {
    return this.next() < share
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.next() * from.length)]
    if (picked === undefined) throw new RangeError('nothing to pick from')
    return picked
  }

  /** One of the keys, as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries<number>(weights)
    let at = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [key, weight] of entries) {
      at -= weight
      if (at < 0) return key as K
    }
    return entries[0]?.[0] as K
  }
}

/** FNV-1a over seed and part. */
function mix(seed: number, part: string): number {
  let hash = 0x811c9dc5
  for (const char of `${seed}/${part}`) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193)
  return hash | 0
}
