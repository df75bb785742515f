import { fromCallback, fromPromise } from 'xstate'
import { connectionChart } from '../../machines/connection.js'
import type { AuthInput, AuthOutcome, ConnectionEvent, Runtime } from '../../machines/types.js'
import { linkActor, releaseActor } from '../link/index.js'
import { type Authorization, authorizationOf } from './authorization.js'

/** Without an authorizer the chart never gets here: an unauthorized fault ends in `failed` by verdict V3. */
function authorization(runtime: Runtime): Authorization {
  const found = authorizationOf(runtime)
  if (!found) throw new Error('this connection has no authorizer')
  return found
}

const step = (take: (authorization: Authorization, input: AuthInput) => Promise<AuthOutcome>) =>
  fromPromise<AuthOutcome, AuthInput>(async ({ input }) => take(authorization(input.runtime), input))

/** What the actors of the chart do. Provided once: providing per connection would cost each 20 KiB. */
const connectionActors = {
  link: linkActor,
  release: releaseActor,
  refresh: step((credentials, input) => credentials.refresh(input)),
  exchange: step((credentials) => credentials.exchange()),
  stepUp: step((credentials, input) => credentials.stepUp(input)),
  login: fromCallback<ConnectionEvent, AuthInput>(({ input, sendBack }) =>
    authorization(input.runtime).hold(input, sendBack),
  ),
}

/** The chart with the library's actors: `createActor(connectionMachine, { input: connectionInput(options) })`. */
export const connectionMachine = connectionChart.provide({ actors: connectionActors })
