/** The peers, each used as its own documentation says, behind one small face. Same settings for all; defaults otherwise. */
import { createRequire } from 'node:module'

export type Target = { readonly command: string; readonly args: string[] } | { readonly url: string }

export interface Handle {
  call(server: string, tool: string, args: Record<string, unknown>): Promise<unknown>
  close(): Promise<unknown>
}

export interface Peer {
  readonly version: string
  /** Reconnecting is on wherever there is a switch for it. */
  readonly open: (servers: Readonly<Record<string, Target>>) => Promise<Handle>
}

/** Time for one call, in milliseconds; the same for all. */
export const CALL_MS = 60_000

const require = createRequire(import.meta.url)
const client = { name: 'bench', version: '1.0.0' }

function versionOf(name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return require(`${folder}/${name}/package.json`).version
    } catch {
      // The next folder up.
    }
  }
  return 'unknown'
}

async function each<T>(
  servers: Readonly<Record<string, Target>>,
  make: (target: Target, name: string) => Promise<T>,
): Promise<Map<string, T>> {
  const entries = Object.entries(servers)
  return new Map(await Promise.all(entries.map(async ([name, target]) => [name, await make(target, name)] as const)))
}

function must<T>(map: ReadonlyMap<string, T> | Readonly<Record<string, T>>, key: string): T {
  const value = map instanceof Map ? map.get(key) : (map as Readonly<Record<string, T>>)[key]
  if (value === undefined) throw new Error(`there is no ${key}`)
  return value
}

interface SdkClient {
  listTools(): Promise<unknown>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  close(): Promise<void>
}

/** A bare client of an SDK for each server. */
async function ofClients(
  servers: Readonly<Record<string, Target>>,
  connect: (target: Target) => Promise<SdkClient>,
): Promise<Handle> {
  const clients = await each(servers, async (target) => {
    const one = await connect(target)
    await one.listTools()
    return one
  })
  return {
    call: (server, name, args) => must(clients, server).callTool({ name, arguments: args }),
    close: () => Promise.all([...clients.values()].map((one) => one.close())),
  }
}

export const peers: Readonly<Record<string, Peer>> = {
  'mcp-lifeline': {
    version: require('../../../package.json').version,
    async open(servers) {
      const { createConnection } = await import('../../../dist/src/index.js')
      const connections = await each(servers, async (target, name) => {
        const connection = createConnection({ name, target })
        await connection.connect()
        return connection
      })
      return {
        call: (server, name, args) => must(connections, server).callTool({ name, arguments: args }),
        close: () => Promise.all([...connections.values()].map((connection) => connection.close())),
      }
    },
  },

  'SDK client v1': {
    version: versionOf('@modelcontextprotocol/sdk'),
    async open(servers) {
      const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
      const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
      const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
      return ofClients(servers, async (target) => {
        const one = new Client(client)
        const transport =
          'url' in target
            ? new StreamableHTTPClientTransport(new URL(target.url))
            : new StdioClientTransport({ ...target, stderr: 'ignore' })
        await one.connect(transport)
        return one
      })
    },
  },

  'SDK client v2': {
    version: versionOf('@modelcontextprotocol/client'),
    async open(servers) {
      const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
      const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
      return ofClients(servers, async (target) => {
        const one = new Client(client)
        const transport =
          'url' in target
            ? new StreamableHTTPClientTransport(new URL(target.url))
            : new StdioClientTransport({ ...target, stderr: 'ignore' })
        await one.connect(transport)
        return one
      })
    },
  },

  '@langchain/mcp-adapters': {
    version: versionOf('@langchain/mcp-adapters'),
    async open(servers) {
      const { MultiServerMCPClient } = await import('@langchain/mcp-adapters')
      const again = { enabled: true, maxAttempts: 20, delayMs: 1_000 }
      const one = new MultiServerMCPClient({
        prefixToolNameWithServerName: true,
        mcpServers: Object.fromEntries(
          Object.entries(servers).map(([name, target]) => [
            name,
            'url' in target
              ? { transport: 'http' as const, url: target.url, reconnect: again }
              : { transport: 'stdio' as const, ...target, restart: again },
          ]),
        ),
      })
      const tools = new Map((await one.getTools()).map((tool) => [tool.name, tool]))
      return {
        call: (server, name, args) => must(tools, `${server}__${name}`).invoke(args),
        close: () => one.close(),
      }
    },
  },

  'mcp-use': {
    version: versionOf('mcp-use'),
    async open(servers) {
      const { MCPClient } = await import('mcp-use')
      const one = new MCPClient({ mcpServers: { ...servers } })
      const sessions = await one.createAllSessions()
      await Promise.all(Object.values(sessions).map((session) => session.listTools()))
      return {
        call: (server, name, args) => must(sessions, server).callTool(name, args),
        close: () => one.closeAllSessions(),
      }
    },
  },

  '@ai-sdk/mcp': {
    version: versionOf('@ai-sdk/mcp'),
    async open(servers) {
      const { createMCPClient } = await import('@ai-sdk/mcp')
      const { Experimental_StdioMCPTransport } = await import('@ai-sdk/mcp/mcp-stdio')
      const clients = await each(servers, async (target) => {
        const one = await createMCPClient({
          transport:
            'url' in target ? { type: 'http', url: target.url } : new Experimental_StdioMCPTransport({ ...target }),
          maxRetries: 3,
        })
        return { one, tools: await one.tools() }
      })
      return {
        call: async (server, name, args) => {
          const { tools } = must(clients, server)
          return must(tools, name).execute(args, { toolCallId: 'bench', messages: [], context: undefined })
        },
        close: () => Promise.all([...clients.values()].map(({ one }) => one.close())),
      }
    },
  },

  '@mastra/mcp': {
    version: versionOf('@mastra/mcp'),
    async open(servers) {
      const { MCPClient } = await import('@mastra/mcp')
      const one = new MCPClient({
        timeout: CALL_MS,
        servers: Object.fromEntries(
          Object.entries(servers).map(([name, target]) => [
            name,
            'url' in target ? { url: new URL(target.url) } : target,
          ]),
        ),
      })
      const tools = await one.listTools()
      return {
        call: async (server, name, args) => must(tools, `${server}_${name}`).execute?.(args, {} as never),
        close: () => one.disconnect(),
      }
    },
  },
}
