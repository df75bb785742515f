import { type Actor, type AnyStateMachine, createActor, type InputFrom } from 'xstate'
import type { ConnectionInput } from '../../machines/types.js'
import { systemClock } from '../clock.js'
import type { Connection, ConnectionActor } from './connection.js'
import { ConnectionHandle } from './handle.js'
import { connectionMachine, provideConnection } from './machine.js'
import { type ConnectionOptions, connectionInput } from './options.js'

const handles = new WeakMap<ConnectionActor, Connection>()

/** The options of a connection whose chart was extended with the kit of `mcp-lifeline/machine`. */
export type ExtendedOptions<M extends AnyStateMachine> = ConnectionOptions & {
  /** The chart. The library's actors need not be provided. */
  readonly machine: M
} & (keyof AddedInput<M> extends never ? object : { readonly input: AddedInput<M> })

/** Of another machine than the kit's there is none. */
type ActorOf<M extends AnyStateMachine> = Actor<M> extends ConnectionActor ? Actor<M> : never

/** What a chart asks for in its input beside the connection's own. */
type AddedInput<M extends AnyStateMachine> = Omit<InputFrom<M>, keyof ConnectionInput>

/**
 * A connection, ready to be used: nothing runs until `connect()` or the first call.
 *
 * @throws TypeError that names an option that cannot be meant
 */
export function createConnection(options: ConnectionOptions): Connection
/** A connection with an extended chart; its `actor` knows the added states and events. */
export function createConnection<M extends AnyStateMachine>(options: ExtendedOptions<M>): Connection<ActorOf<M>>
export function createConnection(
  options: ConnectionOptions & { readonly machine?: AnyStateMachine; readonly input?: object },
): Connection {
  const { machine = connectionMachine, clock = systemClock, inspect } = options
  const input = { ...options.input, ...connectionInput(options) }
  const actor = createActor(provideConnection(machine), { input, clock, inspect })
  const connection = connectionOf(actor)
  actor.start()
  return connection
}

/** The handle of an actor that runs the connection's chart, wherever it was started; the same one each time. */
export function connectionOf<A extends ConnectionActor>(actor: A): Connection<A> {
  const known = handles.get(actor) ?? new ConnectionHandle(actor)
  handles.set(actor, known)
  // The one handle of this very actor.
  return known as Connection<A>
}
