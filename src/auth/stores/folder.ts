import { createHash } from 'node:crypto'
import { mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { TokenStoreError } from '../../errors.js'
import { storeError } from './store-error.js'

/** Where tokens go when nobody says otherwise: where each system keeps the state of programs, per user. */
export function defaultFolder(platform = process.platform, env = process.env): string {
  const base =
    platform === 'win32'
      ? (env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'))
      : platform === 'darwin'
        ? join(homedir(), 'Library', 'Application Support')
        : stateHome(env)
  return join(base, 'mcp-lifeline', 'tokens')
}

/** The base directory specification has relative paths ignored. */
function stateHome({ XDG_STATE_HOME = '' }: NodeJS.ProcessEnv): string {
  return isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(homedir(), '.local', 'state')
}

/**
 * Makes the folder, for this user alone, if it is not there. One that is there is left as it is, unless everybody may
 * write in it: whoever can put a file there can choose which account this user works with.
 */
export function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { mode } = statSync(folder)
    if (process.platform === 'win32' || (mode & 0o002) === 0) return
  } catch (error) {
    throw storeError('cannot use the folder', folder, error)
  }
  throw new TokenStoreError(
    'denied',
    `Token store: everybody may write in ${folder}, and so choose the tokens in it. Run chmod 700 on it, or give a folder in it as \`path\`.`,
  )
}

/** The name of a key's files, without its extension: the same length for any key, and nothing of it to be seen. */
export const fileNameOf = (key: string): string => digest(key).slice(0, 32)

export const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
