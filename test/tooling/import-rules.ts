import { posix } from 'node:path'
import { type Source, visit } from './sources.js'

/**
 * The import rules of src/ and machines/. A checker of our own, because those at hand read TypeScript through the
 * compiler's JavaScript API, which TypeScript 7 no longer has. Type-only imports count like all others: a type that
 * points upward is an arrow that points upward.
 */
export interface Violation {
  readonly rule: string
  readonly where: string
  readonly why: string
}

/** One import: `to` is the file it leads to, when it is relative; `pack` the package, when it is not. */
interface Edge {
  readonly from: string
  readonly where: string
  readonly to?: string
  readonly pack?: string
}

const supports = ['wire']
const connection = ['calls', 'link', 'auth', 'diagnosis', ...supports]
const hub = ['connection', ...connection]
const face = ['hub', ...hub]

/** The parts of src/, each with those it may import: the arrows go down only. `index` is src/index.ts. */
const below: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  calls: supports,
  link: supports,
  auth: supports,
  diagnosis: supports,
  connection,
  hub,
  index: face,
  inspect: face,
  otel: face,
  testing: face,
  cli: ['index', 'inspect', ...face],
}

/** Files that every part may import; they import only each other and machines/. */
const leaves = ['src/clock.ts', 'src/errors.ts', 'src/protocol.ts', 'src/redact.ts', 'src/sparse-map.ts']

/** The contract files of src/wire, which stand beside its index as its face. */
const wireFace = ['src/wire/wire.ts', 'src/wire/messages.ts', 'src/wire/failure.ts', 'src/wire/stdio/system.ts']

const sdk = '@modelcontextprotocol/sdk'

type EdgeRule = (edge: Edge) => string | undefined

const edgeRules: Readonly<Record<string, EdgeRule>> = {
  'machines-are-pure': ({ from, to, pack }) => {
    if (!from.startsWith('machines/') || pack === 'xstate' || to?.startsWith('machines/')) return
    return `machines/ imports only xstate and its own files, not ${to ?? pack}`
  },
  'stays-in-src': ({ from, to }) => {
    if (!from.startsWith('src/') || !to || /^(src|machines)\//.test(to)) return
    return `src/ imports nothing of ${to}`
  },
  'arrows-down': ({ from, to }) => {
    if (!from.startsWith('src/') || !to?.startsWith('src/') || leaves.includes(to)) return
    if (leaves.includes(from)) return `${from} is a leaf and imports only leaves and machines/`
    const [above, beneath] = [partOf(from), partOf(to)]
    if (above === beneath || below[above]?.includes(beneath)) return
    return `${above} does not lie above ${beneath}`
  },
  'faces-only': ({ from, to }) => {
    if (!to || wireFace.includes(to) || from.startsWith('machines/')) return
    const folder = outermostForeignFolder(from, to)
    if (!folder || to === `${folder}/index.ts` || folder === 'machines') return
    return `${to} is reached past ${folder}/index.ts`
  },
  'machine-states-are-inner': ({ from, to }) => {
    if (from.startsWith('machines/') || !to?.startsWith('machines/') || to.split('/').length === 2) return
    return `${to} lies inside machines/; only the files at its top are for others`
  },
  'sdk-in-link-and-auth': ({ from, pack }) => {
    if (pack !== sdk || /^src\/(link|auth)\//.test(from)) return
    return `${sdk} is driven by src/link and src/auth alone`
  },
  'undici-in-one-file': ({ from, pack }) => {
    if (pack !== 'undici' || from.startsWith('src/wire/web/')) return
    return 'undici is imported by one file of src/wire/web'
  },
}

/** Every rule broken by these files, which are all of src/ and machines/. */
export function violations(sources: readonly Source[]): Violation[] {
  const files = new Set(sources.map(({ path }) => path))
  const edges = sources.flatMap(edgesOf)
  return [
    ...[...files].filter((path) => !isPlaced(path)).map((path) => broken('known-part', path, 'no such part in src/')),
    ...edges.flatMap((edge) =>
      edge.to && !files.has(edge.to) && /^(src|machines)\//.test(edge.to)
        ? [broken('resolves', edge.where, `there is no ${edge.to}`)]
        : [],
    ),
    ...edges.flatMap((edge) =>
      Object.entries(edgeRules).flatMap(([rule, why]) => {
        const reason = why(edge)
        return reason ? [broken(rule, edge.where, reason)] : []
      }),
    ),
    ...undiciFiles(edges),
    ...cycles(edges).map((cycle) => broken('no-cycles', cycle[0] ?? '', cycle.join(' → '))),
  ]
}

function broken(rule: string, where: string, why: string): Violation {
  return { rule, where, why }
}

/** `wire` for src/wire/…, `index` for src/index.ts. */
function partOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '')
}

function isPlaced(path: string): boolean {
  return !path.startsWith('src/') || leaves.includes(path) || partOf(path) in below
}

/** The outermost folder that holds `to` but not `from`, if there is one. */
function outermostForeignFolder(from: string, to: string): string | undefined {
  const folders = to.split('/').slice(0, -1)
  return folders
    .map((_, depth) => folders.slice(0, depth + 1).join('/'))
    .find((folder) => !from.startsWith(`${folder}/`))
}

function undiciFiles(edges: readonly Edge[]): Violation[] {
  const [, ...more] = new Set(edges.filter(({ pack }) => pack === 'undici').map(({ from }) => from))
  return more.map((path) => broken('undici-in-one-file', path, 'another file imports undici already'))
}

function edgesOf(source: Source): Edge[] {
  const edges: Edge[] = []
  visit(source, (lineOf) => {
    const add = (start: number, specifier: unknown) => {
      const where = `${source.path}:${lineOf(start)}`
      if (typeof specifier !== 'string')
        throw new Error(`${where}: an import whose target is computed cannot be checked`)
      edges.push({ from: source.path, where, ...targetOf(source.path, specifier) })
    }
    return {
      ImportDeclaration: (node) => add(node.start, node.source.value),
      ExportAllDeclaration: (node) => add(node.start, node.source.value),
      ExportNamedDeclaration: (node) => node.source && add(node.start, node.source.value),
      ImportExpression: (node) => add(node.start, node.source.type === 'Literal' && node.source.value),
      TSImportType: (node) => add(node.start, node.source.value),
      TSExternalModuleReference: (node) => add(node.start, node.expression.value),
    }
  })
  return edges
}

function targetOf(from: string, specifier: string): Pick<Edge, 'to' | 'pack'> {
  if (specifier.startsWith('.')) return { to: posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts') }
  const [scope = '', name = ''] = specifier.split('/')
  return { pack: scope.startsWith('@') ? `${scope}/${name}` : scope }
}

/** Each circle of imports, as the path that closes it. */
function cycles(edges: readonly Edge[]): string[][] {
  const graph = new Map<string, string[]>()
  for (const { from, to } of edges) if (to) graph.set(from, [...(graph.get(from) ?? []), to])
  const found: string[][] = []
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]) => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file])
    if (done.has(file) || path.includes(file)) return
    for (const to of graph.get(file) ?? []) walk(to, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) walk(file, [])
  return found
}
