import { expect, test } from 'vitest'
import { violations } from './import-rules.js'
import { readSources } from './sources.js'

const sound = {
  'machines/connection.ts': `import { setup } from 'xstate'; import './states/ready.js'`,
  'machines/states/ready.ts': `import type { Snapshot } from 'xstate/graph'`,
  'src/clock.ts': '',
  'src/errors.ts': `import '../machines/connection.js'; import './clock.js'`,
  'src/wire/wire.ts': `import 'rxjs'`,
  'src/wire/index.ts': `export * from './wire.js'; export * from './web/index.js'`,
  'src/wire/web/index.ts': `export * from './fetch.js'; import '../wire.js'`,
  'src/wire/web/fetch.ts': `import { request } from 'undici'`,
  'src/link/index.ts': `import '@modelcontextprotocol/sdk/client/index.js'; import '../wire/index.js'`,
  'src/auth/index.ts': `import '@modelcontextprotocol/sdk/client/auth.js'; import '../wire/wire.js'`,
  'src/connection/index.ts': `export * from './handle.js'; import '../../machines/connection.js'`,
  'src/connection/handle.ts': `import '../clock.js'; import '../link/index.js'; import '../wire/index.js'`,
  'src/testing/index.ts': `import '../connection/index.js'`,
  'src/index.ts': `export * from './connection/index.js'`,
  'src/cli/main.ts': `import '../index.js'`,
}

function rulesBroken(files: Record<string, string>): string[] {
  return [...new Set(violations(Object.entries(files).map(([path, text]) => ({ path, text }))).map(({ rule }) => rule))]
}

test('a sound tree breaks no rule', () => {
  expect(rulesBroken(sound)).toEqual([])
})

test.each([
  ['machines-are-pure', 'machines/a.ts', `import type { Clock } from '../src/clock.js'`],
  ['machines-are-pure', 'machines/a.ts', `import { setTimeout } from 'node:timers'`],
  ['machines-are-pure', 'machines/a.ts', `import { of } from 'rxjs'`],
  ['machines-are-pure', 'machines/a.ts', `export type Clock = import('../src/clock.js').Clock`],
  ['stays-in-src', 'src/wire/a.ts', `import '../../test/rig/index.js'`],
  ['arrows-down', 'src/wire/a.ts', `import type { Link } from '../link/index.js'`],
  ['arrows-down', 'src/wire/a.ts', `export { Link } from '../link/index.js'`],
  ['arrows-down', 'src/link/a.ts', `import '../auth/index.js'`],
  ['arrows-down', 'src/link/a.ts', `await import('../connection/index.js')`],
  ['arrows-down', 'src/connection/a.ts', `import '../index.js'`],
  ['arrows-down', 'src/connection/a.ts', `import '../testing/index.js'`],
  ['arrows-down', 'src/testing/a.ts', `import '../index.js'`],
  ['arrows-down', 'src/errors.ts', `import './wire/index.js'`],
  ['faces-only', 'src/link/a.ts', `import '../wire/http/index.js'`],
  ['faces-only', 'src/index.ts', `import './connection/handle.js'`],
  ['faces-only', 'src/wire/a.ts', `import './http/fetch.js'`],
  ['machine-states-are-inner', 'src/link/a.ts', `import '../../machines/states/ready.js'`],
  ['sdk-in-link-and-auth', 'src/connection/a.ts', `import type { Tool } from '@modelcontextprotocol/sdk/types.js'`],
  ['undici-in-one-file', 'src/link/a.ts', `import { Pool } from 'undici'`],
  ['undici-in-one-file', 'src/wire/web/pool.ts', `import { Pool } from 'undici'`],
  ['no-cycles', 'src/wire/wire.ts', `import type { Wire } from './index.js'`],
  ['no-cycles', 'src/clock.ts', `import './errors.js'`],
  ['resolves', 'src/wire/a.ts', `import './nowhere.js'`],
  ['known-part', 'src/utils/index.ts', ''],
  ['known-part', 'src/helpers.ts', ''],
])('%s is broken by %s: %s', (rule, path, text) => {
  expect(rulesBroken({ ...sound, [path]: text })).toContain(rule)
})

test('an import whose target is computed is refused', () => {
  expect(() => rulesBroken({ 'src/wire/a.ts': 'await import(name)' })).toThrow('src/wire/a.ts:1')
})

test('the tree breaks no rule', () => {
  const sources = readSources(process.cwd(), ['src', 'machines'])
  expect(sources).not.toHaveLength(0)
  expect(violations(sources)).toEqual([])
})
