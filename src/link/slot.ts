/** Where at most one thing happens at a time: what is done here begins when everything before it has ended. */
export class Slot {
  #last: Promise<void> = Promise.resolve()

  /** Settles as the work does; work that fails frees the slot as well. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.then(nothing, nothing)
    return done
  }
}

function nothing(): void {}
