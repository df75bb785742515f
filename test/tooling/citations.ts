import type { Node } from 'oxc-parser'
import { promises } from '../promises.js'
import { type Source, visit } from './sources.js'

/** A test, or a group of tests, that says which promise it shows. */
export interface Citation {
  readonly id: string
  readonly path: string
  /** Without the ids. */
  readonly title: string
}

const runner = /^(?:it|test|describe)$/
const inBrackets = /\(([^()]*\bP\d+\b[^()]*)\)/g

/** Citations in the titles of tests, and of groups that hold tests. */
export function citations(source: Source): Citation[] {
  const found: Citation[] = []
  visit(source, () => ({
    CallExpression(node) {
      const title = runner.test(calleeOf(node.callee)) ? textOf(node.arguments[0]) : undefined
      if (title === undefined) return
      for (const id of idsIn(title)) found.push({ id, path: source.path, title: withoutIds(title) })
    },
  }))
  return found
}

/** Promises that are cited in a comment or a name: `(P5)`, `promise P5`. */
export function mentions({ path, text }: Source): Citation[] {
  return [...text.matchAll(/\bpromise (P\d+)\b|\((P\d+)\)/g)].map(([title, a, b]) => ({
    id: a ?? b ?? '',
    path,
    title,
  }))
}

/** What is wrong between promises and citations, a line each. */
export function disagreements(ids: readonly string[], cited: readonly Citation[]): string[] {
  const known = new Set(ids)
  const shown = new Set(cited.map(({ id }) => id))
  return [
    ...cited
      .filter(({ id }) => !known.has(id))
      .map(({ id, path, title }) => `${path} cites ${id}, which is no promise: ${title}`),
    ...ids.filter((id) => !shown.has(id)).map((id) => `no test cites ${id}: ${promises[id]?.sentence ?? ''}`),
  ]
}

function idsIn(title: string): string[] {
  return [...title.matchAll(inBrackets)].flatMap(([, inside = '']) => inside.match(/\bP\d+\b/g) ?? [])
}

function withoutIds(title: string): string {
  return title
    .replaceAll(inBrackets, (_, inside: string) => {
      const rest = inside.split(/[;,] /).filter((part) => !/^(?:promise )?P\d+$/.test(part))
      return rest.length > 0 ? `(${rest.join('; ')})` : ''
    })
    .replaceAll(/ +([:,;]|$)/g, '$1')
    .replaceAll('  ', ' ')
}

/** `it` of `it(…)`, `it.each(…)(…)` and the like. */
function calleeOf(node: Node): string {
  if (node.type === 'Identifier') return node.name
  if (node.type === 'MemberExpression') return calleeOf(node.object)
  return node.type === 'CallExpression' ? calleeOf(node.callee) : ''
}

function textOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  return node?.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.cooked ?? '').join('…') : undefined
}
