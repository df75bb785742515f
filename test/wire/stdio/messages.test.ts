import { describe, expect, it } from 'vitest'
import { started, timed, until } from './rig.js'

describe('messages', () => {
  it('go there and back, and count as life', async () => {
    const made = await started()
    expect(made.wire.lastLifeAt).toBe(0)
    const answers = await Promise.all(['a', 'ü', '漢'].map((text) => made.call('echo', { text })))
    expect(answers.map(({ text }) => text)).toEqual(['a', 'ü', '漢'])
    expect(made.wire.pending).toBe(0)
    expect(Date.now() - made.wire.lastLifeAt).toBeLessThan(1000)
  })

  it('02.09: are read after a byte order mark whose bytes come apart, with CRLF', async () => {
    const made = await started({ output: { bom: true, lineEnd: '\r\n', chunkBytes: 1 } })
    expect((await made.call('echo', { text: 'hi' })).text).toBe('hi')
    expect(made.ofType('noise')).toEqual([])
  })

  it('02.10: arrive whatever their size and their chunks, which split characters', async () => {
    const made = await started({ output: { chunkBytes: 65_521 } })
    for (const bytes of [1 << 20, 9.9 * (1 << 20), 12 << 20]) {
      const count = Math.round(bytes / 3)
      expect((await made.call('big', { char: '漢', count })).text === '漢'.repeat(count)).toBe(true)
    }
  })

  it.each(['first', 'last'])('02.10: over the limit fail their own request alone (id %s)', async (place) => {
    const idFirst = [
      { print: '{"jsonrpc":"2.0","id":1,"x":"' },
      { print: 'y'.repeat(1000), times: 300 },
      { print: '"}\n' },
    ]
    const idLast = [
      { print: '{"x":"' },
      { print: 'y'.repeat(1000), times: 300 },
      { print: '","jsonrpc":"2.0","id":1}\n' },
    ]
    const script = { on: { 'tools/call:big': place === 'first' ? idFirst : idLast } }
    const made = await started(script, { maxMessageBytes: 200_000 })
    const big = await made.call('big', { count: 300_000 })
    expect(big.evidence).toMatchObject({ kind: 'oversize', method: 'tools/call', sent: true })
    expect((await made.call('echo', { text: 'on' })).text).toBe('on')
    expect(made.ofType('closed')).toEqual([])
  })

  it('over the limit that are nobody’s answer are told as suspect', async () => {
    const made = await started(
      { meanwhile: [{ notify: 'notifications/message', params: { data: 'z'.repeat(5000) } }] },
      { maxMessageBytes: 1000 },
    )
    await until(() => made.ofType('suspect').length === 1)
    expect(made.ofType('suspect')[0]?.evidence.kind).toBe('oversize')
    expect((await made.call('echo', { text: 'on' })).text).toBe('on')
  })

  it('of ours over the limit are refused without being sent', async () => {
    const made = await started({}, { maxMessageBytes: 1000 })
    const answer = await made.call('echo', { text: 'z'.repeat(1000) })
    expect(answer.evidence).toMatchObject({ kind: 'oversize', sent: false })
    await expect(
      made.wire.send({ jsonrpc: '2.0', method: 'notifications/x', params: { text: 'z'.repeat(1000) } }),
    ).rejects.toMatchObject({ evidence: { kind: 'oversize', sent: false } })
    expect((await made.call('echo', { text: 'on' })).text).toBe('on')
  })

  it('that JSON cannot say fail alone', async () => {
    const made = await started()
    const answer = await made.call('echo', { text: 1n })
    expect(answer.evidence).toMatchObject({ kind: 'thrown', sent: false })
    expect((await made.call('echo', { text: 'on' })).text).toBe('on')
  })

  it('in a batch are taken one by one', async () => {
    const batch = [
      { jsonrpc: '2.0', method: 'notifications/message', params: {} },
      { jsonrpc: '2.0', id: 1, result: { content: [{ text: 'from a batch' }] } },
    ]
    const made = await started({ on: { 'tools/call:echo': [{ print: `${JSON.stringify(batch)}\n` }] } })
    expect((await made.call('echo')).text).toBe('from a batch')
    expect(made.messages).toHaveLength(2)
  })

  it('without a newline count when the stream ends behind them', async () => {
    const last = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"last words"}]}}'
    const made = await started({ on: { 'tools/call:echo': [{ print: last }, { exit: 0 }] } })
    expect((await made.call('echo')).text).toBe('last words')
  })

  it('that answer a known id with something else than JSON-RPC fail that request', async () => {
    const made = await started({ on: { 'tools/call:echo': [{ print: '{"id":1,"result":"text"}\n' }] } })
    expect((await made.call('echo')).evidence).toMatchObject({ kind: 'malformed', method: 'tools/call' })
  })

  it('that answer nobody are noise, and errors without an id make suspicious', async () => {
    const made = await started({
      meanwhile: [
        { print: '{"jsonrpc":"2.0","id":99,"result":{}}\n' },
        { print: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n' },
      ],
    })
    await until(() => made.ofType('suspect').length === 1)
    expect(made.ofType('suspect')[0]?.evidence).toMatchObject({ kind: 'rpc', rpc: { code: -32700 } })
    expect(made.ofType('noise')).toMatchObject([{ count: 1 }])
    expect(made.messages).toEqual([])
  })

  it('whose handler throws do not take others along', async () => {
    const made = await started()
    const onmessage = made.wire.onmessage
    made.wire.onmessage = (message) => {
      onmessage?.(message)
      throw new Error('from the handler')
    }
    await made.call('echo')
    await made.call('echo')
    expect(made.errors.map(({ message }) => message)).toEqual(['from the handler', 'from the handler'])
  })

  it('cancel one request: it is forgotten, its late answer is nobody’s, and others go on', async () => {
    const made = await started()
    void made.call('slow', { ms: 100 })
    const other = made.call('slow', { ms: 150 })
    await made.wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(made.wire.pending).toBe(1)
    expect((await other).text).toBe('slept 150 ms')
    expect(made.order).toEqual(['answer 2'])
    expect((await made.logged('message', 'notifications/cancelled')).message?.params).toEqual({ requestId: 1 })
  })
})

describe('what is no message', () => {
  it('is skipped and counted, redacted, and does no harm', async () => {
    const made = await started(
      { meanwhile: [{ print: 'Server token=S3CRET listening\n\n  \r\nsecond line\n' }] },
      { redact: (text) => text.replace('S3CRET', '…') },
    )
    expect((await made.call('echo', { text: 'hi' })).text).toBe('hi')
    await until(() => made.ofType('noise').reduce((sum, { count }) => sum + count, 0) === 2)
    expect(made.ofType('noise')[0]?.text).toBe('Server token=… listening')
  })

  it('floods neither events nor memory on stdout', async () => {
    const made = await started({ on: { 'tools/call:echo': [{ flood: 20_000_000 }, { answer: true }] } })
    const [answer, ms] = await timed(() => made.call('echo', { text: 'after the flood' }))
    expect(answer.text).toBe('after the flood')
    await made.wire.close()
    const told = made.ofType('noise')
    expect(told.length).toBeLessThanOrEqual(ms / 1000 + 3)
    expect(told.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(300_000)
  })

  it('stderr is drained: 100 MB of it cost no memory and hold nothing up', async () => {
    const made = await started({
      on: { 'tools/call:echo': [{ flood: 100_000_000, to: 'stderr' }, { answer: true }] },
    })
    made.events.push = () => 0
    await made.call('counter')
    const before = process.memoryUsage.rss()
    expect((await made.call('echo', { text: 'after the flood' })).text).toBe('after the flood')
    expect(process.memoryUsage.rss() - before).toBeLessThan(60_000_000)
  })

  it('stderr is told in lines, redacted', async () => {
    const made = await started(
      { meanwhile: [{ print: 'key S3C', to: 'stderr' }, { wait: 20 }, { print: 'RET\nno newline', to: 'stderr' }] },
      { redact: (text) => text.replace('S3CRET', '…') },
    )
    await until(() => made.ofType('stderr').length === 1)
    await made.wire.close()
    expect(made.ofType('stderr').map(({ text }) => text)).toEqual(['key …\n', 'no newline'])
  })
})
