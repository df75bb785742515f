import { processes } from './processes.js'
import { sessions } from './sessions.js'
import type { Situation } from './situation.js'
import { web } from './web.js'

/** Broken situations by where they arise, as docs/troubleshooting.md lists them. */
export const situationsBy: Readonly<Record<string, readonly Situation[]>> = {
  'Servers that run as processes': processes,
  'The way to a server, and what it answers': web,
  'Sessions, restarts and proxies': sessions,
}

export const situations: readonly Situation[] = Object.values(situationsBy).flat()
