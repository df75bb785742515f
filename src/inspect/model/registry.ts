import { Ended, type Shown } from './shown.js'

/** What is over goes first, then the oldest: an application may make connections without end. */
const MOST_SHOWN = 500

export interface RegistryChange {
  readonly changed?: string
  readonly gone?: string
}

/** Everything that is shown, in the order in which it came. */
export class Registry {
  readonly #shown = new Map<string, Shown>()
  readonly #listeners = new Set<(change: RegistryChange) => void>()

  get all(): readonly Shown[] {
    return [...this.#shown.values()]
  }

  get(id: string): Shown | undefined {
    return this.#shown.get(id)
  }

  add(shown: Shown): void {
    this.#shown.set(shown.id, shown)
    if (this.#shown.size > MOST_SHOWN) this.#forgetOne(shown.id)
    this.touch(shown.id)
  }

  /** Something of it has changed. */
  touch(id: string): void {
    const shown = this.#shown.get(id)
    if (!shown) return
    if (shown.over && !(shown instanceof Ended)) this.#shown.set(id, new Ended(shown))
    this.#tell({ changed: id })
  }

  /** @returns what ends the listening */
  listen(listener: (change: RegistryChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #forgetOne(except: string): void {
    const all = this.all.filter(({ id }) => id !== except)
    const id = (all.find(({ over }) => over) ?? all[0])?.id
    if (id === undefined) return
    this.#shown.delete(id)
    this.#tell({ gone: id })
  }

  #tell(change: RegistryChange): void {
    for (const listener of this.#listeners) listener(change)
  }
}
