/**
 * Each situation is brought about with real processes and sockets. The explanation has to name the true cause first,
 * blame what follows from it, and nothing else.
 */
import { describe, expect, it } from 'vitest'
import { explanationMarkdown, explanationText } from '../../src/index.js'
import { situations } from './situations/index.js'
import { steady } from './situations/situation.js'

it('there are at least 25 of them, each with a name of its own', () => {
  expect(situations.length).toBeGreaterThanOrEqual(25)
  expect(new Set(situations.map(({ name }) => name)).size).toBe(situations.length)
})

describe.each(situations)('$name', ({ cause, also = [], says, advice, play }) => {
  it('the true cause comes first, and nothing that is fine is blamed', async () => {
    const explanation = await play()
    const bad = explanation.checklist.filter(({ verdict }) => verdict === 'bad')
    const seen = bad.map(({ id, evidence }) => `${id}: ${evidence}`).join('\n')
    expect(
      bad.map(({ id }) => id),
      seen,
    ).toEqual([cause, ...also])
    expect(steady(explanation.cause?.evidence ?? '')).toContain(says)
    expect(steady(explanation.cause?.advice ?? '')).toBe(advice)
    // The same in all three forms.
    const [text, markdown] = [explanationText(explanation), explanationMarkdown(explanation)]
    for (const { question } of explanation.checklist) {
      expect(text).toContain(question)
      expect(plainMarkdown(markdown)).toContain(question)
    }
    expect(text.replaceAll(/\s+/g, ' ')).toContain(explanation.cause?.evidence)
  })
})

/** What a reader of the page sees. */
const plainMarkdown = (markdown: string): string =>
  markdown
    .replaceAll(/\\([\\`*_{}[\]<>|#~])/g, '$1')
    .replaceAll('&#64;', '@')
    .replaceAll('&#8203;', '')
    .replaceAll('&amp;', '&')
