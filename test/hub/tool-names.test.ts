import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toolName } from '../../src/hub/index.js'
import { toolPrefix } from '../../src/hub/tool-names.js'

test.each([
  ['files', 'read', 'files__read'],
  ['a', 'b__c', 'a__b__c'],
  ['a', '_b', 'a___b'],
  ['my-server', 'get_sum', 'my-server__get_sum'],
])('%s and %s are %s', (server, tool, name) => {
  expect(toolName(server, tool)).toBe(name)
})

test.each([
  ['my server', 'read'],
  ['a__b', 'c'],
  ['a_', 'b'],
  ['日本語', '読む'],
  ['1password', 'get'],
  ['files', 'résumé/list'],
  ['files', 'x'.repeat(80)],
  ['s'.repeat(200), 't'.repeat(200)],
  ['files', 'read_0123456789ab'],
])('%s and %s get a hash of both', (server, tool) => {
  expect(toolName(server, tool)).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,50}_[0-9a-f]{12}$/)
  expect(toolName(server, tool)).not.toBe(`${server}__${tool}`)
})

// What every model API takes, and no two pairs alike: whatever the names are made of.
const hostile = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('a', '_', '-', '0', ' ', 'é') }),
  fc.string({ unit: fc.constantFrom('a', '_'), maxLength: 80 }),
)

test('every name is allowed everywhere, and stays the same', () => {
  fc.assert(
    fc.property(hostile, hostile, (server, tool) => {
      const name = toolName(server, tool)
      expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
      expect(toolName(server, tool)).toBe(name)
    }),
    { numRuns: 3_000 },
  )
})

test('no two pairs have one name', () => {
  const names = new Map<string, string>()
  const small = fc.string({ unit: fc.constantFrom('a', '_', 'b', ' '), maxLength: 6 })
  fc.assert(
    fc.property(small, small, (server, tool) => {
      const pair = JSON.stringify([server, tool])
      const name = toolName(server, tool)
      const other = names.get(name) ?? pair
      names.set(name, pair)
      return other === pair
    }),
    { numRuns: 5_000 },
  )
  expect(names.size).toBeGreaterThan(100)
})

test('every name begins with what its server is known by', () => {
  fc.assert(fc.property(hostile, hostile, (server, tool) => toolName(server, tool).startsWith(toolPrefix(server))))
  expect(toolPrefix('files')).toBe('files')
})
