/**
 * To see what connections do: any XState inspector, without anything secret reaching it, and a page of our own that works
 * offline.
 */
export type { BreakWire } from './model/index.js'
export { type InspectTarget, redacted } from './redacted.js'
export { type Inspector, type InspectorOptions, startInspector } from './server/index.js'
