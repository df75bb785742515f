import type { Clock } from '../../clock.js'
import { textHash } from '../catalog-diff.js'
import type { StdioTarget, Target } from '../target.js'
import type { Door } from './door.js'
import { Origins } from './origins.js'
import { Starts } from './starts.js'

/** Through which all links of a process go, so that many connections to one server do not do it harm together. */
export class Gate {
  readonly #origins: Origins
  readonly #starts: Starts

  constructor(clock: Clock) {
    this.#origins = new Origins(clock)
    this.#starts = new Starts(clock)
  }

  /** How many servers something is known of. */
  get size(): number {
    return this.#origins.size + this.#starts.size
  }

  /** None where there is nothing to share: a transport of the user's own, an address that cannot be read. */
  door(target: Target): Door | undefined {
    if ('command' in target) return this.#starts.door(startKey(target))
    return 'url' in target && URL.canParse(String(target.url)) ? this.#origins.door(new URL(target.url)) : undefined
  }
}

const gates = new WeakMap<Clock, Gate>()

/** The gate of the process, one for each clock: times of a driven clock say nothing to connections under the real one. */
export function gateOf(clock: Clock): Gate {
  const known = gates.get(clock)
  if (known) return known
  const gate = new Gate(clock)
  gates.set(clock, gate)
  return gate
}

/** Its own environment belongs to a start: a variable that is missing may be why it fails. Hashed, as it holds secrets. */
function startKey({ command, args = [], cwd, env = {}, inheritEnv = [] }: StdioTarget): string {
  const variables = Object.entries(env).map(([name, value]) => [name, value ?? null])
  return textHash(JSON.stringify([command, args, cwd ?? null, variables, inheritEnv]))
}
