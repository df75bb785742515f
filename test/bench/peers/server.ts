/**
 * The server that all peers meet: no dependencies, so that it starts at once and the figures are about clients. Over
 * stdio, or over HTTP with sessions. Every run of a tool is written down before anything is answered.
 *
 *     node server.ts stdio LOG
 *     node server.ts http LOG PORT     (port 0: any; the port is told to the parent process)
 */
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly name?: string
    readonly arguments?: { readonly id?: string; readonly text?: string }
  }
}

const [mode, log = '', port = '0'] = process.argv.slice(2)
const object = { type: 'object', additionalProperties: true } as const
const tools = ['echo', 'vanish'].map((name) => ({ name, description: name, inputSchema: object }))

/** `undefined`: the tool has run, and nothing will be answered. */
function answer({ method, params }: Message): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion === '2026-07-28' ? '2025-11-25' : params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'peers', version: '1.0.0' },
      }
    case 'tools/list':
      return { tools }
    case 'tools/call':
      if (params?.arguments?.id) appendFileSync(log, `${params.arguments.id}\n`)
      if (params?.name === 'vanish') return undefined
      return { content: [{ type: 'text', text: params?.arguments?.text ?? 'done' }] }
    case 'ping':
      return {}
    default:
      throw new Error(`no method ${method}`)
  }
}

function reply(message: Message): object | undefined {
  try {
    const result = answer(message)
    return result && { jsonrpc: '2.0', id: message.id, result }
  } catch (error) {
    return { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: String(error) } }
  }
}

if (mode === 'stdio') {
  appendFileSync(log, `pid ${process.pid}\n`)
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const message: Message = JSON.parse(line)
    if (message.id === undefined) return
    const answered = reply(message)
    if (!answered) process.kill(process.pid, 'SIGKILL')
    process.stdout.write(`${JSON.stringify(answered)}\n`)
  })
  lines.on('close', () => process.exit(0))
} else {
  const sessions = new Set<string>()
  let outage = false
  let attempts = 0
  process.on('message', (word) => {
    if (word === 'count') process.send?.({ attempts })
    else outage = word === 'outage'
    if (outage) server.closeAllConnections()
  })
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const refuse = (status: number, message: string) =>
      res
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message } }))
    if (req.method === 'DELETE') return res.writeHead(200).end()
    if (req.method !== 'POST') return res.writeHead(405).end()
    const message: Message = JSON.parse(Buffer.concat(chunks).toString())
    const session = req.headers['mcp-session-id']
    if (message.method === 'initialize') {
      const id = randomUUID()
      sessions.add(id)
      res.setHeader('mcp-session-id', id)
    } else if (message.method !== 'server/discover') {
      if (typeof session !== 'string') return refuse(400, 'Bad Request: Mcp-Session-Id header is required')
      if (!sessions.has(session)) return refuse(404, 'Session not found')
    }
    if (message.id === undefined) return res.writeHead(202).end()
    const answered = reply(message)
    if (answered) return res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered))
    return req.socket.destroy()
  })
  // Whoever comes while the server is away is turned away at the door, and counted.
  server.on('connection', (socket) => {
    if (!outage) return
    attempts++
    socket.destroy()
  })
  server.listen(Number(port), '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
}
