import type { Connection } from '../connection/index.js'
import { LifelineError, RpcError } from '../errors.js'
import type { Result } from '../protocol.js'
import type { Attributes } from './types.js'

/** Where the server is and how it is spoken to, by the names of OpenTelemetry's semantic conventions for MCP. */
export function connectionAttributes(connection: Connection): Attributes {
  const { wire } = connection.actor.getSnapshot().context
  const protocolVersion = connection.session?.protocolVersion
  const isWeb = wire === 'http' || wire === 'sse'
  return {
    ...(protocolVersion !== undefined && { 'mcp.protocol.version': protocolVersion }),
    ...(wire === 'stdio' && { 'network.transport': 'pipe' }),
    ...(isWeb && { 'network.transport': 'tcp', 'network.protocol.name': 'http' }),
    ...(isWeb && serverAttributes(connection.address)),
  }
}

function serverAttributes(address: string): Attributes {
  if (!URL.canParse(address)) return {}
  const { hostname, port, protocol } = new URL(address)
  return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) }
}

/** What was asked for. Arguments, URIs and results are the application's business and are not told. */
export function callAttributes(method: string, params: Record<string, unknown> | undefined): Attributes {
  const name = typeof params?.name === 'string' ? params.name : undefined
  return {
    'mcp.method.name': method,
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
    ...(method === 'tools/call' && name !== undefined && { 'gen_ai.tool.name': name }),
    ...(method === 'prompts/get' && name !== undefined && { 'gen_ai.prompt.name': name }),
  }
}

/** How it failed; `undefined` when it did not. A tool's own failure is a result, and told as the conventions have it. */
export function failureAttributes(outcome: { result: Result } | { error: unknown }): Attributes | undefined {
  if ('result' in outcome) return outcome.result.isError === true ? { 'error.type': 'tool_error' } : undefined
  const { error } = outcome
  if (error instanceof RpcError)
    return { 'error.type': String(error.rpcCode), 'rpc.response.status_code': String(error.rpcCode) }
  if (error instanceof LifelineError)
    return { 'error.type': error.code, ...(error.fault && { 'lifeline.fault.code': error.fault.code }) }
  return { 'error.type': error instanceof Error ? error.name : '_OTHER' }
}
