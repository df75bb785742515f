import { useActorRef, useSelector } from '@xstate/react'
import { connectionInput, connectionMachine, connectionOf, statusOf } from 'mcp-lifeline'
import { useEffect, useState } from 'react'

/** One MCP server on a page: how it stands, what it offers, and a button for each tool. */
export function Server({ url }: { url: string }) {
  const [input] = useState(() => connectionInput({ name: 'page', target: { url } }))
  // The actor lives as long as the component; where several components use one, it is better made outside of them.
  const actor = useActorRef(connectionMachine, { input })
  const server = connectionOf(actor)
  const status = useSelector(actor, statusOf)
  const usable = useSelector(actor, (snapshot) => snapshot.hasTag('usable'))
  const advice = useSelector(actor, (snapshot) => snapshot.context.fault?.advice)
  const [tools, setTools] = useState(server.catalog.tools)
  const [answers, setAnswers] = useState<readonly string[]>([])

  useEffect(() => {
    const subscription = server.catalog$.subscribe((catalog) => setTools(catalog.tools))
    actor.send({ type: 'connect' })
    return () => subscription.unsubscribe()
  }, [actor, server])

  const call = async (name: string) => {
    // Calls wait while the server is away, so that the button works at any time.
    const answer = await server.callTool({ name }).then(({ content }) => content[0]?.text, String)
    setAnswers((before) => [...before, String(answer)])
  }

  return (
    <main>
      <p id="status">{status}</p>
      {!usable && <p id="advice">{advice}</p>}
      {tools.map(({ name }) => (
        <button type="button" key={name} onClick={() => void call(name)}>
          {name}
        </button>
      ))}
      <pre>{answers.join('\n')}</pre>
    </main>
  )
}
