import type { AnyStateNode } from 'xstate'
import { connectionChart } from '../../../machines/connection.js'
import { eventTypesOf } from './declarations.js'
import { code, codes, fence, page, table } from './markdown.js'
import { type DiagramOptions, toMermaid } from './mermaid.js'
import { pathOf, transitionsOf, withDescendants } from './transitions.js'

const { root } = connectionChart
const all = withDescendants(root).filter((node) => node !== root)

/** docs/chart.md: the states of a connection, drawn and listed. */
export function chartPage(): string {
  return page(
    '# Chart',
    'Generated from `connectionChart` by `npm run docs`; do not edit. What a fault leads to (F0, V0 – V8), and how long each `after` is, stands in [rules.md](rules.md).',
    'A dashed state lies outside the drawn part. `any of …` stands for whichever child is active. Conditions are in square brackets; where an event has several arrows, the conditions are tried in the order of the table [Transitions](#transitions).',
    '## Overview',
    diagram('', { expand: ['linked'] }),
    '## `linked`: one attempt',
    describe('linked'),
    diagram('linked', { expand: ['connecting', 'initializing'] }),
    '## `linked.ready`: three regions side by side',
    describe('linked.ready'),
    ...['health', 'catalog', 'credentials'].flatMap((region) => part(`linked.ready.${region}`)),
    '## `linked.reauthorizing`',
    describe('linked.reauthorizing'),
    diagram('linked.reauthorizing'),
    '## `backoff`',
    describe('backoff'),
    diagram('backoff'),
    '## `failed`',
    describe('failed'),
    diagram('failed', { expand: ['exhausted'] }),
    '## States',
    table(
      ['state', 'tags', 'what it means'],
      all.map((node) => [code(pathOf(node)), codes(node.tags), node.description ?? '']),
    ),
    '## Tags',
    'Programs ask for tags, with `snapshot.hasTag(…)`: they also hold for states that an extension adds. A state inside another has the tags of both.',
    table(
      ['tag', 'states'],
      [...new Set(all.flatMap((node) => node.tags))].map((tag) => [
        code(tag),
        codes(all.filter((node) => node.tags.includes(tag)).map(pathOf)),
      ]),
    ),
    '## Events',
    'What an application may send, what its surroundings may, and what the link reports. `fault`, `suspect` and `scope.insufficient` name the link they were seen on; one of an older link moves nothing.',
    table(
      ['event', 'sent by', 'answered in'],
      [
        ...events('CommandEvent', 'the application'),
        ...events('SurroundingEvent', 'the surroundings'),
        ...events('LinkEvent', 'the link'),
      ],
    ),
    'Emitted, for whoever embeds the connection (`actor.on(…)`):',
    table(['news', 'emitted by'], emitted()),
    '## Transitions',
    'In the order in which they are tried. “Stays” means that no state is left.',
    table(
      ['state', 'on', 'guard', 'goes to', 'actions'],
      withDescendants(root).flatMap((node) =>
        transitionsOf(node).map(({ on, guard = '', target, actions, rule }) => [
          code(pathOf(node) || root.key),
          code(on) + (rule ? ` ${rule}` : ''),
          code(guard),
          target ? code(pathOf(target)) : 'stays',
          codes(actions),
        ]),
      ),
    ),
  )
}

/** The overview with nothing but the verdicts named, for a first look. */
export function smallChart(): string {
  return diagram('', { expand: ['linked'], labels: 'rules' })
}

export function stateAt(path: string): AnyStateNode {
  const node = path === '' ? root : all.find((candidate) => pathOf(candidate) === path)
  if (!node) throw new Error(`the chart has no state '${path}'`)
  return node
}

function diagram(path: string, options?: DiagramOptions): string {
  return fence('mermaid', toMermaid(stateAt(path), options))
}

function describe(path: string): string {
  return stateAt(path).description ?? ''
}

function part(path: string): string[] {
  const inner = Object.values(stateAt(path).states).filter(({ states }) => Object.keys(states).length > 0)
  return [
    `### ${code(path.replace('linked.', ''))}`,
    describe(path),
    diagram(path, { expand: inner.map(({ key }) => key) }),
  ]
}

function events(union: string, sender: string): string[][] {
  const types = eventTypesOf('machines/types.ts', union)
  return types.map((type) => {
    const where = withDescendants(root).filter((node) => transitionsOf(node).some(({ on }) => on === type))
    return [code(type), sender, where.map((node) => (node === root ? 'every state' : code(pathOf(node)))).join(', ')]
  })
}

/** An action that emits is named after its news: `emitLost` emits `connection.lost`; `giveNotice` says exhausted once. */
function emitted(): string[][] {
  return eventTypesOf('machines/types.ts', 'ConnectionEmitted').map((type) => {
    const name = type.replace('connection.', '').replace('-', '')
    const isIt = (action: string) =>
      action.toLowerCase() === `emit${name}` || (name === 'exhausted' && action === 'giveNotice')
    const entered = all
      .filter((node) => node.entry.some((action) => isIt(actionName(action))))
      .map((node) => `entering ${code(pathOf(node))}`)
    const taken = withDescendants(root)
      .flatMap(transitionsOf)
      .filter(({ actions }) => actions.some(isIt))
    const by = [...entered, ...taken.map(({ rule, on }) => rule ?? code(on))]
    if (by.length === 0) throw new Error(`nothing in the chart emits '${type}'`)
    return [code(type), by.join(', ')]
  })
}

function actionName(action: AnyStateNode['entry'][number]): string {
  if (typeof action === 'string') return action
  return 'type' in action && typeof action.type === 'string' ? action.type : ''
}
