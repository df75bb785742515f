import { checks } from '../../../src/diagnosis/index.js'
import { situationsBy } from '../../diagnosis/situations/index.js'
import type { Situation } from '../../diagnosis/situations/situation.js'
import { code, fence, page, table } from './markdown.js'

/** docs/troubleshooting.md: broken situations, what an explanation says of each, and what it advises. */
export function troubleshootingPage(): string {
  return page(
    '# Troubleshooting',
    'Generated from the code by `npm run docs`; do not edit. Every row of the tables is played with real processes and sockets by `npx vitest run test/diagnosis`, which fails unless the explanation names the true cause first and blames nothing that is fine.',
    'Ask the connection why it is as it is, whatever its state:',
    fence(
      'ts',
      [
        "import { explanationText } from 'mcp-lifeline'",
        '',
        'const why = connection.explain() // plain data: why.cause, why.checklist, why.timeline, …',
        'console.log(explanationText(why)) // for a terminal',
        'console.log(connection.report()) // a bug report in Markdown, without secrets',
      ].join('\n'),
    ),
    '`cause` is the first question of the checklist whose answer is bad; what follows from it comes after it. `timeline` tells the disconnect that began the trouble, every attempt, and how it ended.',
    ...Object.entries(situationsBy).flatMap(([title, situations]) => [`## ${title}`, situationTable(situations)]),
    '## The questions',
    'In this order: causes before what follows from them. Each is answered `ok`, `bad` or `unknown`, with what it was judged by. Questions that make no sense for a connection are left out.',
    table(
      ['id', 'question'],
      checks.map(({ id, question }) => [code(id), question]),
    ),
  )
}

function situationTable(situations: readonly Situation[]): string {
  return table(
    ['situation', 'question', 'what the explanation says', 'what to do'],
    situations.map(({ name, cause, says, advice }) => [name, code(cause), `“… ${says} …”`, advice]),
  )
}
