/** Keeps the view of one connection up to date. */
import type { Clock } from '../clock.js'
import type { Connection } from '../index.js'
import { initialView, type View, withCatalog, withIncident, withNews, withSnapshot } from './view.js'

export interface Observed {
  readonly view: View
  stop(): void
}

/**
 * `onChange` gets every view with the one before it, up to the last: that of the closed connection. `loginCommand` is what
 * a person runs to log in.
 */
export function observe(
  connection: Connection,
  where: string,
  clock: Clock,
  onChange: (after: View, before: View) => void,
  loginCommand?: string,
): Observed {
  const { actor } = connection
  let view = initialView(connection.name, where, clock.now())
  // News come before the snapshot of the same step and wait for it, so that half a step is never shown.
  let draft = view
  const show = (next: View) => {
    const before = view
    view = draft = next
    onChange(view, before)
  }
  const follow = () => show(withSnapshot(draft, actor.getSnapshot(), clock.now(), loginCommand))
  const subscriptions = [
    actor.on('*', (news) => {
      draft = withNews(draft, news, clock.now())
    }),
    connection.incidents$.subscribe((incident) => {
      draft = withIncident(draft, incident, clock.now())
    }),
    actor.subscribe({ next: follow, complete: follow, error: follow }),
    connection.catalog$.subscribe((catalog) => show(withCatalog(draft, catalog))),
  ]
  follow()
  return {
    get view() {
      return view
    },
    stop: () => {
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}
