import { defineConfig } from 'vitest/config'

const elsewhere = ['bench', 'browser', 'conformance', 'lab', 'programs', 'servers']
  .map((folder) => `test/${folder}/**`)
  .concat('**/node_modules/**')

/**
 * Tests that start children, count what a process holds or replace its timers: each file has a process of its own, and
 * what it leaves behind dies with it. The others share two processes, since to load the library takes longer than most
 * of them do.
 */
const alone = [
  ...[
    'connection',
    'hub',
    'mutants',
    'reliability',
    'simulation',
    'soak',
    'wire/stdio',
    'reports/stdio',
    'reports/calls',
  ],
  ...['auth/real', 'auth/stores'],
].map((folder) => `test/${folder}/**/*.test.ts`)

export default defineConfig({
  // The examples import the package by its name, as their readers will.
  resolve: {
    alias: [
      { find: /^mcp-lifeline$/, replacement: `${import.meta.dirname}/src/index.ts` },
      { find: /^mcp-lifeline\/machine$/, replacement: `${import.meta.dirname}/machines/index.ts` },
      { find: /^mcp-lifeline\/(\w+)$/, replacement: `${import.meta.dirname}/src/$1/index.ts` },
    ],
  },
  test: {
    projects: [
      { extends: true, test: { name: 'alone', include: alone, exclude: elsewhere } },
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: [...elsewhere, ...alone], isolate: false },
      },
    ],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 10_000,
    // Nothing passes by accident: no empty run, no test without an assertion, no focused test on CI, no second try.
    passWithNoTests: false,
    expect: { requireAssertions: true },
    allowOnly: !process.env.CI,
    retry: 0,
    dangerouslyIgnoreUnhandledErrors: false,
    restoreMocks: true,
  },
})
