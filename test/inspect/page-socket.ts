import { once } from 'node:events'
import { filter, firstValueFrom, ReplaySubject } from 'rxjs'
import { WebSocket } from 'ws'
import type { Inspector } from '../../src/inspect/index.js'
import type { FromPage, ToPage } from '../../src/inspect/messages.js'

type Told<K extends ToPage['type']> = Extract<ToPage, { type: K }>

/** Speaks to the inspector as its page does. */
export class PageSocket implements AsyncDisposable {
  readonly told: ToPage[] = []
  readonly #told$ = new ReplaySubject<ToPage>()
  readonly #socket: WebSocket

  constructor(inspector: Inspector) {
    const { origin, host, hash } = new URL(inspector.url)
    this.#socket = new WebSocket(`ws://${host}/live?${hash.slice(1)}`, { origin })
    this.#socket.on('message', (data) => {
      const message: ToPage = JSON.parse(String(data))
      this.told.push(message)
      this.#told$.next(message)
    })
  }

  say(message: FromPage | Record<string, unknown> | string): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Resolves with the first message of this kind, of before or to come, for which it holds. */
  async hears<K extends ToPage['type']>(type: K, holds: (message: Told<K>) => boolean = () => true): Promise<Told<K>> {
    const fits = (message: ToPage): message is Told<K> => message.type === type && holds(message as Told<K>)
    return firstValueFrom(this.#told$.pipe(filter(fits)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return
    this.#socket.terminate()
    await once(this.#socket, 'close')
  }
}
