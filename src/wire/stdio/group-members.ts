import { readdirSync, readFileSync } from 'node:fs'

/**
 * Whether a process group that still answers `kill(0)` has a member that is more than a zombie. Linux tells in /proc;
 * elsewhere init collects zombies at once, and the answer is yes.
 *
 * Called a few times at the end of a child whose descendants outlive it, never on a living wire.
 */
export function hasLivingMember(group: number, platform: NodeJS.Platform): boolean {
  if (platform !== 'linux') return true
  try {
    return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isLivingMember(name, group))
  } catch {
    // No /proc to read: believe kill(0).
    return true
  }
}

function isLivingMember(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // "pid (name) state ppid pgrp …", where the name may itself hold parentheses and spaces.
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(pgrp) === group && state !== 'Z' && state !== 'X'
  } catch {
    // It ended between the listing and the look.
    return false
  }
}
