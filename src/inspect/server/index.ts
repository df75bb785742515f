/** The page's server. */
export { type Inspector, type InspectorOptions, startInspector } from './start.js'
