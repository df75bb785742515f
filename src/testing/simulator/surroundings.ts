import type { SimulatedAuthorization } from './authorization/index.js'
import type { SimulatedExchange } from './exchange.js'
import type { HttpService } from './http-service.js'
import type { OvertakenChange } from './overtaken.js'
import type { SimulatedProcesses } from './processes.js'
import type { SimulatedServer } from './server.js'
import type { SimulatedTransport } from './transport.js'

/** As much of the world as what watches one connection looks at. */
export interface Surroundings {
  readonly server: SimulatedServer
  readonly service: HttpService
  /** Where every request needs a credential. */
  readonly authorization: SimulatedAuthorization | undefined
  readonly overtaken: OvertakenChange
  readonly processes: Pick<SimulatedProcesses, 'running'>
  /** What this connection has open. */
  readonly network: {
    readonly exchanges: ReadonlySet<SimulatedExchange>
    readonly transports: ReadonlySet<SimulatedTransport>
  }
}
