import { filter, firstValueFrom } from 'rxjs'
import { SimulatedClock } from 'xstate'
import { type Connection, type ConnectionOptions, createConnection, type Status } from '../../src/index.js'

/** A connection under a driven clock: no deadline passes and no wait ends unless the test says so. */
export function driven(options: Omit<ConnectionOptions, 'name' | 'clock' | 'random'>) {
  const clock = new SimulatedClock()
  const connection = createConnection({ name: 'test', clock, random: () => 0.5, ...options })
  return { connection, clock }
}

/** A connection under the real clock, with short waits. */
export function quick(options: Omit<ConnectionOptions, 'name'>): Connection {
  return createConnection({
    name: 'test',
    ...options,
    policy: { backoff: { baseMs: 5, capMs: 50 }, ...options.policy },
  })
}

/** Resolves when the connection has this status. */
export async function until(connection: Connection, ...wanted: Status[]): Promise<Status> {
  return firstValueFrom(connection.status$.pipe(filter((status) => wanted.includes(status))))
}

/** All statuses from now on, in order. */
export function record(connection: Connection): Status[] {
  const seen: Status[] = []
  connection.status$.subscribe((status) => seen.push(status))
  return seen
}

/** The error a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('this should have been rejected')
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
