/** `lifeline doctor` and `lifeline report`: why each server stands as it does. */
import { type Diagnosis, diagnose, diagnosisText, unconnectedReport } from './diagnosis.js'
import type { Fleet } from './fleet.js'
import { exitCode, type Io } from './io.js'
import { started } from './list.js'
import { asJson, withFleet } from './run.js'
import { paint, piece, wantsColour } from './style.js'
import { count } from './text.js'
import { UsageError, type Words } from './words.js'

/** @throws ConfigError when the configuration cannot be used */
export function doctor(words: Words, io: Io): Promise<number> {
  return withFleet(words, io, async (fleet) => {
    const found = await examine(fleet, words.rest, io)
    const full = words.rest.length > 0
    io.stdout.write(words.json ? asJson({ config: fleet.file, servers: found }) : text(found, io, full))
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
    const written = fleet.hub.connections.get(name)?.report() ?? unconnectedReport(found, io.clock.now())
    io.stdout.write(words.json ? asJson({ ...found, report: written }) : written)
    return exitCode.good
  })
}

async function examine(fleet: Fleet, names: readonly string[], io: Io): Promise<Diagnosis[]> {
  const { hub } = fleet
  for (const name of names) if (!hub.entry(name)) throw new UsageError(`The configuration has no server '${name}'.`)
  await started(fleet, io)
  const asked = hub.servers.filter(({ name }) => names.length === 0 || names.includes(name))
  return asked.map((status) => diagnose(fleet, status))
}

function text(found: readonly Diagnosis[], io: Io, full: boolean): string {
  const colour = wantsColour(io.stdout, io.env)
  const ill = found.filter(({ isWell }) => !isWell).length
  const verdict =
    ill === 0
      ? `${count(found.length, 'server')}, nothing to complain of.`
      : `${ill} of ${count(found.length, 'server')} cannot be used now.`
  const last = paint([piece(verdict, ill === 0 ? 'good' : 'bad')], { colour })
  return `${found.map((one) => diagnosisText(one, { colour, full })).join('')}${last}\n`
}
