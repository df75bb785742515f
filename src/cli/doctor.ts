/** `lifeline doctor` and `lifeline report`: why each server stands as it does. */
import type { Incident } from '../index.js'
import type { Fleet } from './fleet.js'
import { exitCode, type Io } from './io.js'
import { started } from './list.js'
import { asJson, withFleet } from './run.js'
import { type Line, paint, piece, wantsColour } from './style.js'
import { count, printable } from './text.js'
import { version } from './version.js'
import { type Findings, findingLines, findingsOf, reportOf } from './why.js'
import { UsageError, type Words } from './words.js'

/** @throws ConfigError when the configuration cannot be used */
export function doctor(words: Words, io: Io): Promise<number> {
  return withFleet(words, io, async (fleet) => {
    const found = await examine(fleet, words.rest, io)
    io.stdout.write(words.json ? asJson({ config: fleet.file, servers: found }) : text(found, io))
    return found.every(({ isWell }) => isWell) ? exitCode.good : exitCode.failed
  })
}

/** @throws UsageError without the name of a server */
export function report(words: Words, io: Io): Promise<number> {
  const [name, ...more] = words.rest
  if (name === undefined || more.length > 0) throw new UsageError('lifeline report needs the name of one server.')
  return withFleet(words, io, async (fleet) => {
    const [found] = await examine(fleet, [name], io)
    if (!found) return exitCode.failed
    const written = reportOf(found, { version: version(), now: io.clock.now() })
    io.stdout.write(words.json ? asJson({ ...found, report: written }) : written)
    return exitCode.good
  })
}

async function examine(fleet: Fleet, names: readonly string[], io: Io): Promise<Findings[]> {
  const { hub } = fleet
  for (const name of names) if (!hub.entry(name)) throw new UsageError(`The configuration has no server '${name}'.`)
  const incidents = new Map<string, Incident[]>()
  for (const [name, { incidents$ }] of hub.connections) {
    const ofServer: Incident[] = []
    incidents.set(name, ofServer)
    incidents$.subscribe((incident) => ofServer.push(incident))
  }
  await started(fleet, io)
  const asked = hub.servers.filter(({ name }) => names.length === 0 || names.includes(name))
  return asked.map((status) => findingsOf(hub, status, incidents.get(status.name) ?? []))
}

function text(found: readonly Findings[], io: Io): string {
  const colour = wantsColour(io.stdout, io.env)
  const ill = found.filter(({ isWell }) => !isWell).length
  const verdict =
    ill === 0
      ? `${count(found.length, 'server')}, nothing to complain of.`
      : `${ill} of ${count(found.length, 'server')} cannot be used now.`
  const lines: Line[] = [...found.flatMap(linesOf), [piece(verdict, ill === 0 ? 'good' : 'bad')]]
  return lines.map((line) => `${paint(line, { colour })}\n`).join('')
}

function linesOf(found: Findings): Line[] {
  const { name, status, where, isWell } = found
  const tone = isWell ? (status === 'ready' ? 'good' : 'faint') : 'bad'
  return [
    [
      piece(`${isWell ? '✓' : '✗'} `, tone),
      piece(printable(name), 'strong'),
      piece(`  ${status}`, tone),
      piece(`  ${printable(where ?? '')}`, 'faint'),
    ],
    ...findingLines(found).map((line) => [piece(`    ${line}`, isWell ? 'faint' : 'plain')]),
  ]
}
