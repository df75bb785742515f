import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** A temporary file this much older than the one just written belongs to a process that died, in milliseconds. */
const LEFT_BEHIND_MS = 60_000

/**
 * Replaces a file, for this user's eyes alone (0600). Whatever happens, a crash or a full disk included, the file holds
 * the old content or the new one, never a part: all is written and synced beside it, then renamed over it.
 */
export async function writeAtomically(path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}-${randomUUID()}.tmp`
  let writtenAtMs: number
  let handle: FileHandle | undefined
  try {
    handle = await open(temporary, 'wx', 0o600)
    await handle.writeFile(content)
    await handle.sync()
    writtenAtMs = (await handle.stat()).mtimeMs
    await handle.close()
    handle = undefined
    await rename(temporary, path)
  } catch (error) {
    await handle?.close().catch(() => {})
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
  await sweep(path, writtenAtMs)
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true })
  await syncFolder(dirname(path))
}

/** Makes a change of names last through a loss of power. Some systems cannot open folders; theirs is the last word. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

/** Takes away what processes left that were killed in the middle of writing this file. They may hold tokens. */
async function sweep(path: string, writtenAtMs: number): Promise<void> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith('.tmp')) continue
    const file = join(folder, name)
    const { mtimeMs } = (await stat(file).catch(() => undefined)) ?? { mtimeMs: writtenAtMs }
    if (writtenAtMs - mtimeMs > LEFT_BEHIND_MS) await rm(file, { force: true }).catch(() => {})
  }
}
