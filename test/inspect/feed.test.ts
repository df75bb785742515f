import { once } from 'node:events'
import { createWebSocketInspector } from '@statelyai/inspect'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { assign, createActor, createMachine, fromPromise } from 'xstate'
import { startInspector } from '../../src/inspect/index.js'
import { PageSocket } from './page-socket.js'

/** A machine as any application has one. */
const door = createMachine({
  id: 'door',
  initial: 'shut',
  context: { opened: 0, apiKey: 'canary-key-88', note: 'see ?token=canary-token-88' },
  states: {
    shut: { on: { open: { target: 'ajar', actions: assign({ opened: ({ context }) => context.opened + 1 }) } } },
    ajar: { on: { shut: 'shut', burn: 'gone' }, invoke: { src: fromPromise(async () => 'done'), id: 'creak' } },
    gone: { type: 'final' },
  },
})

async function started() {
  const inspector = await startInspector()
  onTestFinished(() => inspector.close())
  const page = new PageSocket(inspector)
  onTestFinished(() => page[Symbol.asyncDispose]())
  await page.hears('hello')
  return { inspector, page }
}

test('the stock WebSocket inspector of another program is shown: chart, state, last transition and context', async () => {
  const { inspector, page } = await started()
  const stock = createWebSocketInspector({ url: inspector.feedUrl })
  const actor = createActor(door, { inspect: stock.inspect }).start()
  const { actors } = await page.hears('actors', (it) => it.actors.length > 0)
  expect(actors).toMatchObject([{ name: 'door', kind: 'actor', status: 'shut', can: [] }])
  expect((await page.hears('chart')).chart.nodes.map(({ id }) => id).sort()).toEqual(['ajar', 'gone', 'shut'])
  const id = actors[0]?.id ?? ''
  page.say({ type: 'select', id })
  actor.send({ type: 'open' })
  const { detail } = await page.hears('detail', (it) => it.detail.active.includes('ajar'))
  expect(detail.transitions).toMatchObject([{ from: 'shut', to: 'ajar', label: 'open' }])
  expect(detail.context).toContain('"opened": 1')
  page.say({ type: 'command', id, command: 'disconnect' })
  expect(await page.hears('refused')).toEqual({ type: 'refused', reason: 'door belongs to another program.' })
  stock.stop()
  await page.hears('actors', (it) => it.actors[0]?.status === 'gone')
  expect(JSON.stringify(page.told)).not.toContain('canary')
})

test('frames that are none harm nobody', async () => {
  const { inspector, page } = await started()
  const deep = `{"type":"@xstate.snapshot","sessionId":"a","snapshot":{"value":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}}`
  const definition = JSON.stringify({ id: 'm', initial: 'a', states: { a: {} } })
  const actor = JSON.stringify({ type: '@xstate.actor', sessionId: 'a', name: 'strange', definition })
  for (const frame of [
    '',
    'no json',
    'null',
    '[]',
    '{"type":"@xstate.snapshot","sessionId":"b"}',
    deep,
    'x'.repeat(2_000_000),
  ]) {
    const socket = new WebSocket(inspector.feedUrl)
    socket.on('error', () => undefined)
    await once(socket, 'open')
    socket.send(actor)
    socket.send(frame)
    socket.close()
    await once(socket, 'close')
  }
  // It serves on.
  await page.hears('actors', (it) => it.actors.some(({ name }) => name === 'strange'))
  expect((await fetch(inspector.url)).status).toBe(200)
})

test('a program cannot show without end', async () => {
  const { inspector, page } = await started()
  const socket = new WebSocket(inspector.feedUrl)
  await once(socket, 'open')
  const definition = JSON.stringify({ id: 'm', initial: 'a', states: { a: {} } })
  for (let i = 0; i < 300; i++)
    socket.send(JSON.stringify({ type: '@xstate.actor', sessionId: `x:${i}`, name: `m${i}`, definition }))
  socket.close()
  await once(socket, 'close')
  await expect
    .poll(() => page.told.flatMap((it) => (it.type === 'actors' ? it.actors : [])).at(-1)?.status)
    .toBe('gone')
  const shown = page.told.flatMap((it) => (it.type === 'actors' ? it.actors.map(({ id }) => id) : []))
  expect(new Set(shown).size).toBe(50)
})
