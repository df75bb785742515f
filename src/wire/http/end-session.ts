/** Tells the server that the session is over: a DELETE, bounded. */
import type { Exchange } from '../web/index.js'
import type { WireCore } from './core.js'

/**
 * Resolves at the first sign of an answer, whatever it is (405, 404 and 400 are common and fine, deviation 27), at a
 * failure, or after `timeoutMs`; never rejects. Nothing of it is left then.
 */
export function deleteSession(core: WireCore, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    let exchange: Exchange | undefined
    let isOver = false
    const over = () => {
      if (isOver) return
      isOver = true
      core.clock.clearTimeout(timer)
      exchange?.abort()
      resolve()
    }
    const timer: unknown = core.clock.setTimeout(over, timeoutMs)
    const sink = { head: over, data() {}, end: over, fail: over }
    Promise.resolve(core.headers.for('end')).then(({ headers }) => {
      if (isOver) return
      exchange = core.client.exchange({ method: 'DELETE', target: core.target, headers }, sink)
    }, over)
  })
}
