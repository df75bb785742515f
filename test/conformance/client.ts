/** The client that the suite judges: one connection, which lists the tools and calls each. `client.ts URL`. */
import { createConnection } from '../../src/index.js'
import { authorizerOf } from './authorizers.js'

const url = process.argv.at(-1) ?? ''
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''

/** What the tools of the scenarios take; the others take nothing. */
const toolArguments: Readonly<Record<string, Record<string, unknown>>> = { add_numbers: { a: 5, b: 3 } }

const connection = createConnection({
  name: 'conformance',
  target: { url },
  client: { handlers: { 'elicitation/create': () => ({ action: 'accept', content: {} }) } },
  ...(scenario.startsWith('auth/') && {
    authorizer: await authorizerOf(scenario, JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'), url),
  }),
})

// The person agrees to every login at once: the suite's authorization server redirects without asking.
connection.authorization$.subscribe(async (login) => {
  if (!login) return
  const { headers } = await fetch(login.url, { redirect: 'manual' })
  await connection.authorize(headers.get('location') ?? '')
})

try {
  await connection.connect()
  for (const { name } of await connection.listTools())
    await connection.callTool({ name, arguments: toolArguments[name] ?? {} })
} finally {
  await connection.close()
}
