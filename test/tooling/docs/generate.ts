/**
 * `npm run docs` writes the pages that come from the code and the fragments in the written ones. With `--check` it
 * writes nothing and fails when a page is not what it would write.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { benchmarkData, benchmarksPage } from './benchmarks-page.js'
import { chartPage } from './chart-page.js'
import { withFragments } from './fragments.js'
import { promisesPage } from './promises-page.js'
import { reliabilityPage } from './reliability-page.js'
import { rulesPage } from './rules-page.js'
import { troubleshootingPage } from './troubleshooting-page.js'

/** Every page by its path, and what it has to be, given what it is. */
const pages: Readonly<Record<string, (present: string) => string>> = {
  'docs/rules.md': rulesPage,
  'docs/chart.md': chartPage,
  'docs/promises.md': promisesPage,
  'docs/reliability.md': reliabilityPage,
  'docs/troubleshooting.md': troubleshootingPage,
  'docs/benchmarks.md': benchmarksPage,
  'docs/guide.md': withFragments,
  'docs/hub.md': withFragments,
  'docs/inspecting.md': withFragments,
  'docs/extending.md': withFragments,
  'docs/embedding.md': withFragments,
  'README.md': withFragments,
}

export interface Drift {
  readonly path: string
  /** The first line that differs: what stands there, and what should. */
  readonly line: number
  readonly present: string
  readonly due: string
}

/** Where a page is not what the code says; nothing when it is. */
export function driftOf(path: string, present: string, due: string): Drift | undefined {
  if (present === due) return undefined
  const [lines, dueLines] = [present.split('\n'), due.split('\n')]
  const at = dueLines.findIndex((line, i) => line !== lines[i])
  const index = at === -1 ? dueLines.length : at
  return { path, line: index + 1, present: lines[index] ?? '(nothing)', due: dueLines[index] ?? '(nothing)' }
}

/** Every page as it is and as it has to be. */
export function renderAll(): { path: string; present: string; due: string }[] {
  return Object.entries(pages).map(([path, render]) => {
    const present = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return { path, present, due: render(present) }
  })
}

function main(check: boolean): number {
  const drifts = renderAll().flatMap(({ path, present, due }) => {
    const drift = driftOf(path, present, due)
    if (drift && !check) writeFileSync(path, due)
    return drift ?? []
  })
  for (const { path, line, present, due } of drifts) {
    console.log(check ? `${path}:${line} has drifted\n  - ${present}\n  + ${due}` : `${path} written`)
  }
  if (check && drifts.length > 0) console.log('Run `npm run docs` and commit what it writes.')
  // Written without a measurement, a page says so; kept, it has to have all of them.
  const unmeasured = check ? benchmarkData.filter((path) => !existsSync(path)) : []
  for (const path of unmeasured) console.log(`${path} is missing: docs/benchmarks.md names the command that writes it`)
  return check && drifts.length + unmeasured.length > 0 ? 1 : 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.exitCode = main(process.argv.includes('--check'))
