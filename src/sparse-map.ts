/**
 * A map that is nearly always empty, and takes no room then: an empty `Map` holds 190 bytes, one that has been larger
 * keeps what it had, and a thousand connections have thousands of them.
 */
export class SparseMap<K, V> {
  #map: Map<K, V> | undefined

  get size(): number {
    return this.#map?.size ?? 0
  }

  has(key: K): boolean {
    return this.#map?.has(key) === true
  }

  get(key: K): V | undefined {
    return this.#map?.get(key)
  }

  set(key: K, value: V): void {
    this.#map ??= new Map()
    this.#map.set(key, value)
  }

  delete(key: K): boolean {
    const isIn = this.#map?.delete(key) === true
    if (this.#map?.size === 0) this.#map = undefined
    return isIn
  }

  clear(): void {
    this.#map = undefined
  }

  /** As they are now: what is taken out meanwhile is still gone through. */
  entries(): [K, V][] {
    return this.#map ? [...this.#map] : []
  }

  values(): V[] {
    return this.#map ? [...this.#map.values()] : []
  }
}
