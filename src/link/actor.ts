import { fromCallback, fromPromise } from 'xstate'
import type { LinkCommand, LinkInput, Runtime } from '../../machines/types.js'
import { LinkRun } from './run.js'
import { ConnectionRuntime } from './runtime.js'

/**
 * The link actor: carries out what the chart asks and reports what happens, in the chart's words. It decides nothing
 * about the life of the connection. It owns wire and client from its first moment to its last; what arrives after that
 * is dropped, since XState ignores what a stopped actor sends back.
 */
export const linkActor = fromCallback<LinkCommand, LinkInput>(({ input, sendBack, receive }) => {
  const run = new LinkRun(ConnectionRuntime.behind(input.runtime), input, sendBack)
  receive((command) => run.obey(command))
  return () => run.leave()
})

/** Waits until the last link is gone; a session that is still remembered is ended on the server, and no socket stays. */
export const releaseActor = fromPromise<void, { runtime: Runtime }>(({ input }) =>
  ConnectionRuntime.behind(input.runtime).release(),
)
