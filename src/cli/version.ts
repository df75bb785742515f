import { existsSync, readFileSync } from 'node:fs'

/** Of the package that this file belongs to: the nearest manifest above it. */
export function version(folder = new URL('.', import.meta.url)): string {
  const manifest = new URL('package.json', folder)
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : version(new URL('..', folder))
}
