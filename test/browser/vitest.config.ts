import { defineConfig, mergeConfig } from 'vitest/config'
import root from '../../vitest.config.js'

/** Tests that drive a browser; apart from the others, which run where there is none. */
export default mergeConfig(
  { ...root, test: { ...root.test, include: [], exclude: [] } },
  defineConfig({ test: { include: ['test/browser/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 120_000 } }),
)
