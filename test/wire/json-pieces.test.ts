import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf, jsonPieces } from '../../src/wire/json-pieces.js'

/** As long as what is written in pieces, and a bit more or less; of every kind of character. */
const long = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 40 }))
  .chain(([some, others]) => fc.integer({ min: 60_000, max: 80_000 }).map((length) => fill(some + others, length)))

const fill = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length)

class Price {
  readonly cents = 5
  toJSON(key: string) {
    return key === 'price' ? `${this.cents} cents` : undefined
  }
}

const leaf = fc.oneof(
  { weight: 3, arbitrary: long },
  ...[
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.date(),
    fc.constant(Symbol()),
  ],
  fc.constant(new Price()),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, tie('list'), tie('record')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  record: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('price', '__proto__', '"')), tie('value'), {
    maxKeys: 4,
  }),
}))
const message = fc.record({ jsonrpc: fc.constant('2.0'), params: fc.record({ arguments: value, more: value }) })

/** Written by the same words; a failing run prints no megabytes. */
const same = (one: string, other: string): boolean => one === other

describe('JSON in pieces', () => {
  it('is what JSON.stringify writes, as text and as bytes', () => {
    let inPieces = 0
    fc.assert(
      fc.property(message, (each) => {
        const pieces = jsonPieces(each)
        if (pieces.length > 1) inPieces++
        const whole = JSON.stringify(each)
        return same(pieces.join(''), whole) && bytesOf(pieces).equals(Buffer.from(whole))
      }),
      { numRuns: 300 },
    )
    expect(inPieces).toBeGreaterThan(50)
  })

  it('is one piece for whatever is short, and has no long piece', () => {
    expect(jsonPieces({ text: 'a'.repeat(1_000) })).toHaveLength(1)
    const pieces = jsonPieces({ params: { arguments: { text: '\u0001'.repeat(1_000_000) } } })
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(100_000)
  })

  it('keeps holes, and characters that two pieces would share', () => {
    const text = `a${'😀'.repeat(100_000)}`
    // biome-ignore lint/suspicious/noSparseArray: what JSON.stringify writes null for
    const each = { list: [, text, , '\ud83d'] }
    expect(same(jsonPieces(each).join(''), JSON.stringify(each))).toBe(true)
  })

  it('throws as JSON.stringify does, for what is its own part and for numbers that JSON has not', () => {
    const text = 'a'.repeat(100_000)
    const own: Record<string, unknown> = { text }
    own.self = own
    const below: unknown[] = [text]
    below.push({ below })
    for (const each of [own, { own }, { text, big: 1n }, { below }]) {
      expect(() => JSON.stringify(each)).toThrow(TypeError)
      expect(() => jsonPieces(each)).toThrow(TypeError)
    }
  })

  it('does not look for long strings for ever', () => {
    const crowd: Record<string, unknown> = {}
    for (let i = 0; i < 50; i++) crowd[i] = crowd
    expect(() => jsonPieces(crowd)).toThrow(TypeError)
    const many = { list: Array.from({ length: 10_000 }, (_, i) => ({ i })), text: 'a'.repeat(100_000) }
    expect(jsonPieces(many)).toHaveLength(1)
  })
})
