/** Lists in pages, and servers that do not know when to stop (deviation 35). */
import { describe, expect, it } from 'vitest'
import { readPages } from '../../src/link/pages.js'

/** A server whose pages follow each other as given: from a cursor to items and the next cursor. */
function server(page: (cursor: string | undefined) => { items: unknown; next?: unknown }) {
  const asked: unknown[] = []
  const ask = async (params: Record<string, unknown> | undefined) => {
    asked.push(params)
    const cursor = params?.cursor
    const { items, next } = page(typeof cursor === 'string' ? cursor : undefined)
    return { things: items, nextCursor: next }
  }
  return { asked, ask }
}

describe('pages', () => {
  it('are read until there is no cursor; the first is asked for without one', async () => {
    const { asked, ask } = server((cursor = '0') => ({
      items: [cursor],
      next: cursor === '2' ? undefined : `${+cursor + 1}`,
    }))
    expect(await readPages(ask, 'things')).toEqual(['0', '1', '2'])
    expect(asked).toEqual([undefined, { cursor: '1' }, { cursor: '2' }])
  })

  it.each(['', null, 7, undefined])('end with the cursor %j', async (next) => {
    const { asked, ask } = server(() => ({ items: ['a'], next }))
    expect(await readPages(ask, 'things')).toEqual(['a'])
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['stays the same', () => 'a'],
    ['goes in a circle', (cursor: string | undefined) => ({ a: 'b', b: 'c', c: 'a' })[cursor ?? 'c'] ?? 'a'],
  ])('end when the cursor %s, with what has come', async (_how, next) => {
    const { asked, ask } = server((cursor) => ({ items: [cursor ?? 'first'], next: next(cursor) }))
    const items = await readPages(ask, 'things')
    expect(items[0]).toBe('first')
    expect(asked.length).toBeLessThanOrEqual(4)
  })

  it('end after a thousand, whatever the server thinks of', async () => {
    let n = 0
    const { asked, ask } = server(() => ({ items: [1], next: `${++n}` }))
    expect(await readPages(ask, 'things')).toHaveLength(1_000)
    expect(asked).toHaveLength(1_000)
  })

  it.each([undefined, null, 'text', { 0: 'a' }])('that hold %j in place of a list hold nothing', async (items) => {
    const { ask } = server((cursor) => ({ items: cursor ? ['b'] : items, next: cursor ? undefined : 'next' }))
    expect(await readPages(ask, 'things')).toEqual(['b'])
  })

  it('of which one fails fail as a whole: half a list is none', async () => {
    const { ask } = server((cursor) => {
      if (cursor) throw new Error('page lost')
      return { items: ['a'], next: 'next' }
    })
    await expect(readPages(ask, 'things')).rejects.toThrow('page lost')
  })
})
