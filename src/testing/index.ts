/** What this library tests itself with, for the tests of those who use it. */
export * from './child/index.js'
export * from './explorer/index.js'
export * from './fault-server/index.js'
export * from './simulator/index.js'
