const encoder = new TextEncoder()

type Chunk = { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value: undefined }

/** As much of a response's body as is read: chunks come, an end, or an error; who reads waits for the next of them. */
export class SimulatedBody {
  readonly #chunks: Uint8Array[] = []
  #state: 'open' | 'ended' | 'failed' = 'open'
  #error: unknown
  #waiting: { resolve: (chunk: Chunk) => void; reject: (error: unknown) => void } | undefined

  push(text: string): void {
    const value = encoder.encode(text)
    const { waiting } = this
    if (waiting) waiting.resolve({ done: false, value })
    else this.#chunks.push(value)
  }

  end(): void {
    this.#state = 'ended'
    this.waiting?.resolve({ done: true, value: undefined })
  }

  /** What had come and was not read yet is lost with it, as it is in a socket that is reset. */
  fail(error: unknown): void {
    this.#state = 'failed'
    this.#error = error
    this.#chunks.length = 0
    this.waiting?.reject(error)
  }

  getReader() {
    return { read: () => this.#read() }
  }

  cancel(): Promise<void> {
    return Promise.resolve()
  }

  private get waiting() {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting
  }

  #read(): Promise<Chunk> {
    const value = this.#chunks.shift()
    if (value) return Promise.resolve({ done: false, value })
    if (this.#state === 'ended') return Promise.resolve({ done: true, value: undefined })
    if (this.#state === 'failed') return Promise.reject(this.#error)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }
}
