import type { Random } from '../../clock.js'
import type { WebWireOptions } from '../web/index.js'

export interface HttpWireOptions extends WebWireOptions {
  /** Go on under a session that an earlier wire established. */
  session?: { id: string; protocolVersion: string }
  /**
   * `auto`: the listening stream is asked for once `notifications/initialized` was accepted, by any 2xx. `manual`: only
   * by `listen()`. Default `auto`.
   */
  listen?: 'auto' | 'manual'
  /** How often in a row a broken reply stream is resumed in vain before its request is given up. Default 5. */
  maxResumes?: number
  random?: Random
}

export const defaultMaxResumes = 5
