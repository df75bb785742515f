/** Lets one piece of work per key run at a time within this process, first come, first served. */
export class KeyQueue {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work)
    const over = mine.catch(() => {})
    this.#last.set(key, over)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === over) this.#last.delete(key)
    }
  }
}
