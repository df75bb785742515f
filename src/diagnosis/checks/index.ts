import type { Check } from '../finding.js'
import { access, credential, endpoint, load, rate, version } from './http.js'
import { lists } from './lists.js'
import { certificate, dns, reachable } from './network.js'
import { backoff, reason, storm } from './pace.js'
import { command, environment, processAlive, runtime, start, stdout } from './process.js'
import { handshake, instances, restart, session } from './session.js'
import { idleProxy, responsive } from './streams.js'

/**
 * The checklist, causes before what follows from them: a module that is missing before the process that ends for it, a
 * restart before the session that is lost by it, a storm of ours before the limit that it runs into. Where several are
 * bad, the first is the cause.
 */
export const checks: readonly Check[] = [
  command,
  runtime,
  environment,
  processAlive,
  start,
  dns,
  certificate,
  reachable,
  endpoint,
  version,
  credential,
  access,
  storm,
  rate,
  instances,
  restart,
  idleProxy,
  session,
  load,
  responsive,
  lists,
  stdout,
  handshake,
  backoff,
  reason,
]
