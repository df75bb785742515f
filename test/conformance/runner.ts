/** Runs single scenarios of the official suite, each alone: in parallel it measures the machine and not the client. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const here = import.meta.dirname
const root = join(here, '../..')
const suite = join(here, 'node_modules/@modelcontextprotocol/conformance')

/** The client under test, on the Node that runs this. */
export const ourClient = [
  process.execPath,
  '--import',
  join(root, 'node_modules/tsx/dist/loader.mjs'),
  join(here, 'client.ts'),
].join(' ')

/** A client that does nothing. */
export const idleClient = '/bin/true'

interface Check {
  readonly name: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED'
  readonly description: string
  readonly errorMessage?: string
}

export interface Verdict {
  /** What the suite itself says, by its exit code. */
  readonly passed: boolean
  /** Checks that were judged. */
  readonly checks: readonly Check[]
  /** Everything that the suite and the client said, for a person who looks for the reason. */
  readonly said: string
}

export async function runScenario(name: string, client: string): Promise<Verdict> {
  const args = ['client', '--command', client, '--scenario', name, '--timeout', '60000', '--verbose']
  const child = spawn(node(), [join(suite, 'dist/index.js'), ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { passed: code === 0, checks: judged(stdout), said: `${stderr}\n${stdout}` }
}

/** The client scenarios that this version of the suite has. */
export async function listScenarios(): Promise<string[]> {
  const child = spawn(node(), [join(suite, 'dist/index.js'), 'list'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk
  })
  await once(child, 'close')
  const [, ofClients = ''] = said.split('Client scenarios')
  return [...ofClients.matchAll(/^\s+- (\S+)/gm)].map(([, name = '']) => name)
}

/** With --verbose the checks are the JSON on stdout. */
function judged(stdout: string): Check[] {
  const checks: unknown = JSON.parse(stdout.slice(stdout.indexOf('[')))
  if (!Array.isArray(checks)) throw new Error(`the suite printed no checks: ${stdout}`)
  return checks.filter(({ status }: Check) => status === 'SUCCESS' || status === 'FAILURE' || status === 'WARNING')
}

/** The suite needs Node 22; where this runs on an older one, one is installed beside it. */
function node(): string {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  const folder = `node-${process.platform}-${process.arch}/package.json`
  return join(createRequire(join(here, 'package.json')).resolve(folder), '../bin/node')
}
