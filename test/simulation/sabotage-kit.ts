/** What every sabotage is made of. */
import type { Rule } from '../../machines/index.js'
import { type Connection, type ConnectionOptions, createConnection } from '../../src/index.js'

type Fetch = typeof globalThis.fetch

export interface Sabotage {
  readonly what: string
  readonly breaks: string
  readonly connect: (options: ConnectionOptions) => Connection
  /** It shows where several connections go to the same servers. */
  readonly isCrowd?: boolean
  /** The first seed that is tried, where those before it show nothing and take long. Default 1. */
  readonly from?: number
}

export const rule = (when: Rule['when'], ruling: Partial<Rule['ruling']>): Rule => ({
  id: 'sabotage',
  because: 'this rule is wrong on purpose',
  when,
  ruling: { class: 'transient', scope: 'call', code: 'sabotage', advice: 'None.', ...ruling },
})
export const judging = (sabotage: Rule) => (options: ConnectionOptions) =>
  createConnection({ ...options, rules: [sabotage] })

/** The real `fetch` of the simulation behind one that does something else. */
export const fetching =
  (wrap: (fetch: Fetch) => (url: string, init: RequestInit, message: Message) => Promise<Response>) =>
  (options: ConnectionOptions) => {
    const { fetch = globalThis.fetch } = options
    const wrapped = wrap(fetch)
    const broken: Fetch = (url, init = {}) => wrapped(String(url), init, read(init.body))
    return createConnection({ ...options, fetch: broken })
  }

interface Message {
  readonly id?: number
  readonly method?: string
}
const read = (body: unknown): Message => (typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : {})

export const answering = (message: Message, result: object): Promise<Response> => {
  const headers = { 'content-type': 'application/json' }
  return Promise.resolve(new Response(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }), { headers }))
}

/** The connection with some of its methods replaced. */
export const handled = (replace: (connection: Connection) => Partial<Connection>) => (options: ConnectionOptions) => {
  const connection = createConnection(options)
  const replaced = replace(connection)
  return new Proxy(connection, {
    get(target, key) {
      const own: unknown = Reflect.get(key in replaced ? replaced : target, key)
      return typeof own === 'function' ? own.bind(target) : own
    },
  })
}

export const never = new Promise<never>(() => {})
export const again = (fetch: Fetch, url: string, init: RequestInit) =>
  fetch(url, { ...init, signal: null }).catch(() => {})
