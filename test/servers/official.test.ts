/** Servers of the official SDKs are lost, forget their sessions, and come back on the same handle. */
import { losesAndComesBack } from './losing.js'

const noSession = [400, 'Bad Request: No valid session ID provided'] as const
const notInitialized = [400, 'Bad Request: Server not initialized'] as const

const v1 = { program: 'sdk-v1', of: '@modelcontextprotocol/sdk' }
losesAndComesBack({ ...v1, mode: 'sessions', unknown: noSession, many: true })
losesAndComesBack({ ...v1, mode: 'sessions-json', unknown: noSession, many: true })
losesAndComesBack({ ...v1, mode: 'events', unknown: noSession, many: true })
losesAndComesBack({ ...v1, mode: 'single', unknown: notInitialized })
losesAndComesBack({ ...v1, mode: 'stateless', unknown: 'none', postOnly: true })
losesAndComesBack({ ...v1, mode: 'stateless-json', unknown: 'none', postOnly: true })

losesAndComesBack({ program: 'sdk-v2', of: '@modelcontextprotocol/server', unknown: notInitialized, many: true })

losesAndComesBack({
  program: 'everything',
  of: '@modelcontextprotocol/server-everything',
  mode: 'streamableHttp',
  unknown: noSession,
  many: true,
})
