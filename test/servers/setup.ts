/** Before the tests: the servers are installed, when their lockfile has changed, and compiled. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from '../installed.js'

const here = import.meta.dirname

export default function setup(): void {
  ensureInstalled(here)
  const tsc = join(here, '../../node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(here, 'programs')], { stdio: 'inherit' })
}
