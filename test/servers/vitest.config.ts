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
      testTimeout: 40_000,
    },
  }),
)
