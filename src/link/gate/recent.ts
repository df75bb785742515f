/**
 * Records by key that are made when they are first asked for. There are so many at most: beyond that, those that hold
 * nothing are dropped, and then the oldest that nobody uses.
 */
export class Recent<R> {
  readonly #records = new Map<string, R>()
  readonly #most: number
  readonly #make: () => R
  readonly #isIdle: (record: R) => boolean
  readonly #isInUse: (record: R) => boolean

  constructor(options: {
    most: number
    make: () => R
    isIdle: (record: R) => boolean
    isInUse: (record: R) => boolean
  }) {
    this.#most = options.most
    this.#make = options.make
    this.#isIdle = options.isIdle
    this.#isInUse = options.isInUse
  }

  get size(): number {
    return this.#records.size
  }

  values(): Iterable<R> {
    return this.#records.values()
  }

  get(key: string): R {
    const known = this.#records.get(key)
    if (known) return known
    if (this.#records.size >= this.#most) this.#makeRoom()
    const made = this.#make()
    this.#records.set(key, made)
    return made
  }

  /** Drops the record if it holds nothing. */
  tidy(key: string): void {
    const record = this.#records.get(key)
    if (record !== undefined && this.#isIdle(record)) this.#records.delete(key)
  }

  #makeRoom(): void {
    for (const [key, record] of this.#records) if (this.#isIdle(record)) this.#records.delete(key)
    for (const [key, record] of this.#records) {
      if (this.#records.size < this.#most) return
      if (!this.#isInUse(record)) this.#records.delete(key)
    }
  }
}
