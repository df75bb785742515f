import {
  type ConnectionView,
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
/** The library's own chart has been explored with all that can add up; here a little of it is enough. */
const littleStandsAgainstIt = ({ context: c }: ConnectionView): boolean =>
  c.attempts + c.renewals + c.authorizations + c.earlyExits + c.dialectsTried.length <= 1

/** The other regions of `ready` go through all that they can while calls are served; draining says nothing to them. */
const isCalmWhileDraining = (name: string, snapshot: ConnectionView): boolean =>
  name !== 'regions' || !snapshot.hasTag('draining')

/** Every event in every state of the extended chart; the library's sentences must hold in each. */
export const report = explore(machine, {
  slices: connectionSlices.map((slice) => ({
    ...slice,
    input: { ...slice.input, quotaMs: 60_000 },
    within: (snapshot) =>
      slice.within(snapshot) && littleStandsAgainstIt(snapshot) && isCalmWhileDraining(slice.name, snapshot),
  })),
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
