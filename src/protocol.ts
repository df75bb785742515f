/** What servers offer, as far as a host needs to know it. Structural: every object of the SDK's types fits. */

export interface Tool {
  name: string
  title?: string
  description?: string
  inputSchema: { type?: string; [key: string]: unknown }
  outputSchema?: Record<string, unknown>
  annotations?: {
    title?: string
    readOnlyHint?: boolean
    destructiveHint?: boolean
    idempotentHint?: boolean
    openWorldHint?: boolean
    [key: string]: unknown
  }
  [key: string]: unknown
}

export interface Resource {
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  [key: string]: unknown
}

export interface ResourceTemplate {
  uriTemplate: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  [key: string]: unknown
}

export interface Prompt {
  name: string
  title?: string
  description?: string
  arguments?: { name: string; description?: string; required?: boolean; [key: string]: unknown }[]
  [key: string]: unknown
}

export interface ServerInfo {
  name: string
  version: string
  title?: string
  [key: string]: unknown
}

/** Capabilities, ours or the server's: a key that is present is a capability that is there. */
export type Capabilities = Record<string, Record<string, unknown> | undefined>

export interface Notification {
  method: string
  params?: Record<string, unknown>
}

/** The result of any request. */
export type Result = Record<string, unknown>

/** Text, image, audio, a resource or a link to one: `type` tells which of the other fields are there. */
export interface ContentBlock {
  type: string
  /** For `text`. */
  text?: string
  /** For `image` and `audio`: base64. */
  data?: string
  mimeType?: string
  /** For `resource_link`. */
  uri?: string
  /** For `resource`. */
  resource?: ResourceContents
  [key: string]: unknown
}

export interface ResourceContents {
  uri: string
  mimeType?: string
  text?: string
  /** Base64. */
  blob?: string
  [key: string]: unknown
}

export interface ReadResourceResult extends Result {
  contents: ResourceContents[]
}

export interface GetPromptResult extends Result {
  description?: string
  messages: { role: 'user' | 'assistant'; content: ContentBlock }[]
}

export interface CompleteResult extends Result {
  completion: { values: string[]; total?: number; hasMore?: boolean }
}

export interface CallToolResult extends Result {
  content: ContentBlock[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

/** Methods that the protocol itself makes read-only: running them twice changes nothing. */
const readOnlyMethods: ReadonlySet<string> = new Set([
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
])

export const isReadOnly = (method: string): boolean => readOnlyMethods.has(method)
