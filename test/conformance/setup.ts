/** Before the tests: the suite is installed, when its lockfile has changed. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const lockfile = join(here, 'package-lock.json')
/** The lockfile that was installed last. */
const installed = join(here, 'node_modules/.installed-lock.json')

export default function setup(): void {
  const wanted = readFileSync(lockfile, 'utf8')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return
  execFileSync('npm', ['ci', '--prefix', here], { stdio: 'inherit' })
  writeFileSync(installed, wanted)
}
