import { readFileSync } from 'node:fs'
import { type Policy, resolvePolicy } from '../../../machines/policy.js'
import { smallChart, stateAt } from './chart-page.js'
import { type Member, membersOf } from './declarations.js'
import { code, codes, duration, fence, table } from './markdown.js'

/**
 * A written page holds fragments that the code writes: between `<!-- from: NAME -->` and `<!-- end -->`. NAME is a
 * source file, a part of one (`file.ts#part`, between `// part: part` and `// end`), or a name of the list below.
 */
const fragment = /^<!-- from: (\S+) -->\n[\s\S]*?^<!-- end -->$/gm

/** The page with every fragment written anew. */
export function withFragments(text: string): string {
  return text.replace(fragment, (_, name: string) => `<!-- from: ${name} -->\n\n${fragmentOf(name)}\n\n<!-- end -->`)
}

/** The files that a page shows. */
export function examplesIn(text: string): string[] {
  return [...text.matchAll(fragment)].map(([, name = '']) => name).filter((name) => /\.tsx?(#|$)/.test(name))
}

function fragmentOf(name: string): string {
  const written = generated[name]
  if (written) return written()
  const [path = '', part] = name.split('#')
  const source = readFileSync(path, 'utf8')
  return fence(
    path.endsWith('.tsx') ? 'tsx' : 'ts',
    part === undefined ? withoutMarks(source) : partOf(source, part, name),
  )
}

const generated: Readonly<Record<string, () => string>> = {
  'small-chart': smallChart,
  statuses,
  'connection-options': () => optionTable(membersOf('src/connection/options.ts', 'ConnectionOptions')),
  'policy-options': policyTable,
  'call-options': () => optionTable(membersOf('src/calls/calls.ts', 'CallOptions')),
  'hub-options': () =>
    optionTable([
      ...membersOf('src/hub/hub.ts', 'HubOptions'),
      ...membersOf('src/hub/config/config.ts', 'ConfigOptions'),
    ]),
  'server-options': () => optionTable(membersOf('src/hub/server-options.ts', 'ServerOptions')),
  'stdio-target': () => optionTable(membersOf('src/link/target.ts', 'StdioTarget')),
  'inspector-options': () => optionTable(membersOf('src/inspect/server/start.ts', 'InspectorOptions')),
  'http-target': () => optionTable(membersOf('src/link/target.ts', 'HttpTarget')),
}

function partOf(source: string, part: string, name: string): string {
  const [, text] = new RegExp(`^ *// part: ${part}\\n([\\s\\S]*?)^ *// end$`, 'm').exec(source) ?? []
  if (text === undefined) throw new Error(`there is no part ${name}`)
  const indent = Math.min(
    ...text
      .split('\n')
      .filter(Boolean)
      .map((line) => line.search(/\S/)),
  )
  return text.replaceAll(new RegExp(`^ {${indent}}`, 'gm'), '')
}

function withoutMarks(source: string): string {
  return source.replaceAll(/^ *\/\/ (?:part: .*|end)\n/gm, '')
}

function optionTable(members: readonly Member[]): string {
  return table(
    ['option', 'type', 'what it does'],
    members.map(({ name, optional, type, text }) => [code(name) + (optional ? '' : ' (needed)'), code(type), text]),
  )
}

/** With the figures that the code comes to, beside what the comments say. */
function policyTable(): string {
  const [stdio, http] = [resolvePolicy('stdio'), resolvePolicy('http')]
  return table(
    ['option', 'default, stdio', 'default, HTTP and custom', 'what it does'],
    membersOf('machines/policy.ts', 'PolicyOptions').map(({ name, text }) => [
      code(name),
      defaultOf(stdio, name),
      defaultOf(http, name),
      text,
    ]),
  )
}

function defaultOf(policy: Policy, option: string): string {
  if (option === 'backoff') return code(policy.backoff.jitter === 'full' ? 'gentle' : 'responsive')
  const [, value] = Object.entries(policy).find(([name]) => name === option.replace('timeouts.', '')) ?? []
  if (typeof value === 'number') return option.endsWith('Ms') ? duration(value) : `${value}`
  if (typeof value === 'string') return code(value)
  throw new Error(`policy.${option} has no default that could be shown`)
}

/** The words of `connection.status`, each with the state behind it. */
function statuses(): string {
  const top = ['idle', 'backoff', 'failed', 'closing', 'closed']
  const states = ['idle', ...Object.keys(stateAt('linked').states).map((key) => `linked.${key}`), ...top.slice(1)].map(
    stateAt,
  )
  return table(
    ['status', 'tags', 'what it means'],
    states.map((state) => [code(state.key), codes(tagsWithin(state)), state.description ?? '']),
  )
}

/** A state's own tags, or those of the states inside it. */
function tagsWithin(state: ReturnType<typeof stateAt>): string[] {
  if (state.tags.length > 0) return state.tags
  return [...new Set(Object.values(state.states).flatMap(tagsWithin))]
}
