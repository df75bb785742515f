import { Writable } from 'node:stream'

const broken = (): Error => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })

/** A pipe that a child reads from: it holds so many bytes, and whoever writes more waits until they are read. */
export class StdinPipe {
  readonly writable: Writable
  /** The writer has closed its end. */
  ended = false
  #held = ''
  #isRead = true
  #waiting: ((error?: Error) => void) | undefined

  /** @param onWritten there is something to read, or the end of it */
  constructor(bytes: number, onWritten: () => void) {
    this.writable = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#isRead) {
          done(broken())
          return
        }
        this.#held += chunk.toString('utf8')
        if (this.#held.length > bytes) this.#waiting = done
        else done()
        onWritten()
      },
      final: (done) => {
        this.ended = true
        done()
        onWritten()
      },
    })
  }

  /** Takes out everything. */
  read(): string {
    const held = this.#held
    this.#held = ''
    this.#settle()
    return held
  }

  /** Nobody reads any more. */
  break(): void {
    this.#isRead = false
    this.#settle(broken())
  }

  #settle(error?: Error): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.(error)
  }
}
