/**
 * Work on one subject, one piece after the other, in the order in which it was asked for. Two requests that change the
 * same thing on a server travel by themselves and may arrive in any order, so that the older one could win.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Some work on this subject has not ended. */
  has(subject: string): boolean {
    return this.#last.has(subject)
  }

  /** Does the work when everything before it on this subject has ended, well or not. */
  async take<T>(subject: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(subject)
    const turn = before === undefined ? work() : before.then(work, work)
    this.#last.set(subject, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(subject) === turn) this.#last.delete(subject)
    }
  }
}
