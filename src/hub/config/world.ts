import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, resolve, sep } from 'node:path'
import type { Place } from './place.js'
import { expand, nameOf, UnsetVariable, type Variable } from './variables.js'

/** What a configuration may refer to. */
export interface World {
  /** Variables of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where relative paths begin. */
  readonly folder: string
  readonly workspaceFolder: string
}

/** Names of variables whose values are secrets, most likely. */
const secretName = /token|secret|password|passwd|key|auth|credential|cookie/i
/** A shorter one would redact ordinary words. */
const LEAST_SECRET = 6

/** Fills in the texts of one entry, and remembers what of it must not be shown. */
export class Expansion {
  readonly #world: World
  /** Answers of a person, by id; those of passwords are secrets. */
  readonly #inputs: ReadonlyMap<string, { readonly value: string; readonly isSecret: boolean }>
  readonly #secrets = new Set<string>()

  constructor(world: World, inputs: ReadonlyMap<string, { readonly value: string; readonly isSecret: boolean }>) {
    this.#world = world
    this.#inputs = inputs
  }

  /** Values that must not be shown wherever a server repeats them. */
  get secrets(): readonly string[] | undefined {
    return this.#secrets.size > 0 ? [...this.#secrets] : undefined
  }

  /** @throws ConfigError that names the variable */
  text(place: Place): string {
    try {
      return expand(place.text(), (variable) => this.#valueOf(variable))
    } catch (failure) {
      if (!(failure instanceof UnsetVariable)) throw failure
      const { variable } = failure
      const name = nameOf(variable)
      throw place.error(complaint(variable), { variable: name })
    }
  }

  pathOf(path: string): string {
    return resolve(this.#world.folder, path === '~' || path.startsWith(`~${sep}`) ? homedir() + path.slice(1) : path)
  }

  /** The text of the file that stands here. */
  read(place: Place): string {
    const path = this.pathOf(this.text(place))
    try {
      return readFileSync(path, 'utf8')
    } catch (cause) {
      throw place.error(`the file ${path} cannot be read`, { cause })
    }
  }

  #valueOf({ kind, name }: Variable): string | undefined {
    if (kind === 'input') {
      const input = this.#inputs.get(name)
      return input && this.#noted(input.value, input.isSecret)
    }
    if (kind !== 'env') return undefined
    const { env, workspaceFolder } = this.#world
    const value = env[name]
    if (value !== undefined) return this.#noted(value, secretName.test(name))
    switch (name) {
      case 'workspaceFolder':
        return workspaceFolder
      case 'workspaceFolderBasename':
        return basename(workspaceFolder)
      case 'userHome':
        return homedir()
      case 'pathSeparator':
      case '/':
        return sep
      default:
        return undefined
    }
  }

  #noted(value: string, isSecret: boolean): string {
    if (isSecret && value.length >= LEAST_SECRET) this.#secrets.add(value)
    return value
  }
}

function complaint(variable: Variable): string {
  const name = nameOf(variable)
  switch (variable.kind) {
    case 'env':
      return `${name} is not set. Set it, give a default as in \${${variable.name}:-default}, or write $${name} for these characters`
    case 'input':
      return `${name} was given no value`
    default:
      return `${name} is no variable that is known here; known are \${NAME}, \${env:NAME} and \${input:ID}`
  }
}
