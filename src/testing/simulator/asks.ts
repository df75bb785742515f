import { isNotification, isResponse, type JsonRpcMessage } from '../../wire/messages.js'
import type { ServerSession } from './session.js'

/** What a server may ask of its client. */
export const askable = ['ping', 'roots/list', 'sampling/createMessage', 'elicitation/create'] as const
export type Askable = (typeof askable)[number]

/** One request of the server's. */
export interface Asked {
  readonly id: string
  readonly session: ServerSession
  answers: number
}

/** Hears what the client takes back. */
export type OnTakenBack = (session: ServerSession, requestId: unknown) => void

/** What the server asks of its clients, and what they say beside their own requests. */
export class ServerAsks {
  readonly asked = new Map<string, Asked>()
  onTakenBack: OnTakenBack | undefined
  readonly #breach: (invariant: string, message: string) => void
  readonly #takenBack = new Set<string>()

  constructor(breach: (invariant: string, message: string) => void) {
    this.#breach = breach
  }

  /** @param send brings it to the client, if anything does */
  ask(session: ServerSession, method: Askable, send = session.notify): Asked {
    const asked: Asked = { id: `ask-${this.asked.size + 1}`, session, answers: 0 }
    this.asked.set(asked.id, asked)
    send?.({ jsonrpc: '2.0', id: asked.id, method, params: paramsOf(method, asked.id) })
    return asked
  }

  /** Anything of the client's that is no request. */
  hear(session: ServerSession, message: JsonRpcMessage): void {
    if (isResponse(message)) this.#answered(session, String(message.id))
    else if (isNotification(message) && message.method === 'notifications/cancelled') {
      const { requestId } = message.params ?? {}
      const name = `${session.id} ${requestId}`
      if (this.#takenBack.has(name)) this.#breach('a call is taken back once', name)
      this.#takenBack.add(name)
      this.onTakenBack?.(session, requestId)
    }
  }

  #answered(session: ServerSession, id: string): void {
    const asked = this.asked.get(id)
    if (!asked) return
    asked.answers += 1
    if (asked.answers > 1) this.#breach('a request of the server is answered once', id)
    if (asked.session !== session)
      this.#breach('a request of the server is answered in its own session', `${id} in ${session.id}`)
  }
}

function paramsOf(method: Askable, ask: string): Record<string, unknown> {
  const _meta = { ask }
  switch (method) {
    case 'sampling/createMessage':
      return { messages: [{ role: 'user', content: { type: 'text', text: 'What now?' } }], maxTokens: 10, _meta }
    case 'elicitation/create':
      return { message: 'Go on?', requestedSchema: { type: 'object', properties: {} }, _meta }
    default:
      return { _meta }
  }
}
