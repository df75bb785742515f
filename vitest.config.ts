import { defineConfig } from 'vitest/config'

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
    include: ['test/**/*.test.ts'],
    exclude: ['bench', 'browser', 'conformance', 'lab', 'programs', 'servers']
      .map((folder) => `test/${folder}/**`)
      .concat('**/node_modules/**'),
    // Tests start children and open sockets: each file has a process of its own, and what it leaves behind dies with it.
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
