import { suiteApart } from '../apart.js'

/** Tests that drive a browser; apart from the others, which run where there is none. */
export default suiteApart({ include: ['test/browser/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 120_000 })
