/** Lists as last read: what is left out, what is kept, what differs. */
import { describe, expect, it } from 'vitest'
import { classify } from '../../machines/classify.js'
import {
  changedLists,
  emptyCatalog,
  type ListKind,
  type ListReading,
  listsOf,
  withoutLists,
  withReadings,
} from '../../src/link/catalog.js'
import { catalogHash, diffCatalogs } from '../../src/link/catalog-diff.js'

const fault = classify({ kind: 'timeout', wire: 'http', phase: 'ready', method: 'tools/list', summary: 'late' })
const read = (lists: Partial<Record<ListKind, unknown[]>>, before = emptyCatalog, now = 1) =>
  withReadings(before, new Map(Object.entries(lists).map(([kind, items]) => [kind as ListKind, { items }])), now)
const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more })

describe('items', () => {
  it.each<[ListKind, unknown[], unknown[]]>([
    [
      'tools',
      [tool('a'), { name: 'b', inputSchema: {} }],
      [{ name: 'c' }, { inputSchema: {} }, { name: 'd', inputSchema: null }, 7],
    ],
    ['resources', [{ uri: 'x://1', name: 'one' }, { uri: 'x://2' }], [{ name: 'no uri' }, null]],
    ['resourceTemplates', [{ uriTemplate: 'x://{id}', name: 'by id' }], [{ uri: 'x://1' }]],
    ['prompts', [{ name: 'greet' }], [{ title: 'no name' }, 'greet']],
  ])('of %s that lack what a host needs are left out and told, one by one', (kind, good, bad) => {
    const catalog = read({ [kind]: [...bad, ...good] })
    expect(catalog[kind]).toEqual(good)
    expect(catalog.rejected).toHaveLength(bad.length)
    expect(catalog.rejected.every(({ list }) => list === kind)).toBe(true)
  })

  it('that come twice are there once: the first counts', () => {
    const catalog = read({ tools: [tool('a'), tool('b'), tool('a', { title: 'again' })] })
    expect(catalog.tools).toEqual([tool('a'), tool('b')])
    expect(catalog.rejected).toEqual([])
  })

  it('that were rejected are forgotten when their list is good again', () => {
    const first = read({ tools: [{ name: 'c' }], prompts: [7] })
    expect(read({ tools: [tool('c')] }, first).rejected).toMatchObject([{ list: 'prompts' }])
  })
})

describe('a list that could not be read', () => {
  const failed = new Map<ListKind, ListReading>([['tools', { fault }]])

  it('keeps its last good content and tells why; the time is that of the last reading', () => {
    const good = read({ tools: [tool('a')] }, emptyCatalog, 5)
    const after = withReadings(good, failed, 9)
    expect(after.tools).toBe(good.tools)
    expect(after.errors).toEqual({ tools: fault })
    expect(after.fetchedAt).toBe(5)
    const again = read({ tools: [] }, after, 12)
    expect(again).toMatchObject({ tools: [], errors: {}, fetchedAt: 12 })
  })

  it('does not count as read', () => {
    expect(withReadings(emptyCatalog, failed, 9).fetchedAt).toBe(0)
  })

  it('is empty and without error when the server does not have it any more', () => {
    const before = withReadings(read({ tools: [tool('a')], prompts: [{ name: 'p' }] }), failed, 2)
    const after = withoutLists(before, ['tools'])
    expect(after).toMatchObject({ tools: [], errors: {}, prompts: [{ name: 'p' }] })
    expect(withoutLists(after, ['tools'])).toBe(after)
  })
})

describe('what differs', () => {
  it('is told by list: added, removed, changed; lists in which nothing differs are left out', () => {
    const before = read({ tools: [tool('a'), tool('b'), tool('c')], prompts: [{ name: 'p' }] })
    const after = read({ tools: [tool('b', { title: 'B' }), tool('c'), tool('d')], prompts: [{ name: 'p' }] }, before)
    expect(diffCatalogs(before, after)).toEqual([{ list: 'tools', added: ['d'], removed: ['a'], changed: ['b'] }])
    expect(diffCatalogs(after, after)).toEqual([])
  })

  it('goes by uri and by template', () => {
    const before = read({ resources: [{ uri: 'x://1', name: 'same' }], resourceTemplates: [] })
    const after = read({
      resources: [{ uri: 'x://2', name: 'same' }],
      resourceTemplates: [{ uriTemplate: 'x://{a}', name: 't' }],
    })
    expect(diffCatalogs(before, after)).toEqual([
      { list: 'resources', added: ['x://2'], removed: ['x://1'], changed: [] },
      { list: 'resourceTemplates', added: ['x://{a}'], removed: [], changed: [] },
    ])
  })

  it('is not the order of items, nor that of the members of an object', () => {
    const before = read({ tools: [tool('a', { annotations: { x: 1, y: 2 } }), tool('b')] })
    const after = read({
      tools: [tool('b'), { annotations: { y: 2, x: 1 }, inputSchema: { type: 'object' }, name: 'a' }],
    })
    expect(diffCatalogs(before, after)).toEqual([])
  })

  it('shows in the hash, whatever it is', () => {
    const one = read({ tools: [tool('a')] })
    const hashes = [
      one,
      emptyCatalog,
      read({ tools: [tool('b')] }),
      read({ tools: [tool('a', { title: 'A' })] }),
      read({ prompts: [{ name: 'a' }] }),
    ].map(catalogHash)
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(hashes.every((hash) => /^[0-9a-f]{16}$/.test(hash))).toBe(true)
    // Neither when it was read nor how the server wrote it.
    expect(catalogHash(read({ tools: [{ inputSchema: { type: 'object' }, name: 'a' }] }, emptyCatalog, 99))).toBe(
      hashes[0],
    )
  })
})

describe('lists of a server', () => {
  it('are those of its capabilities', () => {
    expect(listsOf({})).toEqual([])
    expect(listsOf({ tools: {}, logging: {} })).toEqual(['tools'])
    expect(listsOf({ tools: {}, resources: {}, prompts: {} })).toEqual([
      'tools',
      'resources',
      'resourceTemplates',
      'prompts',
    ])
  })

  it('change by the notification of their kind', () => {
    expect(changedLists('notifications/resources/list_changed')).toEqual(['resources', 'resourceTemplates'])
    expect(changedLists('notifications/prompts/list_changed')).toEqual(['prompts'])
    expect(changedLists('notifications/resources/updated')).toEqual([])
  })
})
