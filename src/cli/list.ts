/** `lifeline list`: every server with how it stands and what it offers. */

import type { ServerStatus } from './../index.js'
import type { Fleet } from './fleet.js'
import { exitCode, type Io } from './io.js'
import { Progress } from './progress.js'
import { asJson, withFleet } from './run.js'
import { paint, piece, wantsColour } from './style.js'
import { clip, column, columnsFor, count, printable } from './text.js'
import { errorOf, type ShownError } from './trouble.js'
import type { Words } from './words.js'

const DESCRIPTION_COLUMNS = 100

/** @throws ConfigError when the configuration cannot be used */
export function list(words: Words, io: Io): Promise<number> {
  return withFleet(words, io, async (fleet) => {
    await started(fleet, io)
    io.stdout.write(words.json ? asJson(plain(fleet)) : text(fleet, io))
    const failed = fleet.hub.servers.some(
      ({ status }) => status !== 'ready' && status !== 'idle' && status !== 'disabled',
    )
    return failed ? exitCode.failed : exitCode.good
  })
}

/** Starts all servers and shows which are waited for. */
export async function started(fleet: Fleet, io: Io): Promise<readonly ServerStatus[]> {
  const isStarting = ({ status }: ServerStatus) => ['connecting', 'initializing', 'discovering'].includes(status)
  const progress = new Progress(io, () => {
    const names = fleet.hub.servers.filter(isStarting).map(({ name }) => printable(name))
    return `starting ${names.slice(0, 4).join(', ')}${names.length > 4 ? ` and ${names.length - 4} more` : ''}`
  })
  const statuses = await fleet.start()
  progress.end()
  return statuses
}

function plain(fleet: Fleet) {
  const { hub, file } = fleet
  return {
    config: file,
    servers: hub.servers.map((status) => ({
      name: status.name,
      where: status.where,
      status: status.status,
      ...(fleet.needsLogin(status.name) && { login: fleet.loginCommand(status.name) }),
      ...(errorOf(status) && { error: errorOf(status) }),
      tools: hub.tools.filter(({ server }) => server === status.name),
      resources: hub.catalog.resources.filter(({ server }) => server === status.name),
      resourceTemplates: hub.catalog.resourceTemplates.filter(({ server }) => server === status.name),
      prompts: hub.catalog.prompts.filter(({ server }) => server === status.name),
    })),
  }
}

function text(fleet: Fleet, io: Io): string {
  const { hub } = fleet
  const colour = wantsColour(io.stdout, io.env)
  const nameColumns = columnsFor(hub.tools.map(({ name }) => name))
  const lines = hub.servers.flatMap((status) => {
    const tone = status.status === 'ready' ? 'good' : status.status === 'failed' ? 'bad' : 'busy'
    const error = errorOf(status)
    const tools = hub.tools.filter(({ server }) => server === status.name)
    const offer = [count(tools.length, 'tool'), ...others(hub.catalog, status.name)].join(', ')
    return [
      [
        piece(printable(status.name), 'strong'),
        piece(`  ${status.status}`, tone),
        piece(`  ${offer}  ${status.where ?? ''}`, 'faint'),
      ],
      ...troubleLines(fleet, status.name, error).map((line) => [piece(`  ${printable(line)}`, tone)]),
      ...tools.map(({ name, description = '' }) => [
        piece(`  ${column(name, nameColumns)}`),
        piece(clip(printable(description), DESCRIPTION_COLUMNS), 'faint'),
      ]),
    ]
  })
  return lines.map((line) => `${paint(line, { colour })}\n`).join('')
}

function others({ resources, prompts }: Fleet['hub']['catalog'], name: string): string[] {
  const of = (items: readonly { server: string }[]) => items.filter(({ server }) => server === name).length
  return [
    ...(of(resources) > 0 ? [count(of(resources), 'resource')] : []),
    ...(of(prompts) > 0 ? [count(of(prompts), 'prompt')] : []),
  ]
}

function troubleLines(fleet: Fleet, name: string, error: ShownError | undefined): string[] {
  if (fleet.needsLogin(name)) return [`needs a login. Run: ${fleet.loginCommand(name)}`]
  return error ? [`${error.code}: ${error.message} ${error.advice ?? ''}`] : []
}
