import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A config file of its own, with these servers. */
export function configOf(mcpServers: Record<string, unknown>): string {
  const file = join(folder(), 'servers.json')
  writeFileSync(file, JSON.stringify({ mcpServers }))
  return file
}

export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'lifeline-cli-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}
