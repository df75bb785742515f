/**
 * Before the tests: the command line and the examples are compiled once, without checks. Each of many short runs from the
 * sources would pay for the translation.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { copyPageFiles } from '../tooling/page-files.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the compiled tree is. */
    built: string
  }
}

export default function setup(project: TestProject): () => void {
  const built = join(process.cwd(), '.cache', `programs-${process.pid}`)
  mkdirSync(built, { recursive: true })
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [tsc, '-p', import.meta.dirname, '--outDir', built], { stdio: 'inherit' })
  copyPageFiles(built)
  // The examples import the package by its name, which is that of the nearest manifest.
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  const exports = { '.': './src/index.js', './machine': './machines/index.js', './*': './src/*/index.js' }
  writeFileSync(join(built, 'package.json'), JSON.stringify({ ...manifest, exports }))
  project.provide('built', built)
  return () => rmSync(built, { recursive: true, force: true })
}
