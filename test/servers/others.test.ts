/** Servers of other makers are lost, forget their sessions each in its own way, and come back on the same handle. */
import { losesAndComesBack } from './losing.js'

const notFound = [404, 'Session not found'] as const

const fastmcp = { program: 'fastmcp', of: 'fastmcp' }
losesAndComesBack({ ...fastmcp, mode: 'sessions', unknown: notFound, many: true })
losesAndComesBack({ ...fastmcp, mode: 'json', unknown: notFound, many: true })
losesAndComesBack({ ...fastmcp, mode: 'stateless', unknown: 'none', postOnly: true })

const hono = { program: 'hono-mcp', of: '@hono/mcp' }
losesAndComesBack({ ...hono, mode: 'readme', unknown: 'none' })
losesAndComesBack({ ...hono, mode: 'sessions', unknown: [400, 'Bad Request: Server not initialized'] })

losesAndComesBack({ program: 'tmcp', of: 'tmcp', unknown: 'served' })

losesAndComesBack({ program: 'mcp-handler', of: 'mcp-handler', unknown: 'none', postOnly: true })

const framework = { program: 'mcp-framework', of: 'mcp-framework' }
losesAndComesBack({ ...framework, mode: 'stream', unknown: notFound, many: true })
losesAndComesBack({ ...framework, mode: 'batch', unknown: notFound, many: true })
