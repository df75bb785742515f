import type { Node } from 'oxc-parser'
import { type Source, visit } from './sources.js'

/** Ways to take time or chance from the machine; in the product both come in through the seam of src/clock.ts. */
const clockCalls = [
  /^(globalThis\.)?(setTimeout|setInterval|setImmediate)$/,
  /^(globalThis\.)?(Date|performance)\.now$/,
  /^(globalThis\.)?Math\.random$/,
  /^AbortSignal\.timeout$/,
]

/** Searching an error's text. What happened is read from evidence and codes: texts are for people and change. */
const textSearch = /(^|\.)message\.(includes|indexOf|startsWith|endsWith|match|matchAll|search)$/

const runner = /^(it|test|describe|suite|bench)\b/
const leftOut = /\.(skip|skipIf|runIf|only|todo)\b/
const skippedFromWithin = /^(ctx|context|task)\.skip$/
const leftOutShort = /^(xit|xtest|xdescribe|fit|fdescribe)$/

/** Runs as a process of its own, which no clock of ours drives. */
const ownProcess = 'src/testing/child/program.ts'

/** Places where a product file takes time or chance past the seam; files named after the clock are the seam. */
export function unseamedTime(source: Source): string[] {
  if (/clock[^/]*\.ts$/.test(source.path) || source.path === ownProcess) return []
  return find(source, (node) => {
    if (node.type === 'CallExpression') return clockCalls.some((call) => call.test(nameOf(node.callee)))
    return node.type === 'NewExpression' && nameOf(node.callee) === 'Date' && node.arguments.length === 0
  })
}

/** Places where a decision hangs on an error's text. */
export function decisionsByText(source: Source): string[] {
  return find(source, (node) => {
    if (node.type === 'BinaryExpression')
      return /[=!]==?/.test(node.operator) && [node.left, node.right].some(isMessage)
    if (node.type !== 'CallExpression') return false
    return (
      textSearch.test(nameOf(node.callee)) ||
      (/(^|\.)(test|exec)$/.test(nameOf(node.callee)) && node.arguments.some(isMessage))
    )
  })
}

/** Tests that are skipped, focused or only promised. */
export function testsLeftOut(source: Source): string[] {
  return find(source, (node) => {
    if (node.type !== 'CallExpression') return false
    const name = nameOf(node.callee)
    return (runner.test(name) && leftOut.test(name)) || skippedFromWithin.test(name) || leftOutShort.test(name)
  })
}

function isMessage(node: Node): boolean {
  return /\.message$/.test(nameOf(node))
}

/** `a.b.c` for a chain of names, through calls and `?.`; what is no name reads as `?`. */
function nameOf(node: Node): string {
  switch (node.type) {
    case 'Identifier':
      return node.name
    case 'MemberExpression':
      return `${nameOf(node.object)}.${node.computed ? '?' : nameOf(node.property)}`
    case 'CallExpression':
      return nameOf(node.callee)
    case 'ChainExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'ParenthesizedExpression':
      return nameOf(node.expression)
    default:
      return '?'
  }
}

function find(source: Source, isBroken: (node: Node) => boolean): string[] {
  const places: string[] = []
  visit(source, (lineOf) => {
    const look = (node: Node) => {
      if (isBroken(node)) places.push(`${source.path}:${lineOf(node.start)}`)
    }
    return { CallExpression: look, NewExpression: look, BinaryExpression: look }
  })
  return places
}
