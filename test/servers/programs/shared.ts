/** What every server here has: its mode, a tool with a side effect that outlives the process, and a sign of its age. */
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export const mode = process.env.MODE ?? ''
export const port = Number(process.env.PORT ?? 0)

/** Names this start of the server: a tool of this name tells lists of before a restart from lists of after it. */
export const generation = `generation_${process.env.GENERATION ?? process.pid}`

/** Before it answers, the effect is in the log: what ran twice is there twice, whatever becomes of the process. */
export async function echo(text: string): Promise<string> {
  appendFileSync(process.env.EFFECTS ?? '', `${text}\n`)
  if (text === 'hang') await new Promise(() => {})
  return `echo: ${text}`
}

export const describe = 'Gives the text back.'

/** Serves until the process is killed. */
export function serve(handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>): void {
  const server = createServer((req, res) => {
    handle(req, res).catch((error: unknown) => {
      console.error(error)
      if (!res.headersSent) res.writeHead(500)
      res.end()
    })
  })
  server.listen(port, '127.0.0.1')
}
