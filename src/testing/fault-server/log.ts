import type { IncomingHttpHeaders } from 'node:http'

/** One request as the server saw it. */
export interface LoggedRequest {
  /** Clock time of its arrival. */
  readonly at: number
  readonly http: string
  /** Path with query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** JSON-RPC method of the body, when it has one. */
  readonly method?: string
  /** JSON-RPC id of the body. */
  readonly id?: unknown
  readonly session?: string
  readonly lastEventId?: string
  /** The parsed body. */
  readonly body?: unknown
  /** Status of the answer, once its head was written. */
  status?: number
  /** Clock time at which the exchange was over on the server's side, however it ended. */
  closedAt?: number
  /** Whether the client went away before the answer was complete. */
  abandoned?: boolean
}

/** What selects requests: a JSON-RPC method (`tools/call`), an HTTP method (`GET`), or `*` for all. */
export type Selector = string

export function selects(selector: Selector, request: Pick<LoggedRequest, 'http' | 'method'>): boolean {
  return selector === '*' || selector === request.http || selector === request.method
}

/** Every request in order of arrival, and promises for those still to come. */
export class RequestLog {
  readonly all: LoggedRequest[] = []
  #waiting: { isMet: () => boolean; resolve: () => void }[] = []

  add(request: LoggedRequest): void {
    this.all.push(request)
    this.changed()
  }

  /** Something was added to the log or to one of its requests. */
  changed(): void {
    const met = this.#waiting.filter(({ isMet }) => isMet())
    this.#waiting = this.#waiting.filter((one) => !met.includes(one))
    for (const { resolve } of met) resolve()
  }

  of(selector: Selector): LoggedRequest[] {
    return this.all.filter((request) => selects(selector, request))
  }

  /** Resolves once the condition holds; it is looked at whenever a request arrives or ends. */
  until(isMet: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ isMet, resolve })
      this.changed()
    })
  }
}
