/** What may leave the process by way of an inspector: lists of what goes out, never of what stays. */
export { type SafeDefinition, type SafeTransition, safeDefinition } from './definition.js'
export { safeEvent } from './event.js'
export { evidenceList } from './lists.js'
export { pick } from './pick.js'
export { safeSnapshot, stateValue } from './snapshot.js'
export { delayName, safeText, safeWord } from './text.js'
