/** The event store of the official SDK: a reply that is cut in mid-call is gone on with, and the call runs once. */
import { describe, expect, it } from 'vitest'
import { HttpServer, incidentsOf, openSockets, patient, until } from './rig.js'
import { Tap } from './tap.js'

describe('the stream of a reply, with an event store', () => {
  it.each([
    ['broken', 'destroy'],
    ['ended by the server, to be asked for later', 'release'],
  ])('is %s: the answer is fetched by Last-Event-ID', async (_, text) => {
    await using server = await HttpServer.start({ program: 'sdk-v1', mode: 'events' })
    using tap = new Tap(server.url)
    await using connection = patient({ url: server.url })
    const incidents = incidentsOf(connection)
    await connection.connect()
    const answer = await connection.callTool({ name: 'echo', arguments: { text } })
    expect(JSON.stringify(answer)).toContain(`echo: ${text}`)
    expect(server.effects.read()).toEqual([text])
    expect(tap.of('tools/call')).toHaveLength(1)
    const resumed = tap.of('GET').filter(({ lastEventId }) => lastEventId !== undefined)
    expect(resumed).toMatchObject([{ status: 200, session: tap.session }])
    expect(resumed[0]?.body).toContain(`echo: ${text}`)
    await connection.close()
    expect(incidents).toEqual([])
    expect(tap.handshakes).toBe(1)
    await until(() => openSockets() === 0, 'all sockets to be closed')
  })

  it('is not gone on with by the next process, which knows none of it: the outcome is unknown at once', async () => {
    await using server = await HttpServer.start({ program: 'sdk-v1', mode: 'events' })
    using tap = new Tap(server.url)
    await using connection = patient({ url: server.url })
    await connection.connect()
    const hanging = connection.callTool({ name: 'echo', arguments: { text: 'hang' } }).catch((error: unknown) => error)
    await until(() => server.effects.read().length === 1, 'the call to run')
    await server.kill()
    await server.comeBack()
    expect(await hanging).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await connection.callTool({ name: 'echo', arguments: { text: 'after' } })
    expect(server.effects.read()).toEqual(['hang', 'after'])
    expect(tap.handshakes).toBe(2)
  })
})
