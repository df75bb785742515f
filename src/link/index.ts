export { linkActor, releaseActor } from './actor.js'
export { type Catalog, emptyCatalog, type ListKind, type RejectedItem } from './catalog.js'
export { catalogHash, diffCatalogs, type ListChange, textHash } from './catalog-diff.js'
export { clientOptions, libraryVersion, type ServerRequest, type ServerRequestHandler } from './client-options.js'
export { judge } from './judge.js'
export { isKnownLegacy } from './legacy-addresses.js'
export type { SessionMemory } from './port.js'
export { LOG_LEVEL, type RestoredItem } from './restoration.js'
export { ConnectionRuntime, type LinkNote } from './runtime.js'
export {
  addressOf,
  type CustomTarget,
  checkTarget,
  type HttpTarget,
  isAuto,
  isRemote,
  type StdioTarget,
  type Target,
  wireKind,
} from './target.js'
