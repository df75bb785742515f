import type { JsonRpcId } from './messages.js'

/**
 * Whose answer a message over the size limit was, as far as its two ends tell; `undefined` when it was no answer or cannot be
 * told. Only a member of the outermost object counts: an `id` inside a result is somebody else's. Most servers write
 * the id first; the TypeScript SDK writes it last.
 */
export function answeredId(head: string, tail: string): JsonRpcId | undefined {
  const found = outermostMembers(head)
  if (found.method) return undefined
  return found.id ?? idAtEnd(tail)
}

/**
 * The brace that ends the message ends the outermost object, so a member right before it is one of that object's. The
 * comma before the key proves that its first quote opens a string and does not close one.
 */
const ID_AT_END = /,\s*"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")\s*}\s*$/

function idAtEnd(tail: string): JsonRpcId | undefined {
  const text = ID_AT_END.exec(tail)?.[1]
  return text === undefined ? undefined : toId(text)
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/y

function outermostMembers(head: string): { id?: JsonRpcId; method: boolean } {
  const found: { id?: JsonRpcId; method: boolean } = { method: false }
  const start = head.indexOf('{')
  if (start === -1) return found
  let depth = 0
  let key: string | undefined
  let last = ''
  TOKEN.lastIndex = start
  for (;;) {
    while (/\s/.test(head.charAt(TOKEN.lastIndex))) TOKEN.lastIndex++
    const token = TOKEN.exec(head)?.[0]
    // No token: the head ends here, most likely within a long string.
    if (token === undefined) return found
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (depth === 1 && token === ':') key = last
    else if (depth === 1 && key === '"id"' && TOKEN.lastIndex < head.length) found.id = toId(token)
    if (key === '"method"') found.method = true
    if (token !== ':') key = undefined
    last = token
  }
}

function toId(text: string): JsonRpcId | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'number' || typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
