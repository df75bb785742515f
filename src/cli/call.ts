/** `lifeline call`: one tool is called, and its result is the output. */
import { refusalOf } from '../auth/index.js'
import {
  AuthorizationRequiredError,
  CallTimeoutError,
  LifelineError,
  OutcomeUnknownError,
  UnknownServerError,
  UnknownToolError,
} from '../errors.js'
import type { CallToolResult } from '../index.js'
import type { ContentBlock } from '../protocol.js'
import type { Fleet } from './fleet.js'
import { exitCode, type Io } from './io.js'
import { Progress } from './progress.js'
import { asJson, withFleet } from './run.js'
import { printable } from './text.js'
import { shellWord } from './trouble.js'
import { UsageError, type Words } from './words.js'

/** Long enough for tools that work; progress is shown meanwhile. */
const CALL_MS = 10 * 60_000

/** @throws UsageError, ConfigError */
export async function call(words: Words, io: Io): Promise<number> {
  const [name, ...given] = words.rest
  if (name === undefined) throw new UsageError('lifeline call needs the name of a tool, as lifeline list shows it.')
  const args = readArguments(given.length === 1 && given[0] === '-' ? [await readAll(io)] : given)
  return withFleet(words, io, async (fleet, _, signal) => {
    const progress = new Progress(io, () => `calling ${printable(name)}`)
    const noting = noteLogins(fleet, io)
    try {
      await serveLocally(fleet, name)
      const result = await fleet.hub.callTool(
        { ...target(fleet, name), arguments: args },
        { timeoutMs: words.timeoutMs ?? CALL_MS, signal, onProgress: (step) => progress.step(step) },
      )
      progress.end()
      io.stdout.write(words.json ? asJson(result) : textOf(result))
      return result.isError ? exitCode.toolFailed : exitCode.good
    } catch (error) {
      progress.end()
      return failed(error, words, io, scopeHint(error, fleet, name))
    } finally {
      noting.unsubscribe()
    }
  })
}

/** `server/tool`, or the name that the hub gives it. */
function target({ hub }: Fleet, name: string): { name: string; server?: string } {
  const server = hub.servers.find((one) => name.startsWith(`${one.name}/`))?.name
  return server === undefined ? { name } : { server, name: name.slice(server.length + 1) }
}

/** The call waits for whoever logs in, here or in another terminal: that has to be known. */
function noteLogins(fleet: Fleet, io: Io): { unsubscribe(): void } {
  const noted = new Set<string>()
  const look = (name: string) => {
    if (!fleet.needsLogin(name) || noted.has(name)) return
    noted.add(name)
    io.stderr.write(
      `lifeline: ${printable(name)} needs a login; the call waits for it. Run: ${fleet.loginCommand(name)}\n`,
    )
  }
  // Not by the status: that is the same while a refresh is tried and when a person is waited for.
  const subscriptions = [...fleet.hub.connections].map(([name, { actor }]) =>
    actor.subscribe({ next: () => look(name) }),
  )
  return {
    unsubscribe: () => {
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}

/** A server of this machine that stands in for a remote one has to be there before it is called. */
async function serveLocally({ locals }: Fleet, name: string): Promise<void> {
  const meant = locals.entries.filter(([server]) => name.startsWith(server))
  await Promise.all(meant.map(([, server]) => server.start()))
}

/**
 * One JSON object, or `key=value` pairs whose values are JSON where they can be, and text otherwise.
 *
 * @throws UsageError
 */
export function readArguments(given: readonly string[]): Record<string, unknown> {
  const [first] = given
  if (first === undefined) return {}
  if (given.length === 1 && first.trimStart().startsWith('{')) {
    const parsed = asValue(first)
    if (typeof parsed === 'object' && parsed !== null) return { ...parsed }
    throw new UsageError('The arguments are not a JSON object.')
  }
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new UsageError(`An argument is a JSON object or name=value, not '${pair}'.`)
      return [pair.slice(0, at), asValue(pair.slice(at + 1))]
    }),
  )
}

function asValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function readAll({ stdin }: Io): Promise<string> {
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) text += chunk
  return text
}

function textOf({ content, structuredContent }: CallToolResult): string {
  const parts = content.map(blockText)
  if (parts.length === 0 && structuredContent) return asJson(structuredContent)
  return parts.map((part) => (part.endsWith('\n') ? part : `${part}\n`)).join('')
}

function blockText({ type, text, data, mimeType, uri, resource }: ContentBlock): string {
  if (text !== undefined) return text
  if (resource?.text !== undefined) return resource.text
  const size = data ?? resource?.blob
  const about = [
    mimeType ?? resource?.mimeType,
    uri ?? resource?.uri,
    size && `${Math.ceil((size.length * 3) / 4)} bytes`,
  ]
  return `[${[type, ...about].filter(Boolean).join(', ')}]`
}

/** What to run where the login is good, but not for this tool. */
function scopeHint(error: unknown, fleet: Fleet, name: string): string | undefined {
  const { fault } = error instanceof LifelineError ? error : {}
  const { insufficientScope = false, scope } = fault ? refusalOf(fault) : {}
  const server = target(fleet, name).server ?? fleet.hub.tools.find((tool) => tool.name === name)?.server
  if (!insufficientScope || scope === undefined || server === undefined) return undefined
  return `${fleet.loginCommand(server)} --scope ${shellWord(scope)}`
}

function failed(error: unknown, { json }: Words, io: Io, login: string | undefined): number {
  if (!(error instanceof LifelineError)) throw error
  const { code, message, fault } = error
  if (json) {
    const told = { code, message, ...(fault && { fault: fault.code, advice: fault.advice }), ...(login && { login }) }
    io.stdout.write(asJson({ error: told }))
  } else io.stderr.write(`lifeline: ${printable(message)}${login === undefined ? '' : ` Run: ${printable(login)}`}\n`)
  if (error instanceof OutcomeUnknownError) return exitCode.unknown
  if (error instanceof AuthorizationRequiredError) return exitCode.late
  // One that was sent may run still.
  if (error instanceof CallTimeoutError) return error.sent ? exitCode.unknown : exitCode.late
  return error instanceof UnknownToolError || error instanceof UnknownServerError ? exitCode.misused : exitCode.failed
}
