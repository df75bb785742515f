import { createHash } from 'node:crypto'
import type { Chance } from './chance.js'

/**
 * Puts chance from a seed, and digests that are there at once, in the place of what the process has.
 *
 * @returns what puts the real ones back
 */
export function driveCrypto(chance: Chance): () => void {
  const byte = () => chance.whole(0, 255)
  const bytes = (count: number) => Uint8Array.from({ length: count }, byte)
  Object.defineProperties(globalThis.crypto, {
    getRandomValues: own((into: Uint8Array) => into.map(byte)),
    randomUUID: own(() => Buffer.from(bytes(16)).toString('hex')),
  })
  Object.defineProperty(
    globalThis.crypto.subtle,
    'digest',
    own(async (_name: string, data: Uint8Array) => new Uint8Array(createHash('sha256').update(data).digest()).buffer),
  )
  return () => {
    Reflect.deleteProperty(globalThis.crypto, 'getRandomValues')
    Reflect.deleteProperty(globalThis.crypto, 'randomUUID')
    Reflect.deleteProperty(globalThis.crypto.subtle, 'digest')
  }
}

const own = (value: unknown) => ({ value, configurable: true })
