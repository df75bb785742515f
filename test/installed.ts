/** Folders with a lockfile of their own, so that the product does not depend on what they need. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs what the folder's lockfile names, unless that was the last to be installed there. By `npm install`, since
 * `npm ci` refuses a lockfile that lacks an optional package which is nowhere to be had.
 */
export function ensureInstalled(folder: string): void {
  const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const installed = join(folder, 'node_modules/.installed-lock.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return
  execFileSync('npm', ['install', '--no-save', '--prefix', folder], { stdio: 'inherit' })
  writeFileSync(installed, wanted)
}
