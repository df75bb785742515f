import { access, constants, stat } from 'node:fs/promises'
import { isAbsolute, resolve, sep } from 'node:path'
import type { WireEvidence } from '../../../machines/evidence.js'
import { WireError } from '../failure.js'

interface Attempt {
  command: string
  cwd: string | undefined
}

/**
 * What kept a child from being started, as an error that names the right thing. The system reports a missing working
 * directory with the very words for a missing command (field report 11.03), and a missing interpreter of a script
 * likewise (11.02), so what was asked for is looked at once more.
 */
export async function spawnFailure(attempt: Attempt, cause: Error): Promise<WireError> {
  const errno = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  const evidence: WireEvidence = {
    kind: 'spawn',
    wire: 'stdio',
    sent: false,
    ...(errno === undefined ? {} : { errno }),
    ...((await directoryTrouble(attempt.cwd)) ?? (await commandTrouble(attempt, errno))),
  }
  return new WireError(evidence, { cause })
}

type Trouble = Pick<WireEvidence, 'subject' | 'target' | 'summary' | 'errno'>

async function directoryTrouble(cwd: string | undefined): Promise<Trouble | undefined> {
  if (cwd === undefined) return undefined
  const because = (errno: string, why: string): Trouble => ({
    subject: 'cwd',
    target: cwd,
    errno,
    summary: `working directory ${cwd} ${why}`,
  })
  try {
    const found = await stat(cwd)
    if (!found.isDirectory()) return because('ENOTDIR', 'is not a directory')
    await access(cwd, constants.X_OK)
    return undefined
  } catch (error) {
    const errno = error instanceof Error && 'code' in error ? String(error.code) : 'ENOENT'
    return because(errno, errno === 'ENOENT' ? 'does not exist' : `cannot be entered (${errno})`)
  }
}

async function commandTrouble({ command, cwd }: Attempt, errno: string | undefined): Promise<Trouble> {
  const because = (why: string): Trouble => ({
    subject: 'command',
    target: command,
    summary: `command ${command} ${why}`,
  })
  switch (errno) {
    case 'ENOENT':
      if (await isThere(command, cwd)) return because('is there, but the interpreter its first line names is not')
      return because(isPath(command) ? 'does not exist' : "was not found in the child's PATH")
    case 'EACCES':
      return because('may not be executed')
    case 'ENOTDIR':
      return because('is no path: a part of it is not a directory')
    default:
      return because(errno === undefined ? 'could not be started' : `could not be started (${errno})`)
  }
}

function isPath(command: string): boolean {
  return isAbsolute(command) || command.includes('/') || command.includes(sep)
}

async function isThere(command: string, cwd: string | undefined): Promise<boolean> {
  if (!isPath(command)) return false
  try {
    await access(resolve(cwd ?? '.', command))
    return true
  } catch {
    return false
  }
}
