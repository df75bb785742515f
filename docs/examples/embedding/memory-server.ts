import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'

/** A server in this process, which can be taken away: enough for an example. */
export class MemoryServer {
  readonly #offer: (server: McpServer) => void
  #server: McpServer | undefined

  constructor(offer: (server: McpServer) => void) {
    this.#offer = offer
  }

  readonly target = {
    open: () => {
      const [here, there] = InMemoryTransport.createLinkedPair()
      this.#server = new McpServer({ name: 'memory', version: '1.0.0' })
      this.#offer(this.#server)
      void this.#server.connect(there)
      return here
    },
  }

  /** As when its process dies. */
  async crash(): Promise<void> {
    await this.#server?.close()
  }
}
