import type { Explanation } from './explain.js'
import type { Finding } from './finding.js'
import { facts } from './text.js'
import { plain, plainLines } from './words.js'

/**
 * An explanation as a bug report in Markdown. What servers said in it is text and nothing else: no link, no picture, no
 * mention, no HTML comes of it.
 */
export function explanationMarkdown(explanation: Explanation): string {
  const { name, status, wire, target, summary, checklist, timeline, at, lastWords } = explanation
  const bad = checklist.filter(({ verdict }) => verdict === 'bad')
  return `${[
    `# MCP connection ${text(name)}: ${text(status)}`,
    text(summary),
    ...section('Cause', bad.map(causeOf)),
    ...section('What happened', [
      table(
        ['when (UTC)', 'what'],
        timeline.map((entry) => [iso(entry.at), text(entry.text)]),
      ),
    ]),
    ...section('Last words of the server', lastWords === undefined ? [] : [fenced(lastWords)]),
    ...section('Checklist', [
      table(
        ['', 'question', 'what was seen', 'advice'],
        checklist.map(({ verdict, question, evidence, advice }) => [
          verdict,
          text(question),
          text(evidence),
          text(advice ?? ''),
        ]),
      ),
    ]),
    ...section('Facts', [
      table(
        ['', ''],
        [
          ['connection', `${wire}: ${text(target)}`],
          ...facts(explanation, at).map(([label, fact]) => [label, text(fact)]),
        ],
      ),
    ]),
    `Explained at ${iso(at)}. Secrets are left out.`,
  ].join('\n\n')}\n`
}

const causeOf = ({ question, evidence, advice }: Finding): string =>
  `- **${text(question)}** ${text(evidence)}${advice === undefined ? '' : `\n  - ${text(advice)}`}`

function section(title: string, parts: readonly string[]): string[] {
  const filled = parts.filter((part) => part !== '')
  return filled.length === 0 ? [] : [`## ${title}`, filled.join('\n')]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/**
 * On one line, with everything that Markdown or a forge would take for more than text made harmless. A pair of single
 * backticks stays code, in which nothing else has a meaning; the same pairs are found here as a reader of Markdown finds.
 */
const text = (words: string): string =>
  plain(words, 600)
    .split(/((?<!`)`(?!`)[^`]+(?<!`)`(?!`))/)
    .map((part, i) => (i % 2 === 1 ? part.replaceAll('|', '\\|') : harmless(part)))
    .join('')

const harmless = (words: string): string =>
  words
    .replace(/[\\`*_{}[\]<>|#~]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/@/g, '&#64;')
    .replace(/\b(https?|www)(:|\.)/gi, '$1&#8203;$2')

/** Behind a fence that is longer than any within. */
function fenced(words: string): string {
  const longest = Math.max(2, ...[...words.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${plainLines(words).trimEnd()}\n${fence}`
}

const iso = (at: number): string => new Date(at).toISOString()
