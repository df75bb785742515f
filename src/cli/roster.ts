/** The views of all servers of a hub, kept up to date while servers come, change and go. */
import type { Clock } from '../clock.js'
import type { Connection, Hub, ServerStatus } from '../index.js'
import { type Observed, observe } from './observe.js'
import { initialView, type View, withStatus } from './view.js'

interface Seen {
  readonly connection: Connection | undefined
  readonly observed?: Observed
  view: View
}

export class Roster {
  readonly #hub: Hub
  readonly #clock: Clock
  readonly #onChange: (after: View, before: View) => void
  readonly #loginCommand: (name: string) => string
  readonly #seen = new Map<string, Seen>()
  readonly #subscription: { unsubscribe(): void }

  /** `onChange` gets every view with the one before it; `loginCommand` tells what logs in to a server. */
  constructor(
    hub: Hub,
    clock: Clock,
    onChange: (after: View, before: View) => void,
    loginCommand: (name: string) => string,
  ) {
    this.#hub = hub
    this.#clock = clock
    this.#onChange = onChange
    this.#loginCommand = loginCommand
    this.#subscription = hub.status$.subscribe((status) => this.#follow(status))
  }

  /** In the order of the configuration. */
  get views(): View[] {
    return this.#hub.servers.flatMap(({ name }) => this.view(name) ?? [])
  }

  view(name: string): View | undefined {
    const seen = this.#seen.get(name)
    return seen?.observed?.view ?? seen?.view
  }

  stop(): void {
    this.#subscription.unsubscribe()
    for (const { observed } of this.#seen.values()) observed?.stop()
  }

  #follow(status: ServerStatus): void {
    const { name } = status
    const connection = this.#hub.connections.get(name)
    const seen = this.#seen.get(name)
    if (seen && seen.connection === connection) {
      if (!connection) this.#show(seen, status)
      return
    }
    // One that is gone, at the end of all above all, is seen until it is closed.
    if (seen?.observed && !connection && status.status === 'closed') return
    seen?.observed?.stop()
    const before = this.view(name) ?? initialView(name, status.where ?? '', this.#clock.now())
    if (connection) {
      const observed = observe(connection, status.where ?? '', this.#clock, this.#onChange, this.#loginCommand(name))
      this.#seen.set(name, { connection, observed, view: before })
      return
    }
    const unconnected = { connection, view: { ...before, tools: undefined, nextAt: undefined, downSince: undefined } }
    this.#seen.set(name, unconnected)
    this.#show(unconnected, status)
  }

  #show(seen: Seen, status: ServerStatus): void {
    const before = seen.view
    seen.view = withStatus(before, status, this.#clock.now())
    this.#onChange(seen.view, before)
  }
}
