import { type AnyStateMachine, fromCallback, fromPromise } from 'xstate'
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

const provided = new WeakMap<AnyStateMachine, AnyStateMachine>()

/**
 * A chart made with the extension kit, with the library's actors in it: for `createActor`, or for a parent's `invoke`.
 * Actors that were provided before are left as they are. The same chart gives the same machine.
 *
 * @throws TypeError when it is no chart of the kit
 */
export function provideConnection<M extends AnyStateMachine>(machine: M): M {
  const known = provided.get(machine) ?? provideMissing(machine)
  provided.set(machine, known)
  return known as M
}

function provideMissing(machine: AnyStateMachine): AnyStateMachine {
  const stubs = connectionChart.implementations.actors
  const present: Readonly<Record<string, unknown>> | undefined = machine?.implementations?.actors
  if (!present || Object.keys(stubs).some((name) => !(name in present))) {
    throw new TypeError('machine is to be a chart that connectionSetup() of mcp-lifeline/machine made.')
  }
  const missing = Object.entries(connectionActors).filter(
    ([name]) => present[name] === stubs[name as keyof typeof stubs],
  )
  return missing.length > 0 ? machine.provide({ actors: Object.fromEntries(missing) }) : machine
}
