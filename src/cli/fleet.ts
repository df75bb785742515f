/** The connections of a config file, with the local servers that stand behind some of them. */
import type { Clock } from '../clock.js'
import { type Connection, createConnection } from '../index.js'
import { type ServerEntry, withPort } from './example-config.js'
import { freePort, LocalServer } from './local-server.js'

export interface Member {
  readonly entry: ServerEntry
  readonly connection: Connection
  readonly server?: LocalServer
}

/** Longer than a connection and a local server take to end, whatever they do. */
const CLOSE_MS = 8_000

/** Nothing runs yet. */
export async function assemble(entries: readonly ServerEntry[], clock: Clock): Promise<Member[]> {
  return Promise.all(
    entries.map(async (given) => {
      const entry = given.serve ? withPort(given, await freePort()) : given
      const { name, target, serve } = entry
      const connection = createConnection({ name, target, clock })
      return {
        entry,
        connection,
        ...(serve && 'url' in target && { server: new LocalServer(serve, target.url, clock) }),
      }
    }),
  )
}

/** Ends everything. `false`: it was not over in time. */
export async function dismiss(members: readonly Member[], clock: Clock): Promise<boolean> {
  const ending = Promise.all(members.map(endOf)).then(() => true)
  let late: unknown
  const bound = new Promise<false>((resolve) => {
    late = clock.setTimeout(() => resolve(false), CLOSE_MS)
  })
  const inTime = await Promise.race([ending, bound])
  clock.clearTimeout(late)
  return inTime
}

/** The connection first, so that it can end its session on the server. */
async function endOf({ connection, server }: Member): Promise<void> {
  await connection.close()
  await server?.stop()
}
