import type { Chance } from './chance.js'
import type { ChildEnd } from './child.js'

/** Why the system starts no process. The first two do not pass by waiting. */
const startErrors = ['ENOENT', 'EACCES', 'EAGAIN', 'EMFILE'] as const
export type StartError = (typeof startErrors)[number]

/** What befalls a server that runs as a child process. */
export type ChildMisfortune =
  | { readonly do: 'no start'; readonly errno: StartError; readonly times: number }
  /** The next of them end before they have answered anything. */
  | { readonly do: 'early exit'; readonly times: number; readonly afterMs: number; readonly end: ChildEnd }
  /** Those that start in this time take so much longer. */
  | { readonly do: 'slow start'; readonly ms: number; readonly extraMs: number }
  | { readonly do: 'die'; readonly end: ChildEnd }
  /** The next call is its last. */
  | { readonly do: 'die on a call'; readonly when: 'before' | 'after'; readonly end: ChildEnd }
  /** It reads nothing of what it is sent. */
  | { readonly do: 'read nothing'; readonly ms: number }
  /** It does nothing at all, and takes no signal but SIGKILL. */
  | { readonly do: 'freeze'; readonly ms: number }
  /** It closes its stdout and lives on. */
  | { readonly do: 'close stdout' }
  | { readonly do: 'babble'; readonly on: 'stdout' | 'stderr'; readonly lines: number }

export const childMisfortunes = [
  ...(['no start', 'early exit', 'slow start', 'die', 'die on a call'] as const),
  ...(['read nothing', 'freeze', 'close stdout', 'babble'] as const),
] satisfies ChildMisfortune['do'][]

/** It will not pass: the connection may give up for good. */
export const isForGood = (errno: StartError | undefined): boolean => errno === 'ENOENT' || errno === 'EACCES'

export function childMisfortune(chance: Chance): ChildMisfortune {
  const kind = chance.weighted<ChildMisfortune['do']>({
    'no start': 2,
    'early exit': 3,
    'slow start': 2,
    die: 6,
    'die on a call': 5,
    'read nothing': 3,
    freeze: 4,
    'close stdout': 2,
    babble: 2,
  })
  switch (kind) {
    case 'no start':
      return { do: kind, errno: chance.pick(startErrors), times: chance.mostlySmall(1, 6) }
    case 'early exit':
      return { do: kind, times: chance.mostlySmall(1, 8), afterMs: chance.mostlySmall(0, 2_000), end: endOf(chance) }
    case 'slow start':
      return { do: kind, ms: chance.mostlySmall(10, 90_000), extraMs: chance.mostlySmall(100, 120_000) }
    case 'die':
      return { do: kind, end: endOf(chance) }
    case 'die on a call':
      return { do: kind, when: chance.pick(['before', 'after']), end: endOf(chance) }
    case 'read nothing':
    case 'freeze':
      return { do: kind, ms: chance.mostlySmall(10, 90_000) }
    case 'babble':
      return { do: kind, on: chance.pick(['stdout', 'stderr']), lines: chance.mostlySmall(1, 50) }
    default:
      return { do: kind }
  }
}

const endOf = (chance: Chance): ChildEnd =>
  chance.pick<ChildEnd>([
    { code: 0, signal: null },
    { code: 1, signal: null },
    { code: 127, signal: null },
    { code: null, signal: 'SIGKILL' },
    { code: null, signal: 'SIGSEGV' },
  ])
