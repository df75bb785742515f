import { defineConfig, mergeConfig } from 'vitest/config'
import root from '../../vitest.config.js'

/** Needs nginx, haproxy, iptables and the right to make network namespaces; one situation at a time. */
export default mergeConfig(
  { ...root, test: { ...root.test, include: [], exclude: [] } },
  defineConfig({
    root: import.meta.dirname,
    test: { include: ['*.test.ts'], fileParallelism: false, testTimeout: 120_000, hookTimeout: 60_000 },
  }),
)
