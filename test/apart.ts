/** Suites apart from `npm test`: they need what not every machine has, or take their time. */
import { mergeConfig, type ViteUserConfig } from 'vitest/config'
import root from '../vitest.config.js'

/** The settings of the main suite, with the suite's own; where its tests are is its own alone. */
export function suiteApart(test: NonNullable<ViteUserConfig['test']>, folder?: string): ViteUserConfig {
  const { projects: _, ...settings } = root.test ?? {}
  const base = { ...root, test: { ...settings, include: [], exclude: [] } }
  return mergeConfig(base, { ...(folder !== undefined && { root: folder }), test })
}
