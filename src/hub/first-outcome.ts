import type { Observable } from 'rxjs'
import type { Connection } from '../connection/index.js'

const somethingCame = ['usable', 'waiting', 'stopped', 'needs-user'] as const

/** Resolves when the first steps of the connection have led to something, or when it is no concern of ours any more. */
export function cameToSomething(connection: Connection, replaced: Observable<void>): Promise<void> {
  const { actor } = connection
  return new Promise((resolve) => {
    const subscriptions: { unsubscribe(): void }[] = []
    const end = () => {
      for (const subscription of subscriptions) subscription.unsubscribe()
      resolve()
    }
    // One that waits for its turn at the gate is under way still.
    let isTurn = false
    const look = () => {
      const snapshot = actor.getSnapshot()
      if (snapshot.status !== 'active' || (!isTurn && somethingCame.some((tag) => snapshot.hasTag(tag)))) end()
    }
    subscriptions.push(
      replaced.subscribe(end),
      actor.subscribe({ next: look, error: end, complete: end }),
      actor.on('*', (news) => {
        // Otherwise it waits for a time that the server named, perhaps to another connection.
        isTurn = news.type === 'connection.held' && news.because !== 'cooldown'
      }),
    )
    look()
  })
}
