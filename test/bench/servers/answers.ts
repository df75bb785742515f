/** What servers without dependencies answer. */

interface Params {
  readonly protocolVersion?: string
  readonly cursor?: string
  readonly name?: string
  readonly arguments?: { readonly text?: string }
}

/** How much there is to list. */
export interface Offer {
  readonly tools: number
  readonly pages: number
}

export const oneTool: Offer = { tools: 1, pages: 1 }

export function answerTo(method: string, params: Params = {}, offer: Offer = oneTool): object {
  switch (method) {
    case 'initialize': {
      const { protocolVersion } = params
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bench', version: '1.0.0' } }
    }
    case 'tools/list':
      return toolPage(Number(params.cursor ?? 0), offer)
    case 'tools/call': {
      const text = params.name === 'pid' ? String(process.pid) : params.arguments?.text
      return { content: [{ type: 'text', text }] }
    }
    default:
      return {}
  }
}

const inputSchema = {
  type: 'object',
  properties: { text: { type: 'string', description: 'what to return' }, times: { type: 'integer', minimum: 1 } },
  required: ['text'],
}

function toolPage(page: number, { tools, pages }: Offer): object {
  const size = Math.ceil(tools / pages)
  const first = page * size
  const count = Math.min(size, tools - first)
  return {
    tools: Array.from({ length: Math.max(0, count) }, (_, i) => ({
      name: first + i === 0 ? 'echo' : `tool-${first + i}`,
      description: 'Returns what it is given, as often as it is asked to.',
      inputSchema,
    })),
    ...(page + 1 < pages && { nextCursor: String(page + 1) }),
  }
}
