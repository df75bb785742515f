/** The last so many of a row. */
export class Ring<T> {
  readonly #most: number
  #items: T[] = []

  constructor(most: number) {
    this.#most = most
  }

  add(item: T): void {
    this.#items.push(item)
    // Cut now and then, not each time.
    if (this.#items.length >= this.#most * 2) this.#items = this.#items.slice(-this.#most)
  }

  /** Oldest first. */
  get items(): readonly T[] {
    return this.#items.slice(-this.#most)
  }

  get last(): T | undefined {
    return this.#items.at(-1)
  }
}
