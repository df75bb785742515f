import { suiteApart } from '../apart.js'

export default suiteApart(
  {
    include: ['*.test.ts'],
    exclude: ['node_modules/**'],
    globalSetup: ['setup.ts'],
    // The suite measures how long a client waits: what runs beside it would be measured too.
    fileParallelism: false,
    testTimeout: 90_000,
  },
  import.meta.dirname,
)
