export { judge, linkActor, releaseActor } from './actor.js'
export { type Catalog, emptyCatalog, type ListKind, type RejectedItem } from './catalog.js'
export { clientOptions, type ServerRequest, type ServerRequestHandler } from './client-options.js'
export { ConnectionRuntime } from './runtime.js'
export {
  type CustomTarget,
  checkTarget,
  type HttpTarget,
  isRemote,
  type StdioTarget,
  type Target,
  wireKind,
} from './target.js'
