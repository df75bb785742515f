import { ConfigError, type ConfigPlace } from '../../errors.js'
import type { JsonNode, JsonText } from './json-text.js'

/** A field of an object in a text. */
export interface Field {
  readonly name: string
  readonly value: Place
}

/**
 * A value of a configuration, with the way that leads to it. Everything wrong is told with where it stands; the value
 * itself is never shown: it may be a secret.
 */
export class Place {
  readonly path: readonly (string | number)[]
  readonly #source: Source
  /** Absent for a value that comes from no text. */
  readonly #node: JsonNode | undefined
  readonly #value: unknown

  constructor(source: Source, value: unknown, node?: JsonNode, path: readonly (string | number)[] = []) {
    this.#source = source
    this.#value = value
    this.#node = node
    this.path = path
  }

  get at(): ConfigPlace {
    const { file, text, server } = this.#source
    const field = this.path.join('.')
    return {
      ...(file !== undefined && { file }),
      ...(text && this.#node && text.positionOf(this.#node)),
      ...(server !== undefined && { server }),
      ...(field !== '' && { field }),
    }
  }

  get raw(): unknown {
    return this.#value
  }

  /** The same place, within a server's entry: its path begins here. */
  asServer(server: string, value: unknown = this.#value): Place {
    return new Place({ ...this.#source, server }, value, this.#node)
  }

  error(what: string, more?: { variable?: string; cause?: unknown }): ConfigError {
    const { variable, cause } = more ?? {}
    const at = { ...this.at, ...(variable !== undefined && { variable }) }
    return new ConfigError(`${this.say(what)}.`, { at, ...(cause !== undefined && { cause }) })
  }

  /** The words, with the place in front: `mcp.json:3:7: server 'files', env.TOKEN: …`. */
  say(what: string): string {
    const { file, line, column, server, field } = this.at
    const where = line === undefined ? file : `${file}:${line}:${column}`
    const named = [server && `server '${server}'`, field].filter(Boolean).join(', ')
    return [where, named, what].filter(Boolean).join(': ')
  }

  refuse(what: string): never {
    throw this.error(what)
  }

  /** The fields in their order; of one that is there twice, the last. `twice` is told of the others. */
  fields(twice: (name: string, first: Place, last: Place) => void = () => {}): Field[] {
    if (!isObject(this.#value)) return this.refuse('must be an object')
    const last = new Map<string, Place>()
    for (const [name, place] of this.#members()) {
      const first = last.get(name)
      if (first) twice(name, first, place)
      last.set(name, place)
    }
    return Object.keys(this.#value).map((name) => ({ name, value: last.get(name) ?? this.#child(name) }))
  }

  items(): Place[] {
    if (!Array.isArray(this.#value)) return this.refuse('must be a list')
    return this.#value.map((_, i) => this.#child(i))
  }

  string(): string {
    return typeof this.#value === 'string' ? this.#value : this.refuse('must be a text')
  }

  /** A text, or what can only be meant as one. */
  text(): string {
    const value = this.#value
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : this.string()
  }

  boolean(): boolean {
    return typeof this.#value === 'boolean' ? this.#value : this.refuse('must be true or false')
  }

  number(): number {
    const value = this.#value
    return typeof value === 'number' && value >= 0 ? value : this.refuse('must be a number from 0')
  }

  #child(key: string | number): Place {
    const value = isObject(this.#value) || Array.isArray(this.#value) ? Reflect.get(this.#value, key) : undefined
    const node =
      typeof key === 'number'
        ? this.#node?.children?.[key]
        : this.#node?.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1]
    return new Place(this.#source, value, node, [...this.path, key])
  }

  /** As the text has them, the same name perhaps more than once; each stands where its name does. */
  *#members(): Iterable<[name: string, place: Place]> {
    for (const { children: [key, value] = [] } of this.#node?.children ?? []) {
      if (!key || !value || !isObject(this.#value) || !(key.value in this.#value)) continue
      const held = value.type === 'object' || value.type === 'array' ? { ...value, offset: key.offset } : value
      yield [key.value, new Place(this.#source, this.#value[key.value], held, [...this.path, key.value])]
    }
  }
}

interface Source {
  readonly file?: string
  readonly text?: JsonText
  readonly server?: string
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
