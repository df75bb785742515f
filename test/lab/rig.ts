/** What the lab is built of: processes that end with the test, replicas, proxies, a network namespace. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const replicaProgram = join(import.meta.dirname, 'replica.ts')
const tsx = import.meta.resolve('tsx')

/** One situation: everything that it starts ends with it. */
export class Site implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'lifeline-lab-'))
  readonly #log = join(this.folder, 'runs')
  readonly #endings: (() => unknown)[] = []

  constructor() {
    writeFileSync(this.#log, '')
  }

  atEnd(ending: () => unknown): void {
    this.#endings.unshift(ending)
  }

  /** What ran on any server of this site, one id for each run. */
  runs(): string[] {
    return readFileSync(this.#log, 'utf8').split('\n').slice(0, -1)
  }

  /** How to start a replica over stdio. */
  get stdioTarget() {
    return { command: process.execPath, args: ['--import', tsx, replicaProgram, 'stdio', '', this.#log, 'stdio'] }
  }

  async replica(name: string, options: { host?: string; within?: readonly string[] } = {}): Promise<Replica> {
    const { host = '127.0.0.1', within = [] } = options
    const port = host === '127.0.0.1' ? await freePort() : 8080
    const replica = new Replica(port, host, [
      ...within,
      ...[process.execPath, '--import', tsx, replicaProgram, String(port), host, this.#log, name],
    ])
    this.atEnd(() => replica.kill())
    await replica.start()
    return replica
  }

  /** `config` gets the port to listen on. */
  async nginx(config: (port: number) => string): Promise<Gateway> {
    const port = await freePort()
    const prefix = join(this.folder, 'nginx')
    mkdirSync(prefix)
    const file = join(prefix, 'nginx.conf')
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${prefix}/${kind};`,
    )
    const top = `daemon off; worker_processes 1; error_log stderr; pid ${prefix}/pid; events { worker_connections 256; }`
    const write = (text: string) => writeFileSync(file, `${top} http { access_log off; ${paths.join(' ')} ${text} }\n`)
    write(config(port))
    const proxy = new Gateway(port, 'nginx', ['-p', prefix, '-c', file], 'SIGHUP', write)
    this.atEnd(() => proxy.end())
    await proxy.start()
    return proxy
  }

  async haproxy(config: (port: number) => string): Promise<Gateway> {
    const port = await freePort()
    const file = join(this.folder, 'haproxy.cfg')
    const write = (text: string) => writeFileSync(file, `${text}\n`)
    write(config(port))
    // A master with workers, since only that can be reloaded.
    const proxy = new Gateway(port, 'haproxy', ['-W', '-db', '-f', file], 'SIGUSR2', write)
    this.atEnd(() => proxy.end())
    await proxy.start()
    return proxy
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const ending of this.#endings) await ending()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

abstract class Program {
  protected child: ChildProcess | undefined

  protected run(command: string, args: readonly string[]): ChildProcess {
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    return this.child
  }

  /** Sends a signal and waits until the process is gone, should it be one that ends it. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    const { child } = this
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    if (signal === 'SIGKILL' || signal === 'SIGTERM') await once(child, 'exit')
  }
}

export class Replica extends Program {
  readonly port: number
  readonly host: string
  readonly #command: readonly string[]

  constructor(port: number, host: string, command: readonly string[]) {
    super()
    this.port = port
    this.host = host
    this.#command = command
  }

  get origin(): string {
    return `http://${this.host}:${this.port}`
  }

  async start(): Promise<void> {
    const [command = '', ...args] = this.#command
    const { stdout } = this.run(command, args)
    if (stdout) await once(stdout, 'data')
  }

  kill(): Promise<void> {
    return this.signal('SIGKILL')
  }

  /** As a rolling update does it. */
  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.signal(signal)
    await this.start()
  }
}

export class Gateway extends Program {
  readonly port: number
  readonly #command: string
  readonly #args: readonly string[]
  readonly #reloadSignal: NodeJS.Signals
  readonly #write: (config: string) => void

  constructor(
    port: number,
    command: string,
    args: readonly string[],
    reloadSignal: NodeJS.Signals,
    write: (config: string) => void,
  ) {
    super()
    this.port = port
    this.#command = command
    this.#args = args
    this.#reloadSignal = reloadSignal
    this.#write = write
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  async start(): Promise<void> {
    this.run(this.#command, this.#args)
    await until(() => isListening(this.port), `${this.#command} to listen`)
  }

  /** The configuration, or another one, is read: old workers end what they do. */
  reload(config?: string): void {
    if (config !== undefined) this.#write(config)
    this.child?.kill(this.#reloadSignal)
  }

  end(): Promise<void> {
    return this.signal('SIGTERM')
  }
}

/** A machine of its own, as far as the network goes: reached at `host` over a cable that can be cut. */
export class Namespace implements Disposable {
  static #made = 0
  // The kernel takes its time to forget a name.
  readonly #mark = `${process.pid}-${Namespace.#made++}`
  readonly name = `lifeline-${this.#mark}`
  readonly #cable = `lab${this.#mark}`
  readonly host = '10.213.77.2'

  constructor() {
    const here = '10.213.77.1'
    sh(`ip netns add ${this.name}`)
    sh(`ip link add ${this.#cable} type veth peer name eth0 netns ${this.name}`)
    sh(`ip addr add ${here}/30 dev ${this.#cable}`)
    sh(`ip link set ${this.#cable} up`)
    // Without its cable nobody else answers for it.
    sh('ip route add unreachable 10.213.77.0/30 metric 9999')
    this.#inside(`ip addr add ${this.host}/30 dev eth0`)
    this.#inside('ip link set eth0 up')
    this.#inside('ip link set lo up')
  }

  /** Words that make a command run inside. */
  get within(): string[] {
    return ['ip', 'netns', 'exec', this.name]
  }

  /** Packets vanish in both directions, without a word. */
  blackhole(): void {
    this.#inside('iptables -A INPUT -i eth0 -j DROP')
    this.#inside('iptables -A OUTPUT -o eth0 -j DROP')
  }

  /** One packet in so many is lost, in both directions. */
  lose(probability: number): void {
    this.#inside(`iptables -A INPUT -i eth0 -m statistic --mode random --probability ${probability} -j DROP`)
    this.#inside(`iptables -A OUTPUT -o eth0 -m statistic --mode random --probability ${probability} -j DROP`)
  }

  /** Whatever comes is answered by a reset. */
  refuse(): void {
    this.#inside('iptables -A INPUT -i eth0 -p tcp -j REJECT --reject-with tcp-reset')
  }

  /** All packets pass again. */
  heal(): void {
    this.#inside('iptables -F')
  }

  unplug(): void {
    sh(`ip link set ${this.#cable} down`)
  }

  plug(): void {
    sh(`ip link set ${this.#cable} up`)
  }

  /** At most so many kilobits a second leave the machine. */
  slow(kbit: number): void {
    this.#inside(`tc qdisc add dev eth0 root tbf rate ${kbit}kbit burst 4kb latency 400ms`)
  }

  #inside(command: string): void {
    sh(`ip netns exec ${this.name} ${command}`)
  }

  [Symbol.dispose](): void {
    sh('ip route del unreachable 10.213.77.0/30 metric 9999')
    sh(`ip link del ${this.#cable}`)
    sh(`ip netns del ${this.name}`)
  }
}

function sh(command: string): void {
  const [program = '', ...args] = command.split(' ')
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** A disk of its own that can be filled to the last byte. */
export class SmallDisk implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'lifeline-disk-'))
  readonly #ballast = join(this.path, 'ballast')

  constructor(kib = 256) {
    sh(`mount -t tmpfs -o size=${kib}k,mode=700 tmpfs ${this.path}`)
  }

  fill(): void {
    const file = openSync(this.#ballast, 'a')
    try {
      for (;;) writeSync(file, Buffer.alloc(4_096))
    } catch (error) {
      if (Object(error).code !== 'ENOSPC') throw error
    } finally {
      closeSync(file)
    }
  }

  makeRoom(): void {
    rmSync(this.#ballast)
  }

  [Symbol.dispose](): void {
    sh(`umount ${this.path}`)
    rmSync(this.path, { recursive: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function isListening(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(1_000) })
    return true
  } catch {
    return false
  }
}

export async function until(holds: () => boolean | Promise<boolean>, what: string, withinMs = 20_000): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms for ${what}`)
    await pause(20)
  }
}

/** Processes that this one, or one of its children, has started and that still run; zombies and watchdogs do not count. */
export function childrenOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [pid, ppid, stat = '', ...args] = line.trim().split(/\s+/)
    const counts = Number(ppid) === parent && !stat.startsWith('Z') && args.join(' ').includes('replica.ts')
    return counts ? [Number(pid)] : []
  })
}
