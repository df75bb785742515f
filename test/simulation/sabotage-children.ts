/** Connections whose child processes, or whose dealing with them, are broken in one way each. */
import { createConnection } from '../../src/index.js'
import { type ProcessSystem, processSystem, replaceProcessSystem } from '../../src/wire/stdio/system.js'
import { judging, rule, type Sabotage } from './sabotage-kit.js'

/** The simulated system behind one that does something else; the simulation puts the real one back. */
const running =
  (change: (system: ProcessSystem) => Partial<ProcessSystem>): Sabotage['connect'] =>
  (options) => {
    const system = processSystem()
    replaceProcessSystem({ ...system, ...change(system) })
    return createConnection(options)
  }

export const childSabotages: readonly Sabotage[] = [
  {
    what: 'every program is started twice',
    breaks: 'there is at most one child (P4)',
    connect: running((system) => ({
      start: (target) => {
        system.start(target)
        return system.start(target)
      },
    })),
  },
  {
    what: 'a missing command is taken for a busy machine',
    breaks: 'a command that cannot be started is not tried again (P5)',
    connect: judging(rule((e) => e.kind === 'spawn', { scope: 'link' })),
  },
  {
    what: 'early exits are not counted',
    breaks: 'a command that ends at every start gets a rest (P6)',
    connect: judging(rule((e) => e.kind === 'exit', { scope: 'link' })),
  },
  {
    what: 'no signal gets through',
    breaks: 'no child is left after close (P18)',
    connect: running(() => ({ kill: () => {}, run: () => {} })),
  },
]
