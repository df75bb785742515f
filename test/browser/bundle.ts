import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

/** What Vite made of a page. */
export interface Bundle {
  readonly folder: string
  /** Every script, as text. */
  readonly code: string
  /** Every module that went into it, by path. */
  readonly modules: readonly string[]
  /** All scripts, minified and compressed, in bytes. */
  readonly gzipBytes: number
}

/** `vite build` of a folder, as its reader would run it. The package is what was built into dist/. */
export function bundle(root: string): Bundle {
  const folder = mkdtempSync(join(tmpdir(), 'page-'))
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [resolve('node_modules/vite/bin/vite.js'), 'build', root, '--outDir', folder, '--emptyOutDir', '--sourcemap'],
    { encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  )
  if (status !== 0) throw new Error(`vite build ended with ${status}: ${stdout}${stderr}`)
  const files = readdirSync(join(folder, 'assets')).map((name) => join(folder, 'assets', name))
  const scripts = files.filter((name) => name.endsWith('.js')).map((name) => readFileSync(name, 'utf8'))
  const maps = files.filter((name) => name.endsWith('.map')).map((name) => JSON.parse(readFileSync(name, 'utf8')))
  return {
    folder,
    code: scripts.join('\n'),
    modules: maps.flatMap(({ sources }: { sources: string[] }) => sources),
    gzipBytes: scripts.reduce((sum, script) => sum + gzipSync(script).length, 0),
  }
}
