/** One task for one peer, in a process of its own: `node task.ts PEER TASK`. Prints one line of JSON. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Handle, peers, type Target } from './peers.ts'

const program = join(import.meta.dirname, 'server.ts')
const log = join(mkdtempSync(join(tmpdir(), 'peers-')), 'log')
writeFileSync(log, '')

/** How long a peer has to become usable again, or a call to settle, in milliseconds. */
const PATIENCE_MS = 20_000
const EVERY_MS = 200

const stdio: Target = { command: process.execPath, args: [program, 'stdio', log] }
const lines = () => readFileSync(log, 'utf8').split('\n')
const runsOf = (id: string) => lines().filter((line) => line === id).length
const pids = () => lines().flatMap((line) => (line.startsWith('pid ') ? [Number(line.slice(4))] : []))

class HttpServer {
  #child: ChildProcess | undefined
  port = 0

  get target(): Target {
    return { url: `http://127.0.0.1:${this.port}/mcp` }
  }

  async start(): Promise<void> {
    this.#child = fork(program, ['http', log, String(this.port)])
    const [{ port }] = await once(this.#child, 'message')
    this.port = port
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    if (this.#child) await once(this.#child, 'exit')
  }

  say(word: 'outage' | 'over'): void {
    this.#child?.send(word)
  }

  async attempts(): Promise<number> {
    this.#child?.send('count')
    const [{ attempts }] = await once(this.#child as ChildProcess, 'message')
    return attempts
  }
}

type Settled = 'answered' | 'rejected' | 'hung'

async function settled(call: Promise<unknown>, withinMs: number): Promise<Settled> {
  const outcome = call.then(
    (value): Settled => (isRefusal(value) ? 'rejected' : 'answered'),
    (): Settled => 'rejected',
  )
  return Promise.race([outcome, pause(withinMs, 'hung' as const)])
}

/** Some peers hand a failure back as a value. */
function isRefusal(value: unknown): boolean {
  const text = JSON.stringify(value) ?? ''
  return /"isError":true|"error":true|Error calling/i.test(text)
}

/** Milliseconds until a call on the same handle is answered, or `null`: never. */
async function untilUsable(handle: Handle): Promise<number | null> {
  const began = performance.now()
  while (performance.now() - began < PATIENCE_MS) {
    const outcome = await settled(
      handle.call('one', 'echo', { text: 'back' }),
      PATIENCE_MS - (performance.now() - began),
    )
    if (outcome === 'answered') return performance.now() - began
    await pause(EVERY_MS)
  }
  return null
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function vanishing(handle: Handle, times: number) {
  const seen = { calls: 0, answered: 0, rejected: 0, hung: 0, doubled: 0 }
  for (let i = 0; i < times; i++) {
    if ((await untilUsable(handle)) === null) break
    seen.calls++
    const id = `vanish-${i}`
    seen[await settled(handle.call('one', 'vanish', { id }), PATIENCE_MS)]++
    await pause(500)
    if (runsOf(id) > 1) seen.doubled++
  }
  return seen
}

const tasks: Readonly<Record<string, (open: (servers: Record<string, Target>) => Promise<Handle>) => Promise<object>>> =
  {
    async connect20(open) {
      const servers = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`s${i}`, stdio]))
      // Loading a library is not connecting.
      await open({}).then(
        (empty) => empty.close(),
        () => undefined,
      )
      let handle: Handle | undefined
      const ms = await timed(async () => {
        handle = await open(servers)
      })
      const close = handle && settled(handle.close(), 10_000)
      return { ms, closed: await close }
    },

    async callsStdio(open) {
      return calls(await open({ one: stdio }))
    },

    async callsHttp(open) {
      const server = new HttpServer()
      await server.start()
      const seen = await calls(await open({ one: server.target }))
      await server.kill()
      return seen
    },

    async killStdio(open) {
      const handle = await open({ one: stdio })
      await handle.call('one', 'echo', { text: 'before' })
      for (const pid of pids()) tryKill(pid)
      const usableMs = await untilUsable(handle)
      return { usableMs }
    },

    async killHttp(open) {
      const server = new HttpServer()
      await server.start()
      const handle = await open({ one: server.target })
      await handle.call('one', 'echo', { text: 'before' })
      await server.kill()
      const waiting = settled(handle.call('one', 'echo', { text: 'during' }), PATIENCE_MS)
      await pause(2_000)
      await server.start()
      const usableMs = await untilUsable(handle)
      const seen = { usableMs, during: await waiting }
      await server.kill()
      return seen
    },

    async outage(open) {
      const server = new HttpServer()
      await server.start()
      const handle = await open({ one: server.target })
      await handle.call('one', 'echo', { text: 'before' })
      server.say('outage')
      await pause(100)
      const during: Promise<Settled>[] = []
      for (let i = 0; i < 10; i++) {
        during.push(settled(handle.call('one', 'echo', { text: 'during' }), 35_000))
        await pause(1_000)
      }
      const attempts = await server.attempts()
      server.say('over')
      const outcomes = await Promise.all(during)
      const usableMs = await untilUsable(handle)
      await server.kill()
      return { attempts, answered: outcomes.filter((one) => one === 'answered').length, usableMs }
    },

    async vanishStdio(open) {
      return vanishing(await open({ one: stdio }), 3)
    },

    async vanishHttp(open) {
      const server = new HttpServer()
      await server.start()
      const seen = await vanishing(await open({ one: server.target }), 3)
      await server.kill()
      return seen
    },
  }

async function calls(handle: Handle) {
  for (let i = 0; i < 100; i++) await handle.call('one', 'echo', { text: 'warm' })
  const ms = await timed(async () => {
    for (let i = 0; i < 1_000; i++) await handle.call('one', 'echo', { text: 'x'.repeat(100) })
  })
  return { ms }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

const [name = '', task = ''] = process.argv.slice(2)
const peer = peers[name]
const run = tasks[task]
if (!peer || !run)
  throw new Error(`usage: node task.ts PEER TASK; peers: ${Object.keys(peers)}; tasks: ${Object.keys(tasks)}`)
process.on('unhandledRejection', () => undefined)
process.on('uncaughtException', () => undefined)
let result: object
try {
  result = await run(peer.open)
} catch (error) {
  result = { error: error instanceof Error ? error.name : 'thrown' }
}
for (const pid of pids()) tryKill(pid)
process.stdout.write(`\n#${JSON.stringify(result)}\n`, () => process.exit(0))
