import { fromCallback, fromPromise } from 'xstate'
import { connectionChart } from '../../machines/connection.js'
import type { AuthInput, AuthOutcome, ConnectionEvent } from '../../machines/types.js'
import { linkActor, releaseActor } from '../link/index.js'

/** Without an authorizer the chart never gets here: an unauthorized fault ends in `failed` by verdict V3. */
const nobody = () => Promise.reject(new Error('this connection has no authorizer'))
const noAuthorizer = fromPromise<AuthOutcome, AuthInput>(nobody)

/** What the actors of the chart do. Provided once: providing per connection would cost each 20 KiB. */
const connectionActors = {
  link: linkActor,
  release: releaseActor,
  refresh: noAuthorizer,
  exchange: noAuthorizer,
  stepUp: noAuthorizer,
  login: fromCallback<ConnectionEvent, AuthInput>(() => {}),
}

/** The chart with the library's actors: `createActor(connectionMachine, { input: connectionInput(options) })`. */
export const connectionMachine = connectionChart.provide({ actors: connectionActors })
