import { defineConfig, mergeConfig } from 'vitest/config'
import root from '../../vitest.config.js'

export default mergeConfig(
  { ...root, test: { ...root.test, include: [], exclude: [] } },
  defineConfig({
    root: import.meta.dirname,
    test: {
      include: ['*.test.ts'],
      exclude: ['node_modules/**'],
      globalSetup: ['setup.ts'],
      // The suite measures how long a client waits: what runs beside it would be measured too.
      fileParallelism: false,
      testTimeout: 90_000,
    },
  }),
)
