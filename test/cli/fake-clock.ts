import { SimulatedClock } from 'xstate'
import type { Clock } from '../../src/clock.js'

/** Time that goes on only when told. */
export class FakeClock extends SimulatedClock implements Clock {}
