import { code, table } from './markdown.js'

type Seen = Readonly<Record<string, number | string | null>>

/** What `npm run bench:peers -- --json FILE` writes. */
export interface PeersReport {
  readonly node: string
  readonly cpus: number
  readonly rounds: number
  readonly versions: Readonly<Record<string, string | undefined>>
  /** By task and peer, one for each round. */
  readonly seen: Readonly<Record<string, Readonly<Record<string, readonly Seen[]>>>>
}

/** One row for each client: how long, how often, and what came of it. */
export function peersTable({ node, cpus, rounds, versions, seen }: PeersReport): string[] {
  const all = (task: string, peer: string, field: string) =>
    (seen[task]?.[peer] ?? []).map((one) => one[field]).filter((value) => value !== undefined)
  const total = (tasks: readonly string[], peer: string, field: string) =>
    String(tasks.flatMap((task) => all(task, peer, field)).reduce<number>((sum, value) => sum + Number(value ?? 0), 0))
  const vanishing = ['vanishStdio', 'vanishHttp']
  return [
    `${code('npm run bench:peers -- --json docs/data/peers.json')} gives every client the same work, each task in a process of its own, the order rotated. Node ${node.replace(/^v/, '')}, ${cpus} cores, medians of up to ${rounds} rounds. The last three columns are counts of one round: of 10 calls, and of up to 6 whose server vanished in the middle.`,
    table(
      [
        'client',
        '20 servers connected, stdio',
        '1,000 calls, stdio',
        '1,000 calls, HTTP',
        'SIGKILL to usable, stdio',
        'restart to usable, HTTP',
        'calls answered of those made while the server refused for 10 s',
        'tool ran twice',
        'calls never settled',
      ],
      Object.entries(versions).map(([peer, version]) => [
        `${peer} ${version ?? ''}`.trim(),
        middle(all('connect20', peer, 'ms')),
        middle(all('callsStdio', peer, 'ms')),
        middle(all('callsHttp', peer, 'ms')),
        middle(all('killStdio', peer, 'usableMs')),
        middle(all('killHttp', peer, 'usableMs')),
        total(['outage'], peer, 'answered'),
        total(vanishing, peer, 'doubled'),
        total(vanishing, peer, 'hung'),
      ]),
    ),
  ]
}

/** The median; `null`, never, counts as the longest. */
function middle(values: readonly (number | string | null)[]): string {
  if (values.length === 0) return '–'
  const sorted = values
    .map((value) => (typeof value === 'number' ? value : Number.POSITIVE_INFINITY))
    .sort((a, b) => a - b)
  const found = sorted[Math.floor(sorted.length / 2)] ?? Number.POSITIVE_INFINITY
  return Number.isFinite(found) ? `${found.toFixed(0)} ms` : 'never'
}
