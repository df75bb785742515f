/** What a session is to remember is told to it in the order in which the application asked (promise P11). */
import { describe, expect, it } from 'vitest'
import { Turns } from '../../src/link/turns.js'
import { after, result } from '../../src/testing/fault-server/index.js'
import { connected } from '../reports/rig.js'

describe('turns', () => {
  it('begin when the one before has ended, well or not, and do not wait for other subjects', async () => {
    const turns = new Turns()
    const seen: string[] = []
    const begun = (name: string) => {
      let end: (error?: Error) => void = () => {}
      const work = () => {
        seen.push(name)
        return new Promise<void>((resolve, reject) => {
          end = (error) => (error ? reject(error) : resolve())
        })
      }
      return { work, end: (error?: Error) => end(error) }
    }
    const [a, b, c, other] = [begun('a'), begun('b'), begun('c'), begun('other')]
    const first = turns.take('x', a.work)
    const second = turns.take('x', b.work)
    const third = turns.take('x', c.work)
    const beside = turns.take('y', other.work)
    expect(seen).toEqual(['a', 'other'])
    a.end(new Error('no'))
    await expect(first).rejects.toThrow('no')
    expect(seen).toEqual(['a', 'other', 'b'])
    b.end()
    await second
    c.end()
    other.end()
    await Promise.all([third, beside])
    expect(seen).toEqual(['a', 'other', 'b', 'c'])
  })
})

describe('a connection', () => {
  it('tells a level only when the one before is settled, and other things beside it', async () => {
    await using it = await connected({ server: { capabilities: { resources: { subscribe: true }, logging: {} } } })
    const levels = () => it.server.requests('logging/setLevel').map(({ body }) => body)
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    it.server.answer('logging/setLevel', result()).answer('resources/subscribe', result())
    it.server.once(
      'logging/setLevel',
      after(() => gate, result()),
    )
    const both = Promise.all([it.connection.setLogLevel('error'), it.connection.setLogLevel('debug')])
    await it.connection.subscribe('x://1')
    expect(levels()).toHaveLength(1)
    open()
    await both
    expect(levels()).toMatchObject([{ params: { level: 'error' } }, { params: { level: 'debug' } }])
  })
})
