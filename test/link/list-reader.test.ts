/** Reading lists: each for itself, taken together, never waited for longer than the chart wants. */
import { describe, expect, it } from 'vitest'
import { classify } from '../../machines/classify.js'
import type { WireEvidence } from '../../machines/evidence.js'
import type { Fault } from '../../machines/faults.js'
import type { ListKind, ListReading } from '../../src/link/catalog.js'
import { ListReader } from '../../src/link/list-reader.js'
import { WireError } from '../../src/wire/failure.js'

interface Asked {
  kind: ListKind
  signal: AbortSignal
  answer(items: unknown[]): void
  fail(evidence: Partial<WireEvidence> & Pick<WireEvidence, 'kind'>): void
}

function reader() {
  const asked: Asked[] = []
  const taken: Record<string, unknown>[] = []
  const lost: Fault[] = []
  const lists = new ListReader({
    list: (kind, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        asked.push({
          kind,
          signal,
          answer: resolve,
          fail: (evidence) =>
            reject(new WireError({ wire: 'http', method: kind, summary: 'no', sent: true, ...evidence })),
        })
      }),
    judge: (error) => {
      const evidence =
        error instanceof WireError ? error.evidence : ({ kind: 'thrown', wire: 'http', summary: '' } as const)
      return classify({ ...evidence, phase: 'ready', everReady: true })
    },
    lose: (fault) => lost.push(fault),
    take: (readings) => taken.push(Object.fromEntries([...readings].map(([kind, one]) => [kind, shortened(one)]))),
  })
  const ask = (kind: ListKind, turn = 0) => {
    const found = asked.filter((one) => one.kind === kind)[turn]
    if (!found) throw new Error(`${kind} was not asked for`)
    return found
  }
  return { lists, asked, taken, lost, ask }
}

const shortened = (reading: ListReading) => ('items' in reading ? reading.items : reading.fault.code)

describe('lists that are read together', () => {
  it('are taken together, when all have come', async () => {
    const { lists, taken, ask } = reader()
    const reading = lists.read(['tools', 'prompts'])
    ask('tools').answer([1])
    await Promise.resolve()
    expect(taken).toEqual([])
    ask('prompts').answer([2])
    expect(await reading).toBe(true)
    expect(taken).toEqual([{ tools: [1], prompts: [2] }])
  })

  it('stand or fail each for itself', async () => {
    const { lists, taken, lost, ask } = reader()
    const reading = lists.read(['tools', 'resources', 'prompts'])
    ask('tools').answer([1])
    ask('resources').fail({ kind: 'rpc', rpc: { code: -32601, message: 'Method not found' } })
    ask('prompts').fail({ kind: 'rpc', rpc: { code: -32603, message: 'boom' } })
    expect(await reading).toBe(false)
    expect(taken).toEqual([{ tools: [1], resources: [], prompts: 'rpc.-32603' }])
    expect(lost).toEqual([])
  })

  it('tell of a link that is no good', async () => {
    const { lists, lost, ask } = reader()
    const reading = lists.read(['tools'])
    ask('tools').fail({ kind: 'closed' })
    expect(await reading).toBe(false)
    expect(lost).toMatchObject([{ code: 'wire.closed' }])
  })
})

describe('a list that does not come', () => {
  it('holds the others up no longer than they are waited for; each is taken once', async () => {
    const { lists, taken, ask } = reader()
    const reading = lists.read(['tools', 'prompts'])
    ask('tools').answer([1])
    await new Promise(setImmediate)
    lists.takeArrived()
    lists.takeArrived()
    expect(taken).toEqual([{ tools: [1] }])
    ask('prompts').answer([2])
    expect(await reading).toBe(true)
    expect(taken).toEqual([{ tools: [1] }, { prompts: [2] }])
  })

  it('is due until it has come; one that has come is not', async () => {
    const { lists, ask } = reader()
    const reading = lists.read(['tools', 'prompts'])
    ask('tools').answer([1])
    await new Promise(setImmediate)
    expect([lists.isDue('tools'), lists.isDue('prompts')]).toEqual([false, true])
    ask('prompts').answer([])
    await reading
    expect(lists.isDue('prompts')).toBe(false)
  })

  it('may be asked for again: what comes first counts, and a later answer makes earlier questions pointless', async () => {
    const { lists, taken, ask } = reader()
    const first = lists.read(['tools'])
    const second = lists.read(['tools'])
    ask('tools', 1).answer(['new'])
    expect(await second).toBe(true)
    expect(ask('tools', 0).signal.aborted).toBe(true)
    await first
    expect(taken).toEqual([{ tools: ['new'] }])
    expect(lists.isDue('tools')).toBe(false)
  })

  it('whose first answer comes late is taken, but the later one, begun after a change, is still awaited', async () => {
    const { lists, taken, ask } = reader()
    const first = lists.read(['tools'])
    const second = lists.read(['tools'])
    ask('tools', 0).answer(['old'])
    await first
    expect(ask('tools', 1).signal.aborted).toBe(false)
    expect(lists.isDue('tools')).toBe(true)
    ask('tools', 1).answer(['new'])
    await second
    expect(taken).toEqual([{ tools: ['old'] }, { tools: ['new'] }])
  })
})

it('a list that changes while it is read is due again', async () => {
  const { lists, ask } = reader()
  lists.mark(['tools'])
  const reading = lists.read(['tools'])
  lists.mark(['tools'])
  ask('tools').answer([])
  await reading
  expect(lists.isDue('tools')).toBe(true)
})
