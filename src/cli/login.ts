/** `lifeline login` and `lifeline logout`: a person logs in to a server, for every command of this machine. */
import { forgetLogin } from '../auth/index.js'
import { AuthorizationResponseError, CallbackError, ConfigError, LifelineError } from '../errors.js'
import { type Connection, explanationText } from '../index.js'
import type { Fleet } from './fleet.js'
import { exitCode, type Io } from './io.js'
import { type Begun, logIn } from './log-in.js'
import { Progress } from './progress.js'
import { asJson, withFleet } from './run.js'
import { wantsColour } from './style.js'
import { printable } from './text.js'
import { UsageError, type Words } from './words.js'

/** What is told at the end. Holds no secret. */
interface Outcome {
  readonly result: 'logged-in' | 'already-logged-in' | 'no-login-needed' | 'logged-out' | 'not-logged-in' | 'failed'
  readonly message: string
  readonly code: number
}

/** A server that took the login is ready soon. */
const PROOF_MS = 30_000

/** @throws UsageError, ConfigError */
export function login(words: Words, io: Io): Promise<number> {
  const name = nameIn(words, 'login')
  return withFleet(words, io, async (fleet, _, signal) => {
    const { connection, url } = await loginTarget(fleet, name)
    const outcome = await attempt({ name, url, connection, fleet, words, io, signal })
    return told(name, outcome, words, io)
  })
}

/** @throws UsageError, ConfigError */
export function logout(words: Words, io: Io): Promise<number> {
  const name = nameIn(words, 'logout')
  return withFleet(words, io, async (fleet) => {
    const { url } = await loginTarget(fleet, name)
    const had = await forgetLogin(fleet.logins, url)
    const outcome: Outcome = had
      ? { result: 'logged-out', message: 'logged out; its tokens are forgotten here.', code: exitCode.good }
      : { result: 'not-logged-in', message: 'was not logged in.', code: exitCode.good }
    return told(name, outcome, words, io)
  })
}

function nameIn({ rest: [name, ...more] }: Words, command: string): string {
  if (name !== undefined && more.length === 0) return name
  throw new UsageError(`lifeline ${command} needs the name of one server.`)
}

/**
 * @throws UsageError where nobody can log in to this server
 * @throws ConfigError where its configuration cannot be used
 */
async function loginTarget({ hub }: Fleet, name: string): Promise<{ connection: Connection; url: URL }> {
  const entry = hub.entry(name)
  if (!entry) throw new UsageError(`The configuration has no server '${name}'.`)
  const { target } = await entry.resolve()
  if (!('url' in target))
    throw new UsageError(`'${name}' is a program: it takes its secrets in env, and nobody logs in to it.`)
  const connection = hub.connections.get(name)
  if (!connection) {
    const { error, status } = hub.servers.find((server) => server.name === name) ?? {}
    throw error ?? new ConfigError(`Server '${name}' is ${status}.`)
  }
  if (!connection.actor.getSnapshot().context.authorizer)
    throw new UsageError(`'${name}' has an Authorization header in its configuration: a login would not be used.`)
  return { connection, url: new URL(target.url) }
}

interface Attempt extends Begun {
  readonly connection: Connection
  readonly fleet: Fleet
}

async function attempt(work: Attempt): Promise<Outcome> {
  const { name, connection, fleet, words, io, signal } = work
  const asking = new Progress(io, () => `asking ${printable(name)}`)
  try {
    await fleet.locals.get(name)?.start()
    connection.connect().catch(() => {})
    await cameToSomething(connection)
  } finally {
    asking.end()
  }
  const isOpen = connection.actor.getSnapshot().hasTag('usable')
  if (!isOpen && !fleet.needsLogin(name)) return notReady('cannot be asked for a login', connection, io)
  try {
    const ended = await logIn(work, fleet.logins, isOpen ? undefined : connection.fault, isOpen && !words.scope)
    if (ended === 'had') return good('already-logged-in', 'is logged in already; logout forgets that.')
    if (ended === 'none') return good('no-login-needed', 'is ready and asks for no login.')
    const proof = new Progress(io, () => `connecting to ${printable(name)}`)
    const isReady = await connection.ready({ timeoutMs: PROOF_MS, signal }).then(
      () => true,
      () => false,
    )
    proof.end()
    return isReady ? good('logged-in', 'logged in.') : notReady('logged in, but is not ready', connection, io)
  } catch (error) {
    if (!(error instanceof LifelineError)) throw error
    const late = error instanceof CallbackError && error.reason === 'timeout'
    const why = error instanceof AuthorizationResponseError ? ' Nothing was changed; log in again.' : ''
    return { result: 'failed', message: error.message + why, code: late ? exitCode.late : exitCode.failed }
  }
}

const good = (result: Outcome['result'], message: string): Outcome => ({ result, message, code: exitCode.good })

function notReady(what: string, connection: Connection, io: Io): Outcome {
  const colour = wantsColour(io.stderr, io.env)
  io.stderr.write(explanationText(connection.explain(), { color: colour, brief: true }))
  return { result: 'failed', message: `${what}; see above, or lifeline doctor.`, code: exitCode.failed }
}

/** Until it is ready, waits for something, or stands still. */
function cameToSomething({ actor }: Connection): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const snapshot = actor.getSnapshot()
      const tags = ['usable', 'waiting', 'stopped', 'needs-user'] as const
      if (snapshot.status === 'active' && !tags.some((tag) => snapshot.hasTag(tag))) return
      subscription.unsubscribe()
      resolve()
    }
    const subscription = actor.subscribe({ next: look, error: look, complete: look })
    look()
  })
}

function told(name: string, { result, message, code }: Outcome, { json }: Words, io: Io): number {
  const text = printable(message)
  if (json) io.stdout.write(asJson({ server: name, result, message: text }))
  else (code === exitCode.good ? io.stdout : io.stderr).write(`${printable(name)}: ${text}\n`)
  return code
}
