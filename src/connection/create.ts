import { createActor } from 'xstate'
import { systemClock } from '../clock.js'
import type { Connection, ConnectionActor } from './connection.js'
import { ConnectionHandle } from './handle.js'
import { connectionMachine } from './machine.js'
import { type ConnectionOptions, connectionInput } from './options.js'

const handles = new WeakMap<ConnectionActor, Connection>()

/**
 * A connection, ready to be used: nothing runs until `connect()` or the first call.
 *
 * @throws TypeError that names an option that cannot be meant
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { clock = systemClock, inspect } = options
  const actor = createActor(connectionMachine, { input: connectionInput(options), clock, inspect })
  const connection = connectionOf(actor)
  actor.start()
  return connection
}

/** The handle of an actor that runs the connection machine, wherever it was started; the same one each time. */
export function connectionOf(actor: ConnectionActor): Connection {
  const known = handles.get(actor)
  if (known) return known
  const connection = new ConnectionHandle(actor)
  handles.set(actor, connection)
  return connection
}
