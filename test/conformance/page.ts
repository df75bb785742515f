/** docs/conformance.md: what the suite said of our client. Nothing in it depends on time. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Verdict } from './runner.js'
import type { Scenario } from './scenarios.js'

const version: string = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')).dependencies[
  '@modelcontextprotocol/conformance'
]

export interface Row extends Scenario {
  /** Of our client, and of one that does nothing. */
  readonly ours: Verdict
  readonly idle: Verdict
}

export function page(rows: readonly Row[]): string {
  const passed = rows.filter(({ ours }) => ours.passed).length
  return `# Conformance

Written by \`npm run test:conformance\`, which fails when it is not as the last run says (\`UPDATE_GOLDEN=1\` writes it).

The official suite, \`@modelcontextprotocol/conformance\` ${version}, against \`test/conformance/client.ts\`: one connection that lists the tools and calls each. Every scenario runs alone. Beside it stands what the suite says of a client that does nothing: where that passes, the scenario proves little.

${passed} of ${rows.length} scenarios pass.

| scenario | what it asks of a client | ours | one that does nothing |
| --- | --- | --- | --- |
${rows.map(line).join('\n')}
`
}

/** Without the number of checks: some are counted per request, and a slow machine may need one more. */
function line({ name, asks, ours, idle }: Row): string {
  return `| ${[name, asks, ours.passed ? 'passes' : '**fails**', idle.passed ? '**passes too**' : 'fails'].join(' | ')} |`
}
