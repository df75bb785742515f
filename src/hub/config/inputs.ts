import type { Place } from './place.js'

/** A value that a person has to give; what the file says of it. */
export interface InputRequest {
  readonly id: string
  /** `promptString`, `pickString`, `command`; absent where the file does not describe it. */
  readonly type?: string
  readonly description?: string
  readonly default?: string
  /** Not to be shown while it is typed. */
  readonly password: boolean
  readonly options?: readonly string[]
  /** The server that needs it first. */
  readonly server: string
}

export interface Answer {
  readonly value: string
  readonly isSecret: boolean
}

type Ask = (request: InputRequest) => string | undefined | Promise<string | undefined>

/** Asks for each input once, however many servers need it and however often the file is read. */
export class Inputs {
  readonly #ask: Ask | undefined
  readonly #known = new Map<string, Answer>()
  readonly #asked = new Map<string, Promise<Answer | undefined>>()
  #declared = new Map<string, Omit<InputRequest, 'id' | 'server'>>()

  constructor(ask?: Ask) {
    this.#ask = ask
  }

  /** What the file says of its inputs; one that it does not describe is asked for all the same. */
  declare(place: Place | undefined): void {
    this.#declared = new Map(
      (place?.items() ?? []).map((item) => {
        const field = (name: string) => item.fields().find((one) => one.name === name)?.value
        const id = field('id')?.string() ?? item.refuse('needs an id')
        const text = (name: string) => field(name)?.text()
        const options = field('options')
          ?.items()
          .map((option) => option.text())
        const password = field('password')?.raw === true
        return [
          id,
          { type: text('type'), description: text('description'), default: text('default'), password, options },
        ]
      }),
    )
  }

  /** The answers to all of these, if none has to be asked for any more. */
  known(ids: readonly string[]): ReadonlyMap<string, Answer> | undefined {
    return ids.every((id) => this.#known.has(id)) ? this.#known : undefined
  }

  /** Those that were answered. A person who was asked in vain, or an asking that failed, is asked again next time. */
  async answer(ids: readonly string[], server: string): Promise<ReadonlyMap<string, Answer>> {
    const answers = await Promise.all(ids.map((id) => this.#answerTo(id, server)))
    return new Map(ids.flatMap((id, i) => (answers[i] ? [[id, answers[i]] as const] : [])))
  }

  #answerTo(id: string, server: string): Promise<Answer | undefined> {
    const before = this.#asked.get(id)
    if (before !== undefined) return before
    const asked = this.#askFor({ id, password: false, ...this.#declared.get(id), server })
    this.#asked.set(id, asked)
    const forget = () => this.#asked.delete(id)
    asked.then((answer) => (answer ? this.#known.set(id, answer) : forget()), forget)
    return asked
  }

  async #askFor(request: InputRequest): Promise<Answer | undefined> {
    const value = (await this.#ask?.(request)) ?? request.default
    return value === undefined ? undefined : { value, isSecret: request.password }
  }
}
