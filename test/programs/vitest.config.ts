import { suiteApart } from '../apart.js'

export default suiteApart({ include: ['test/programs/*.test.ts'], globalSetup: ['test/programs/setup.ts'] })
