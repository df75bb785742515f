import type { Rule } from '../faults.js'
import { authorizationRules } from './authorization.js'
import { callRules } from './call.js'
import { dialectRules } from './dialect.js'
import { httpRules } from './http.js'
import { lastRules } from './last.js'
import { networkRules } from './network.js'
import { processRules } from './process.js'
import { sessionRules } from './session.js'
import { timeRules } from './time.js'

/** All rules of the library in the order in which they are asked: the first that matches judges. */
export const rules: readonly Rule[] = [
  ...processRules,
  ...networkRules,
  ...timeRules,
  ...authorizationRules,
  ...sessionRules,
  ...dialectRules,
  ...httpRules,
  ...callRules,
  ...lastRules,
]
