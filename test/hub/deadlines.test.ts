/** What one call through the hub may cost: its own time, however much has to happen before it is sent. */
import { expect, it } from 'vitest'
import { CallTimeoutError, ConnectionClosedError } from '../../src/errors.js'
import { type Hub, parseConfig } from '../../src/hub/index.js'
import { childServer } from '../../src/testing/child/index.js'
import { failure } from '../connection/rig.js'
import { hubOf, written } from './rig.js'

/** A hub with one server that waits for an answer which nobody gives. */
async function asking(): Promise<Hub> {
  const text = JSON.stringify({ servers: { asks: { ...written(childServer()), env: { KEY: `\${input:key}` } } } })
  const hub = hubOf({ servers: {} })
  await hub.apply(parseConfig(text, 'mcp.json', { input: () => new Promise<string>(() => {}) }))
  return hub
}

const ways = [
  ['callTool, by the name in the hub', (hub: Hub, options) => hub.callTool({ name: 'asks__env' }, options)],
  ['callTool, by the server', (hub: Hub, options) => hub.callTool({ server: 'asks', name: 'env' }, options)],
  ['readResource', (hub: Hub, options) => hub.readResource({ server: 'asks', uri: 'a://b' }, options)],
  ['getPrompt', (hub: Hub, options) => hub.getPrompt({ server: 'asks', name: 'p' }, options)],
] as const satisfies readonly (readonly [
  string,
  (hub: Hub, options: { timeoutMs?: number; signal?: AbortSignal }) => Promise<unknown>,
])[]

it.each(ways)('%s: a person who does not answer costs a call no more than its time (P1)', async (_, call) => {
  const hub = await asking()
  expect(await failure(call(hub, { timeoutMs: 30 }))).toBeInstanceOf(CallTimeoutError)
})

it.each(ways)('%s: a signal ends that waiting too', async (_, call) => {
  const hub = await asking()
  const abort = new AbortController()
  const called = failure(call(hub, { signal: abort.signal }))
  abort.abort(new Error('enough'))
  expect(await called).toMatchObject({ message: 'enough' })
})

it('the start of a server and the reading of its lists are a part of that time', async () => {
  const hub = hubOf({ servers: { a: { target: childServer({ onStart: [{ wait: 1_000 }] }), lazy: true } } })
  const began = performance.now()
  const error = await failure(hub.callTool({ name: 'a__slow' }, { timeoutMs: 1_500 }))
  expect(performance.now() - began).toBeLessThan(2_300)
  expect(error).toBeInstanceOf(CallTimeoutError)
  expect(String(error)).toContain('within 1500 ms')
})

it('07.06: progress gives a call that paid for the start of its server its whole time again', async () => {
  const target = childServer({
    onStart: [{ wait: 900 }],
    on: {
      'tools/call:run': [
        { notify: 'notifications/progress', params: { progressToken: 5, progress: 1 } },
        { wait: 1_000 },
        { result: { content: [{ type: 'text', text: 'done' }] } },
      ],
      'tools/call:still': [{ wait: 5_000 }],
    },
  })
  const hub = hubOf({ servers: { a: { target, lazy: true } } })
  const options = { timeoutMs: 1_500, maxTotalMs: 10_000 }
  const moving = hub.callTool({ server: 'a', name: 'run' }, options)
  const began = performance.now()
  const still = failure(hub.callTool({ server: 'a', name: 'still' }, options))
  expect(await moving).toMatchObject({ content: [{ text: 'done' }] })
  expect(String(await still)).toContain('within 1500 ms')
  expect(performance.now() - began).toBeLessThan(2_500)
})

it('close() ends the waiting for a person, of calls and of start()', async () => {
  const hub = await asking()
  const starting = hub.start()
  const called = [
    failure(hub.callTool({ name: 'asks__env' })),
    failure(hub.callTool({ server: 'asks', name: 'env' })),
    failure(hub.connect('asks')),
  ]
  await hub.close()
  for (const error of await Promise.all(called)) expect(error).toBeInstanceOf(ConnectionClosedError)
  expect((await starting).map(({ status }) => status)).toEqual(['closed'])
})
