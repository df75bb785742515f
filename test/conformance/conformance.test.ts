/** The official client suite, each scenario alone, and the same with a client that does nothing. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { page, type Row } from './page.js'
import { idleClient, listScenarios, ourClient, runScenario } from './runner.js'
import { scenarios } from './scenarios.js'

const file = join(import.meta.dirname, '../../docs/conformance.md')
const rows: Row[] = []

test('every client scenario of the suite is run here', async () => {
  expect(scenarios.map(({ name }) => name).sort()).toEqual((await listScenarios()).sort())
})

test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
  const ours = await runScenario(scenario.name, ourClient)
  const idle = await runScenario(scenario.name, idleClient)
  rows.push({ ...scenario, ours, idle })
  const wrong = ours.checks.filter(({ status }) => status !== 'SUCCESS')
  if (!ours.passed) console.log(ours.said)
  expect({ passed: ours.passed, wrong }).toEqual({ passed: true, wrong: [] })
  // The check must be able to fail.
  expect(idle.passed).toBe(scenario.vacuous === true)
  // Not even an empty scenario may pass without a single check of it.
  expect(ours.checks.length).toBeGreaterThan(0)
})

test('docs/conformance.md says what this run saw', () => {
  expect(rows).toHaveLength(scenarios.length)
  const due = page(rows)
  console.log(due.slice(due.indexOf('| scenario')))
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, due)
  expect(readFileSync(file, 'utf8')).toBe(due)
})
