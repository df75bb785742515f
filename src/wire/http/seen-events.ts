/** Events that are remembered; a server that repeats more than these is not known. */
const kept = 32
/** Longer ones are not remembered. */
const maxLength = 4_096
/** What a server repeats comes as soon as the stream is open. */
const repeatMs = 2_000

/**
 * The latest events of the listening stream. A server that is asked to go on after an event may send older ones again
 * (report 12.05): what stands at the beginning of such a stream and is known by id and words is a repetition. Nothing
 * later is, since some servers number every stream from 1.
 */
export class SeenEvents {
  readonly #seen = new Map<string, string>()
  #openedAt: number | undefined

  /** A stream opened; `resumed`: after an event that was named. */
  open(resumed: boolean, now: number): void {
    this.#openedAt = resumed ? now : undefined
  }

  /** Notes an event, and tells whether it is a repetition. */
  isRepeated(id: string | undefined, data: string, now: number): boolean {
    if (id === undefined || id === '') return false
    const repeated = this.#openedAt !== undefined && now - this.#openedAt < repeatMs && this.#seen.get(id) === data
    if (!repeated) this.#openedAt = undefined
    this.#note(id, data)
    return repeated
  }

  #note(id: string, data: string): void {
    this.#seen.delete(id)
    if (data.length > maxLength) return
    this.#seen.set(id, data)
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > kept && oldest !== undefined) this.#seen.delete(oldest)
  }
}
