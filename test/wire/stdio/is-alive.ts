import { existsSync, readFileSync } from 'node:fs'

/** Whether a process lives; a zombie that nobody has collected yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const stat = `/proc/${pid}/stat`
  if (!existsSync('/proc')) return true
  try {
    return !/\) [ZX] /.test(readFileSync(stat, 'latin1'))
  } catch {
    return false
  }
}
