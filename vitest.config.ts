import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/servers/**', 'test/lab/**', 'test/browser/**', '**/node_modules/**'],
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
