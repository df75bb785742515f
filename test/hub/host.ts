/** A host for the tests: a hub of servers that end by SIGKILL only. */
import { createHub } from '../../src/hub/index.js'
import { childServer } from '../../src/testing/child/index.js'

const [, , ...logs] = process.argv
const stubborn = { onEof: [], onSigterm: [] }
const hub = createHub({
  servers: Object.fromEntries(logs.map((log) => [log, { target: childServer({ log, ...stubborn }) }])),
})
const statuses = await hub.start()
process.stdout.write(statuses.every(({ status }) => status === 'ready') ? 'ready\n' : 'not ready\n')
