import { suiteApart } from '../apart.js'

export default suiteApart(
  { include: ['*.test.ts'], exclude: ['node_modules/**'], globalSetup: ['setup.ts'], testTimeout: 40_000 },
  import.meta.dirname,
)
