import {
  cannotReach,
  connectionCases,
  connectionInvariants,
  connectionKey,
  connectionSlices,
  explore,
  isCommand,
  isCooperative,
  sampleFault,
  summarize,
} from 'mcp-lifeline/testing'
import { machine } from './machine.js'

// part: explore
/** Every event in every state of the extended chart; the library's sentences must hold in each. */
export const report = explore(machine, {
  slices: connectionSlices.map((slice) => ({ ...slice, input: { ...slice.input, quotaMs: 60_000 } })),
  cases: {
    ...connectionCases(machine),
    fault: [
      ...(connectionCases(machine).fault ?? []),
      { name: 'rate-limited', event: { type: 'fault', fault: sampleFault('rate-limited') } },
    ],
    drain: [{ name: '', event: { type: 'drain' } }],
    'maintenance.begin': [{ name: '', event: { type: 'maintenance.begin' } }],
    'maintenance.end': [{ name: '', event: { type: 'maintenance.end' } }],
  },
  project: connectionKey,
  invariants: connectionInvariants,
})

/** From where no healing world and no command of the application leads back. */
export const lost = cannotReach(
  report,
  ({ snapshot }) => snapshot.hasTag('usable') || snapshot.context.after === 'closed',
  (label) => isCooperative(label) || isCommand(label),
)
// end

console.log(summarize(report))
console.log(
  lost.length === 0 ? 'a way leads back from everywhere' : `no way back from ${lost.map(({ value }) => value)}`,
)
