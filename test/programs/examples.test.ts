import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parts, said } from '../docs/examples.js'
import { runExample, startEverything } from './run-example.js'

/** The lines that are still to come once the given ones were said in order. */
function unsaid(expected: readonly (string | RegExp)[], lines: readonly string[]): (string | RegExp)[] {
  const left = [...expected]
  for (const line of lines) {
    const [next] = left
    if (next !== undefined && (typeof next === 'string' ? line === next : next.test(line))) left.shift()
  }
  return left
}

test('every example is run here', () => {
  const files = readdirSync('docs/examples', { recursive: true, encoding: 'utf8' })
  const programs = files.filter((name) => name.endsWith('.ts') && !name.startsWith('demo') && !parts.includes(name))
  expect(programs.sort()).toEqual(Object.keys(said).sort())
})

test('a line that is missing, or comes too early, is noticed', () => {
  expect(unsaid(['a', /^b/], ['a', 'x', 'bc'])).toEqual([])
  expect(unsaid(['a', 'b'], ['b', 'a'])).toEqual(['b'])
})

test.each(Object.entries(said))(
  '%s does what it says, and ends by itself',
  { timeout: 40_000 },
  async (file, expected) => {
    const server = file === 'target-http.ts' ? await startEverything() : undefined
    try {
      const { lines, ...ending } = await runExample(`docs/examples/${file}`, server && { MCP_URL: server.url })
      expect(ending).toEqual({ code: 0, signal: null, stderr: '' })
      expect({ lines, unsaid: unsaid(expected, lines) }).toEqual({ lines, unsaid: [] })
    } finally {
      await server?.stop()
    }
  },
)
