/** mcp-framework over its HTTP stream. Modes: `stream` and `batch`, which answers in JSON. */
import { MCPServer, MCPTool } from 'mcp-framework'
import { z } from '../node_modules/mcp-framework/node_modules/zod/index.js'
import { describe, echo, generation, mode, port } from './shared.js'

class EchoTool extends MCPTool {
  override name = 'echo'
  override description = describe
  override schema = z.object({ text: z.string().describe('What to give back.') })
  override execute({ text }: { text: string }): Promise<string> {
    return echo(text)
  }
}

class GenerationTool extends MCPTool {
  override name = generation
  override description = generation
  override schema = z.object({})
  override async execute(): Promise<string> {
    return ''
  }
}

const server = new MCPServer({
  name: `mcp-framework ${mode}`,
  version: '1.0.0',
  basePath: import.meta.dirname,
  transport: { type: 'http-stream', options: { port, responseMode: mode === 'batch' ? 'batch' : 'stream' } },
})
server.addTool(EchoTool)
server.addTool(GenerationTool)
await server.start()
