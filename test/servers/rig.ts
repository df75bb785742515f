/** Servers of other makers, each a process of its own on a port of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, createConnection, type Incident, type Target } from '../../src/index.js'

const here = import.meta.dirname

export interface Program {
  /** A file of `programs/`, or `everything`. */
  readonly program: string
  readonly mode?: string
}

/** The package that a program is made of, as it is installed. */
export function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8')).version
}

/** How to run it. `mode` of server-everything is its transport. */
export function commandOf({ program, mode = '' }: Program): { command: string; args: string[] } {
  const script =
    program === 'everything'
      ? [join(here, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), mode]
      : [join(here, 'dist', `${program}.js`)]
  return { command: process.execPath, args: script }
}

/** Where a server's side effects are noted, one line for each; it outlives the server. */
export class Effects {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lifeline-servers-'))
  readonly file = join(this.#folder, 'effects')

  read(): string[] {
    try {
      return readFileSync(this.file, 'utf8').split('\n').slice(0, -1)
    } catch {
      return []
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true })
  }
}

export class HttpServer {
  readonly effects = new Effects()
  readonly url: string
  readonly #program: Program
  readonly #port: number
  #generation = 0
  #child: ChildProcess | undefined
  #ended: Promise<unknown> = Promise.resolve()
  #said = ''

  private constructor(program: Program, port: number) {
    this.#program = program
    this.#port = port
    this.url = `http://127.0.0.1:${port}/mcp`
  }

  /** Resolves when it takes connections. */
  static async start(program: Program): Promise<HttpServer> {
    const server = new HttpServer(program, await freePort())
    try {
      await server.#start()
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw error
    }
    return server
  }

  /** The tool by which lists of before a restart and after it differ. */
  get generation(): string {
    return `generation_${this.#generation}`
  }

  async #start(): Promise<void> {
    const { command, args } = commandOf(this.#program)
    const child = spawn(command, args, {
      env: {
        PATH: process.env.PATH,
        PORT: String(this.#port),
        MODE: this.#program.mode,
        GENERATION: String(this.#generation),
        EFFECTS: this.effects.file,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.#said = ''
    for (const out of [child.stdout, child.stderr])
      out.setEncoding('utf8').on('data', (text: string) => {
        this.#said = (this.#said + text).slice(-2_000)
      })
    // Whatever becomes of the test: no server outlives it.
    const killAtExit = () => child.kill('SIGKILL')
    process.once('exit', killAtExit)
    this.#ended = once(child, 'close').finally(() => process.off('exit', killAtExit))
    while (!(await listens(this.#port))) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${this.#program.program} did not start: ${this.#said}`)
      await pause(10)
    }
  }

  /** SIGKILL: no session, no socket and no answer is taken leave of. Resolves when the process is gone. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#ended
    this.#child = undefined
  }

  /** After `kill`: the next one, on the same port, which knows nothing of the last. */
  async comeBack(): Promise<void> {
    this.#generation += 1
    await this.#start()
  }

  /** Somebody else's request under this session. */
  ask(verb: 'POST' | 'DELETE', session: string, method?: string): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const headers = {
        accept: 'application/json, text/event-stream',
        ...(method && { 'content-type': 'application/json' }),
        'mcp-protocol-version': '2025-06-18',
        'mcp-session-id': session,
      }
      const req = request(this.url, { method: verb, headers, agent: false }, (res) => {
        let body = ''
        res.setEncoding('utf8').on('data', (text: string) => {
          body += text
        })
        res.once('end', () => resolve({ status: res.statusCode ?? 0, body }))
        res.once('error', reject)
      })
      req.once('error', reject)
      req.end(method && JSON.stringify({ jsonrpc: '2.0', id: 'somebody', method, params: {} }))
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    this.effects[Symbol.dispose]()
  }
}

/** Below the ports that systems give out by themselves, so that nobody is given it while the server is away. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    await new Promise((resolve) => server.close(resolve))
    if (isFree) return port
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (taken: boolean) => {
      socket.destroy()
      resolve(taken)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}

/** Sockets of this process, the open and the opening. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => /^TCP(?:Socket|Connect)/.test(name)).length
}

/** A connection that does not wait long and does not give up. */
export function patient(target: Target): Connection {
  const policy = { backoff: { baseMs: 5, capMs: 50 }, maxAttempts: 10_000 }
  return createConnection({ name: 'test', target, policy })
}

/** What comes of it from now on. */
export function incidentsOf(connection: Connection): Incident[] {
  const incidents: Incident[] = []
  connection.incidents$.subscribe((incident) => incidents.push(incident))
  return incidents
}

export function toolsOf(connection: Connection): string[] {
  return connection.catalog.tools.map(({ name }) => name)
}

/** Gives way to real input and output until it holds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 15_000
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
