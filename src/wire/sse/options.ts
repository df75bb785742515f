import type { WebWireOptions } from '../web/index.js'

/**
 * As for the Streamable HTTP wire, as far as it applies: the session is the stream, so there is none to go on with, and
 * nothing to resume. `url` is the address of the event stream, often `…/sse`. There is no timeout: `close()` ends a
 * `start()` that the server leaves waiting.
 */
export interface SseWireOptions extends WebWireOptions {}
