/** `npm run bench:peers`: installs the peers apart from the product, and measures under the Node that they ask for (24). */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled } from '../installed.js'

const here = join(import.meta.dirname, 'peers')
ensureInstalled(here)
const node = join(here, 'node_modules/node/bin/node')
const { status } = spawnSync(node, [join(here, 'run.ts'), ...process.argv.slice(2)], { stdio: 'inherit' })
process.exitCode = status ?? 1
