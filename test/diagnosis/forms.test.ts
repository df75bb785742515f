/** Text for terminals and Markdown: what servers said in it stays words. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { explain, explanationMarkdown, explanationText } from '../../src/diagnosis/index.js'
import { caseFile, fault } from './file.js'

const hostile = [
  '\u001b[2J\u001b]0;owned\u0007 cleared',
  '![pixel](https://evil.example/p.png) <img src=x onerror=alert(1)>',
  '@everyone | a | b |\n# heading\n```\nfence',
  '[click](javascript:alert(1)) `code` `odd',
  '\u202etxet desrever\u2028next',
]

/** A connection that failed with these words in every place that a server can fill. */
const filled = (words: string) =>
  explain(
    caseFile({
      status: 'failed',
      usable: false,
      wire: 'stdio',
      stderr: words,
      noise: { count: 1, text: words },
      fault: fault({
        kind: 'exit',
        wire: 'stdio',
        phase: 'initializing',
        summary: words,
        exit: { code: 1, stderrTail: words },
      }),
    }),
  )

it.each(hostile)('%j steers no terminal', (words) => {
  const text = explanationText(filled(words))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/)
  expect(explanationText(filled('plain'), { color: true })).toContain('\u001b[31m✗\u001b[0m')
})

it.each(hostile)('%j makes no link, picture, mention, HTML or table of a report', (words) => {
  const markdown = explanationMarkdown(filled(words))
  const outside = withoutCode(markdown)
  expect(outside).not.toMatch(/(?<!\\)<img|(?<!\\)!?(?<!\\)\[[^\]]*(?<!\\)\]\(|@everyone|https:\/\//)
  const rows = markdown.split('\n').filter((line) => line.startsWith('| bad'))
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(5)
})

it('a fence in the last words does not end the fence around them', () => {
  const markdown = explanationMarkdown(filled('before\n````\nafter'))
  expect(markdown).toContain('`````text\nbefore\n````\nafter\n`````')
})

it('whatever a server says, both forms are made, and each row of a table is one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (words) => {
      const explanation = filled(words)
      expect(explanationText(explanation).split('\n').length).toBeGreaterThan(10)
      for (const line of explanationMarkdown(explanation).split('\n'))
        if (line.startsWith('| ') && line.includes('| bad')) expect(line.match(/(?<!\\)\|/g)).toHaveLength(5)
    }),
  )
})

/** Code is shown as it is: fences and spans of single backticks. */
const withoutCode = (markdown: string): string =>
  markdown.replace(/^(`{3,})text\n[\s\S]*?^\1$/gm, '').replace(/(?<![\\`])`[^`\n]+`(?!`)/g, '')
