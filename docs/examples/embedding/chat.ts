import { type CallToolResult, type Connection, createConnection, OutcomeUnknownError, type Tool } from 'mcp-lifeline'
import { MemoryServer } from './memory-server.js'
import { scriptedModel } from './scripted-model.js'

// part: shapes
/** The shape in which most APIs of models take tools, calls and results. */
export type Message =
  | { role: 'user' | 'assistant'; content: string }
  | { role: 'assistant'; toolCalls: readonly { id: string; name: string; arguments: string }[] }
  | { role: 'tool'; toolCallId: string; content: string }

export type Model = (request: { messages: readonly Message[]; tools: readonly object[] }) => Promise<Message>

const asFunction = ({ name, description, inputSchema }: Tool) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
})
// end

// part: loop
/** Asks the model until it has an answer for the user. */
export async function chat(model: Model, server: Connection, question: string): Promise<string> {
  const messages: Message[] = [{ role: 'user', content: question }]
  for (let turn = 0; turn < 10; turn++) {
    // The catalog is read anew on each turn: it follows the server, also while the server is away.
    const reply = await model({ messages, tools: server.catalog.tools.map(asFunction) })
    messages.push(reply)
    if (!('toolCalls' in reply)) return reply.content
    // In parallel: each call has its own outcome, and one that fails is told to the model, not thrown.
    const results = await Promise.all(
      reply.toolCalls.map(async ({ id, name, arguments: text }): Promise<Message> => {
        const content = await callTool(server, name, text)
        return { role: 'tool', toolCallId: id, content }
      }),
    )
    messages.push(...results)
  }
  throw new Error('the model found no answer in ten turns')
}

async function callTool(server: Connection, name: string, text: string): Promise<string> {
  try {
    const result = await server.callTool({ name, arguments: JSON.parse(text) }, { timeoutMs: 30_000 })
    return result.isError ? `The tool failed: ${textOf(result)}` : textOf(result)
  } catch (error) {
    // The model may try again what certainly did not run, and has to ask about what may have.
    if (error instanceof OutcomeUnknownError)
      return 'It is not known whether this was done. Find out before you try again.'
    return `This was not done: ${error instanceof Error ? error.message : error}`
  }
}

const textOf = ({ content }: CallToolResult) =>
  content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
// end

const shop = new MemoryServer((server) => {
  server.registerTool('stock', { description: 'How many are left.' }, () => ({
    content: [{ type: 'text', text: '3' }],
  }))
  server.registerTool('order', { description: 'Orders one.' }, async () => {
    // The first order is the last thing that this process does.
    await shop.crash()
    return { content: [] }
  })
})

await using server = createConnection({ name: 'shop', target: shop.target })
await server.connect()
console.log(await chat(scriptedModel, server, 'Order one lamp, if there are any.'))
