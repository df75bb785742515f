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

/** An answer, good or bad, to a request. What has a method is none, also where a serializer adds `error: null` to it. */
export function isResponse(message: JsonRpcMessage): message is JsonRpcResult | JsonRpcError {
  return !('method' in message) && ('result' in message || 'error' in message)
}

/**
 * Whether a parsed value is a JSON-RPC message at all. Deliberately shallow: bodies are judged by whoever asked for
 * them, with a schema; here only the envelope counts, on every message, so it must cost next to nothing.
 */
export function isMessage(value: unknown): value is JsonRpcMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0') return false
  if ('method' in value) return typeof value.method === 'string'
  const { result = null, error = null } = value as { result?: unknown; error?: unknown }
  // An answer that is both good and bad is none.
  if (result !== null) return error === null && typeof result === 'object' && hasId(value)
  return error !== null && typeof error === 'object'
}

/**
 * Members that are null, or undefined where nothing was serialized, are not there: some serializers write all that a message could have, and the SDK's schemas
 * take none too many, so that a good answer would answer nobody.
 */
export function withoutNulls(message: JsonRpcMessage): JsonRpcMessage {
  for (const name in message) {
    if ((message[name as keyof JsonRpcMessage] ?? null) === null) {
      return Object.fromEntries(
        Object.entries(message).filter(([, value]) => (value ?? null) !== null),
      ) as unknown as JsonRpcMessage
    }
  }
  return message
}

function hasId(value: object): boolean {
  return 'id' in value && (typeof value.id === 'string' || typeof value.id === 'number')
}
