/** What a server asks of us: answered on every link, by the handlers given at creation; never in another session. */
import { describe, expect, it } from 'vitest'
import type { LoggedRequest } from '../../../src/testing/fault-server/index.js'
import { connected, failure, type Scene } from '../rig.js'
import { quickChild } from '../stdio/rig.js'

const sampling = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 },
}
const elicitation = {
  method: 'elicitation/create',
  params: { message: 'name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
}
const roots = { method: 'roots/list' }

/** Our answers to the server's requests, by id. */
const answers = ({ server }: Scene) =>
  new Map(
    server
      .requests('POST')
      .filter(({ method, id }) => method === undefined && id !== undefined)
      .map((request): [unknown, LoggedRequest] => [request.id, request]),
  )

const handlers = {
  'sampling/createMessage': () => ({ role: 'assistant', model: 'test', content: { type: 'text', text: 'yes' } }),
  'elicitation/create': () => ({ action: 'accept', content: { name: 'Ada' } }),
  'roots/list': () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }),
}

describe('requests of a server', () => {
  it('are answered by the handlers given, each kind, and its capability is told', async () => {
    await using it = await connected({ client: { handlers } })
    const { body } = it.server.requests('initialize')[0] as { body: { params: { capabilities: object } } }
    expect(Object.keys(body.params.capabilities).sort()).toEqual(['elicitation', 'roots', 'sampling'])
    for (const [n, request] of [sampling, elicitation, roots].entries()) it.server.streams.push({ ...request, id: n })
    await it.pass(100)
    const got = [0, 1, 2].map((id) => answers(it).get(id)?.body)
    expect(got).toMatchObject([
      { result: handlers['sampling/createMessage']() },
      { result: handlers['elicitation/create']() },
      { result: handlers['roots/list']() },
    ])
  })

  it('are answered on every link, the second as well as the first (P11)', async () => {
    await using it = await connected({ client: { handlers } })
    for (const id of ['first', 'second', 'third']) {
      it.server.streams.push({ ...roots, id })
      await it.passUntil(() => answers(it).has(id), 5_000)
      await it.connection.reconnect()
      await it.pass(100)
    }
    expect(answers(it).size).toBe(3)
    const sessions = [...answers(it).values()].map(({ session }) => session)
    expect(sessions).toEqual(['session-1', 'session-2', 'session-3'])
  })

  it('are answered with -32601 where there is no handler', async () => {
    await using it = await connected()
    it.server.streams.push({ ...sampling, id: 1 })
    await it.passUntil(() => answers(it).has(1), 5_000)
    expect(answers(it).get(1)?.body).toMatchObject({ error: { code: -32601 } })
  })

  it('whose handler throws are answered with an error, and nothing else breaks', async () => {
    const broken = () => {
      throw new Error('no screen')
    }
    await using it = await connected({ client: { handlers: { 'elicitation/create': broken } } })
    it.server.streams.push({ ...elicitation, id: 1 })
    await it.passUntil(() => answers(it).has(1), 5_000)
    expect(answers(it).get(1)?.body).toMatchObject({ error: { message: 'no screen' } })
    await it.call()
    expect(it.losses).toEqual([])
  })
})

/** A person who takes long to answer. */
function slowPerson() {
  const asked: AbortSignal[] = []
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  const handler = async (_params: unknown, { signal }: { signal: AbortSignal }) => {
    asked.push(signal)
    await held
    return { action: 'accept', content: { name: 'Ada' } }
  }
  return { asked, handler, answer: () => answer() }
}

describe('a request that is pending when the link is lost', () => {
  it.each([
    [
      'the session is forgotten',
      async (it: Scene) => {
        it.server.forgetSessions()
        await it.connection.request('tools/list')
      },
    ],
    [
      'the server is restarted',
      async (it: Scene) => {
        await it.server.restart()
        const call = it.connection.request('tools/list')
        await it.pass(3_000)
        await call
      },
    ],
    ['the application reconnects', (it: Scene) => it.connection.reconnect()],
  ])('because %s is aborted, and never answered in the new session', async (_why, lose) => {
    const person = slowPerson()
    await using it = await connected({ client: { handlers: { 'elicitation/create': person.handler } } })
    it.server.streams.push({ ...elicitation, id: 'form' })
    await it.passUntil(() => person.asked.length === 1, 5_000)
    expect(person.asked[0]?.aborted).toBe(false)
    await lose(it)
    await it.pass(1_000)
    expect(it.connection.status).toBe('ready')
    expect(person.asked[0]?.aborted).toBe(true)
    person.answer()
    await it.pass(1_000)
    expect(answers(it).has('form')).toBe(false)
  })

  it('because the process died is aborted too, and the new process is not told of it', async () => {
    const person = slowPerson()
    const request = JSON.stringify({ jsonrpc: '2.0', id: 'form', ...elicitation })
    await using it = quickChild(
      { starts: [{ on: { 'tools/call:run': [{ print: `${request}\n` }, { hang: true }] } }] },
      { client: { handlers: { 'elicitation/create': person.handler } } },
    )
    await it.connection.connect()
    const call = failure(it.connection.callTool({ name: 'run' }))
    await expect.poll(() => person.asked.length).toBe(1)
    process.kill(it.pids[0] ?? 0, 'SIGKILL')
    await call
    await it.connection.ready()
    expect(person.asked[0]?.aborted).toBe(true)
    person.answer()
    await it.connection.callTool({ name: 'echo' })
    expect(it.log.filter(({ message }) => message?.id === 'form')).toEqual([])
  })

  it('is aborted by close()', async () => {
    const person = slowPerson()
    await using it = await connected({ client: { handlers: { 'elicitation/create': person.handler } } })
    it.server.streams.push({ ...elicitation, id: 'form' })
    await it.passUntil(() => person.asked.length === 1, 5_000)
    await it.connection.close()
    expect(person.asked[0]?.aborted).toBe(true)
    person.answer()
  })

  it('is aborted when the server takes it back', async () => {
    const person = slowPerson()
    await using it = await connected({ client: { handlers: { 'elicitation/create': person.handler } } })
    it.server.streams.push({ ...elicitation, id: 'form' })
    await it.passUntil(() => person.asked.length === 1, 5_000)
    it.server.streams.push({ method: 'notifications/cancelled', params: { requestId: 'form' } })
    await it.passUntil(() => person.asked[0]?.aborted === true, 5_000)
    person.answer()
    await it.pass(500)
    expect(answers(it).has('form')).toBe(false)
    expect(it.losses).toEqual([])
  })
})
