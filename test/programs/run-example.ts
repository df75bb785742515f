import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'

export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly lines: readonly string[]
  readonly stderr: string
}

/** Runs an example as its reader would: a program of its own, that has to end by itself. */
export async function runExample(file: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const child = spawn(process.execPath, [join(inject('built'), file.replace(/\.tsx?$/, '.js'))], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // What it cannot end within this time it has left behind.
    timeout: 30_000,
    killSignal: 'SIGKILL',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  const [code, signal] = await once(child, 'close')
  return { code, signal, lines: stdout.trimEnd().split('\n'), stderr }
}

/** The server that examples connect to by HTTP, on a free port. */
export async function startEverything(): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'streamableHttp'],
    { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  await listening(child)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function listening(child: ChildProcess): Promise<void> {
  if (!child.stderr) throw new Error('the server was started without stderr')
  let told = ''
  for await (const chunk of child.stderr) {
    told += chunk
    if (told.includes('listening on port')) {
      // Nobody reads on; a full pipe would stop the server.
      child.stderr.resume()
      return
    }
  }
  throw new Error(`the server ended before it listened: ${told}`)
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('there was no free port')
  return address.port
}
