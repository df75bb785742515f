import { describe, expect, it } from 'vitest'
import { isKnownLegacy, noteServedBy } from '../../src/link/legacy-addresses.js'
import type { HttpTarget } from '../../src/link/target.js'

const target = (n: number | string, kind?: HttpTarget['kind']): HttpTarget => ({
  url: `http://host-${n}.test/mcp`,
  kind,
})

describe('the addresses that were last served by the older wire', () => {
  it('are known to every connection that leaves the wire open', () => {
    noteServedBy('sse', target('old'))
    expect(isKnownLegacy(target('old'))).toBe(true)
    expect(isKnownLegacy(target('old', 'http'))).toBe(false)
    expect(isKnownLegacy(target('new'))).toBe(false)
  })

  it('are forgotten when the newer wire serves them', () => {
    noteServedBy('sse', target('moved'))
    noteServedBy('http', target('moved'))
    expect(isKnownLegacy(target('moved'))).toBe(false)
  })

  it('are a thousand at most; the one that was not met for longest goes first', () => {
    for (let n = 0; n < 1_000; n++) noteServedBy('sse', target(n))
    noteServedBy('sse', target(0))
    noteServedBy('sse', target('one more'))
    expect([target(0), target(1), target(2), target('one more')].map(isKnownLegacy)).toEqual([true, false, true, true])
  })
})
