/** Answers and notifications that are refused for a credential wait for the next one, and no longer. */
import { describe, expect, it } from 'vitest'
import { Letters, type LettersHost } from '../../src/link/letters.js'
import type { JsonRpcMessage } from '../../src/wire/messages.js'
import { FakeWire } from './fake-wire.js'

const answer: JsonRpcMessage = { jsonrpc: '2.0', id: 'q', result: {} }
const refusal = new Error('refused')

/** A wire that refuses so many sendings, each when it is let go or at once. */
class RefusingWire extends FakeWire {
  readonly #refusals: (Promise<void> | undefined)[]
  constructor(...refusals: (Promise<void> | undefined)[]) {
    super()
    this.#refusals = refusals
  }
  override async send(message: JsonRpcMessage): Promise<void> {
    const isRefused = this.sent.length < this.#refusals.length
    const [held] = this.#refusals.slice(this.sent.length)
    await super.send(message)
    await held
    if (isRefused) throw refusal
  }
}

function made(...refusals: (Promise<void> | undefined)[]) {
  const wire = new RefusingWire(...refusals)
  const looked: unknown[] = []
  const onRefused = (error: unknown) => looked.push(error) > 0
  const host: { wire: FakeWire; listener: LettersHost['listener'] } = { wire, listener: { onRefused } }
  return { wire, letters: new Letters(host), looked, host }
}

/** Whatever can go on without anything from outside has gone on. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('an answer of ours', () => {
  it('that is refused waits for a new credential, and goes out again', async () => {
    const { wire, letters, looked } = made(undefined)
    const sent = letters.send(answer)
    await settled()
    expect([wire.sent.length, looked]).toEqual([1, [refusal]])
    letters.renewed()
    await sent
    expect(wire.sent).toEqual([answer, answer])
  })

  it('that was refused for a credential already renewed goes out again at once', async () => {
    let refuse = () => {}
    const late = new Promise<void>((resolve) => {
      refuse = resolve
    })
    const { wire, letters } = made(late)
    const sent = letters.send(answer)
    letters.renewed()
    refuse()
    await sent
    expect(wire.sent).toHaveLength(2)
  })

  it('is sent three times at most', async () => {
    const { wire, letters, looked } = made(undefined, undefined, undefined)
    const ended = expect(letters.send(answer)).rejects.toBe(refusal)
    for (let i = 0; i < 5; i++) {
      await settled()
      letters.renewed()
    }
    await ended
    expect([wire.sent.length, looked.length]).toEqual([3, 3])
  })

  it('that no credential would help is not sent again', async () => {
    const { wire, letters, host } = made(undefined, undefined)
    host.listener = { onRefused: () => false }
    await expect(letters.send(answer)).rejects.toBe(refusal)
    host.listener = undefined
    await expect(letters.send(answer)).rejects.toBe(refusal)
    letters.renewed()
    await settled()
    expect(wire.sent).toHaveLength(2)
  })

  it('does not outlive its link', async () => {
    const { wire, letters } = made(undefined, undefined)
    const ended = expect(letters.send(answer)).rejects.toBe(refusal)
    await settled()
    letters.close()
    await ended
    await expect(letters.send(answer)).rejects.toBe(refusal)
    expect(wire.sent).toHaveLength(2)
  })

  it('can be taken along to a later link of its session', async () => {
    const { letters } = made(undefined)
    const ended = expect(letters.send(answer)).rejects.toBe(refusal)
    await settled()
    const held = letters.held ?? []
    letters.close()
    await ended
    const later = made(undefined)
    later.letters.take(held)
    await settled()
    expect([held, later.letters.held, later.wire.sent, letters.held]).toEqual([[answer], [answer], [], undefined])
    later.letters.renewed()
    await settled()
    expect([later.wire.sent, later.letters.held]).toEqual([[answer], [answer]])
    later.letters.renewed()
    await settled()
    expect([later.wire.sent.length, later.letters.held]).toEqual([2, undefined])
  })

  it('waits with no more than fifteen others: the oldest is given up', async () => {
    const { wire, letters } = made(...Array.from({ length: 17 }, () => undefined))
    const outcomes = Array.from({ length: 17 }, (_, id) =>
      letters.send({ ...answer, id: `${id}` }).then(
        () => 'sent',
        () => 'given up',
      ),
    )
    await settled()
    expect(letters.held).toHaveLength(16)
    letters.renewed()
    const said = await Promise.all(outcomes)
    expect(said).toEqual(['given up', ...Array.from({ length: 16 }, () => 'sent')])
    expect(wire.sent).toHaveLength(17 + 16)
  })

  it('whose refusal is the end of its link is there for the next one', async () => {
    const { letters, host } = made(undefined)
    let held: readonly JsonRpcMessage[] | undefined
    const onRefused = () => {
      held = letters.held
      letters.close()
      return true
    }
    host.listener = { onRefused }
    await expect(letters.send(answer)).rejects.toBe(refusal)
    expect([held, letters.held]).toEqual([[answer], undefined])
  })
})
