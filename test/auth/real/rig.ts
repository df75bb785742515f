import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { request } from 'undici'
import { listenForCallback, oauth, type TokenStore } from '../../../src/auth/index.js'
import { type Connection, type ConnectionOptions, createConnection } from '../../../src/index.js'
import { browse } from '../rig/index.js'

/** A connection that logs in with a browser as soon as it has to, through the loopback callback. */
export interface Person extends AsyncDisposable {
  readonly connection: Connection
  /** Every login that this connection was asked for: whether it had begun it itself. */
  readonly logins: boolean[]
  /** What went wrong in the person's browser. */
  readonly failures: unknown[]
}

export interface PersonOptions extends Partial<ConnectionOptions> {
  /** Looks at logins and does nothing. */
  readonly idle?: boolean
  /** Path of the callback. Default `/callback`. */
  readonly path?: string
}

export async function person(
  url: string,
  store: TokenStore,
  { idle, path = '/callback', ...more }: PersonOptions = {},
): Promise<Person> {
  const callback = await listenForCallback({ redirectUrl: `http://127.0.0.1:0${path}` })
  const { redirectUrl } = callback
  const connection = createConnection({
    name: 'protected',
    target: { url },
    authorizer: oauth({ store, redirectUrl, clientName: 'a test' }),
    ...more,
  })
  const logins: boolean[] = []
  const failures: unknown[] = []
  let waiting = callback
  /** As an application does it: open the browser, wait for it to come back, hand on what it brings. */
  const logIn = async (address: URL) => {
    const back = await browse(address)
    // Not by fetch, which is a page's way of asking, and refused.
    const { statusCode, body } = await request(back)
    await body.dump()
    if (statusCode !== 200) throw new Error(`the callback answered ${statusCode}`)
    await connection.authorize(await waiting.response)
    // One callback is for one login; the next comes back to the same port.
    waiting = await listenForCallback({ redirectUrl })
  }
  let shown: string | undefined
  connection.authorization$.subscribe((login) => {
    if (!login || login.url.href === shown) return
    shown = login.url.href
    logins.push(login.begunHere)
    if (!idle && login.begunHere) logIn(login.url).catch((error) => failures.push(error))
  })
  return {
    connection,
    logins,
    failures,
    async [Symbol.asyncDispose]() {
      await connection.close()
      await waiting.close()
    },
  }
}

/** The text that a tool of the protected server answers. */
export async function call(connection: Connection, tool: 'read' | 'write', text: string): Promise<unknown> {
  const { content } = await connection.callTool({ name: tool, arguments: { text } }, { timeoutMs: 30_000 })
  return Object(content[0]).text
}

/** Another process with a connection of its own for every line that it is told; see child.ts. */
export class CallingProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(url: string, path: string) {
    const args = ['--import', 'tsx', join(import.meta.dirname, 'child.ts'), url, path]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child = child
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  }

  /** The next line that it says. */
  async said(): Promise<string> {
    const { value = 'ended' } = await this.#lines.next()
    return value
  }

  /** Lets it make one connection and one call; resolves with what came of it. */
  call(text: string): Promise<string> {
    this.#child.stdin?.write(`${text}\n`)
    return this.said()
  }

  async kill(): Promise<void> {
    const over = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await over
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill()
  }
}
