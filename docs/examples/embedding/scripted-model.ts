import type { Message, Model } from './chat.js'

const call = (name: string, args: object = {}): Message => ({
  role: 'assistant',
  toolCalls: [{ id: name, name, arguments: JSON.stringify(args) }],
})

/** Stands in for the API of a model: it looks at the tools and results that it is handed and does the obvious. */
export const scriptedModel: Model = async ({ messages, tools }) => {
  const last = messages.at(-1)
  if (!last || last.role === 'user') return call('stock')
  if (last.role !== 'tool') throw new Error('it is not the turn of the model')
  console.log(`${last.toolCallId} (of ${tools.length} tools): ${last.content}`)
  if (last.toolCallId === 'stock' && !messages.some((m) => m.role === 'tool' && m.toolCallId === 'order'))
    return call('order')
  if (last.content.startsWith('It is not known')) return call('stock')
  return { role: 'assistant', content: `There were ${last.content}; whether the lamp was ordered, I cannot say.` }
}
