import { createHash } from 'node:crypto'

/** What every model API takes: these characters, and at most so many; some want a letter or `_` first. */
const allowed = /^[a-zA-Z_][a-zA-Z0-9_-]*$/
const MOST = 64
/** Between the server's name and the tool's. */
const BETWEEN = '__'
/** Hexadecimal digits: 48 bits, so that no server finds a name that another one's tool has already. */
const HASH_LENGTH = 12
const looksHashed = new RegExp(`_[0-9a-f]{${HASH_LENGTH}}$`)
/** Of the server's name, where the whole is too long. */
const MOST_SERVER = 20

/**
 * The name of a server's tool in the hub: `files__read`. It depends on these two names only, so it stays the same
 * whatever other servers and tools there are. Where the two names do not make one that is allowed and can be told from
 * every other pair's, both are made fit and a hash of the pair is put behind.
 */
export function toolName(server: string, tool: string): string {
  const plain = `${server}${BETWEEN}${tool}`
  // The first `__` is the one between; so no other pair has this name.
  const canBeTold = !server.includes(BETWEEN) && !server.endsWith('_') && server !== '' && tool !== ''
  if (canBeTold && allowed.test(plain) && plain.length <= MOST && !looksHashed.test(plain)) return plain
  const pair = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH)
  const room = MOST - HASH_LENGTH - 1
  const whole = `${sanitized(server)}${BETWEEN}${sanitized(tool)}`
  const kept =
    whole.length <= room
      ? whole
      : `${sanitized(server).slice(0, MOST_SERVER)}${BETWEEN}${sanitized(tool)}`.slice(0, room)
  return `${allowed.test(kept) ? kept : `_${kept}`.slice(0, room)}_${pair}`
}

/** What the hub's names of this server's tools begin with. */
export function toolPrefix(server: string): string {
  const start = sanitized(server)
  return (allowed.test(start) ? start : `_${start}`).slice(0, MOST_SERVER)
}

const sanitized = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')
