/** JSON-RPC 2.0 messages, structurally what the SDK calls JSONRPCMessage. */

export type JsonRpcId = string | number

export interface JsonRpcRequest {
  jsonrpc: '2.0'
  id: JsonRpcId
  method: string
  params?: Record<string, unknown>
}

export interface JsonRpcNotification {
  jsonrpc: '2.0'
  method: string
  params?: Record<string, unknown>
}

export interface JsonRpcResult {
  jsonrpc: '2.0'
  id: JsonRpcId
  result: Record<string, unknown>
}

export interface JsonRpcError {
  jsonrpc: '2.0'
  id?: JsonRpcId
  error: { code: number; message: string; data?: unknown }
}

export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResult | JsonRpcError

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return 'method' in message && 'id' in message && message.id !== undefined
}

export function isNotification(message: JsonRpcMessage): message is JsonRpcNotification {
  return 'method' in message && !('id' in message && message.id !== undefined)
}

/** Takes back a request of ours. */
export function isCancellation(message: JsonRpcMessage): message is JsonRpcNotification {
  return 'method' in message && message.method === 'notifications/cancelled'
}

/** An answer, good or bad, to a request. */
export function isResponse(message: JsonRpcMessage): message is JsonRpcResult | JsonRpcError {
  return 'result' in message || 'error' in message
}

/**
 * Whether a parsed value is a JSON-RPC message at all. Deliberately shallow: bodies are judged by whoever asked for
 * them, with a schema; here only the envelope counts, on every message, so it must cost next to nothing.
 */
export function isMessage(value: unknown): value is JsonRpcMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0') return false
  if ('method' in value) return typeof value.method === 'string'
  if ('result' in value) return typeof value.result === 'object' && value.result !== null && hasId(value)
  return 'error' in value && typeof value.error === 'object' && value.error !== null
}

function hasId(value: object): boolean {
  return 'id' in value && (typeof value.id === 'string' || typeof value.id === 'number')
}
