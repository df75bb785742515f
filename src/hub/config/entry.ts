import { parseEnv } from 'node:util'
import type { PolicyOptions } from '../../../machines/policy.js'
import type { HttpTarget, StdioTarget } from '../../link/index.js'
import type { ServerOptions } from '../server-options.js'
import { isObject, type Place } from './place.js'
import type { Expansion } from './world.js'

/** Reads one entry, whichever host it was written for; throws a ConfigError that tells what is wrong and where. */
export function readEntry(place: Place, expansion: Expansion): ServerOptions {
  const given = new Map(place.fields().map(({ name, value }) => [name, value]))
  const field = (...names: string[]) => names.map((name) => given.get(name)).find((value) => value !== undefined)
  const kind = field('type', 'transport', 'transportType')
  const transport = transportOf(kind)
  const [command, url] = [field('command'), field('url', 'serverUrl', 'httpUrl')]
  if (Boolean(command) === Boolean(url)) place.refuse('needs either a command or a url')
  if (kind && Boolean(command) !== (transport === 'stdio')) kind.refuse(`does not fit a ${command ? 'command' : 'url'}`)
  const target = command
    ? readCommand(command, field, expansion)
    : readAddress(url ?? place, transport, field, expansion)
  return {
    target,
    ...(isOff(field) && { disabled: true }),
    ...optional('lazy', field('lazy')?.boolean()),
    ...optional('idleMs', field('idleMs')?.number()),
    ...optional('trusted', field('trusted')?.boolean()),
    ...optional('tools', readFilter(field)),
    ...optional('policy', readPolicy(field)),
  }
}

type FieldOf = (...names: string[]) => Place | undefined

/** The fields that are ours to read. Everything else is the host's. */
export const ourFields: ReadonlySet<string> = new Set([
  ...['type', 'transport', 'transportType', 'command', 'args', 'env', 'envFile', 'inheritEnv', 'cwd'],
  ...['url', 'serverUrl', 'httpUrl', 'headers', 'disabled', 'enabled', 'timeout', 'timeoutMs', 'policy'],
  ...['lazy', 'idleMs', 'trusted', 'includeTools', 'excludeTools', 'disabledTools'],
])

/** Fields that a host reads and that are of no concern to a connection; kept for the host, without a word. */
export const hostFields: ReadonlySet<string> = new Set([
  ...['alwaysAllow', 'autoApprove', 'trust', 'description', 'name', 'title', 'icon', 'version', 'gallery', 'dev'],
  ...['sandboxEnabled', 'sandbox', 'oauth', 'authProviderType', '$comment', 'comment', '//'],
])

function optional<K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [name]: value } as Record<K, V>)
}

const transports: Readonly<Record<string, 'stdio' | 'http' | 'sse'>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamablehttp: 'http',
  streamable_http: 'http',
  sse: 'sse',
}

function transportOf(place: Place | undefined): 'stdio' | 'http' | 'sse' | undefined {
  const named = place?.string().toLowerCase()
  if (!place || named === undefined) return undefined
  return Object.hasOwn(transports, named)
    ? transports[named]
    : place.refuse('is none of stdio, http, streamable-http and sse')
}

const isOff = (field: FieldOf): boolean =>
  field('disabled')?.boolean() === true || field('enabled')?.boolean() === false

function readCommand(command: Place, field: FieldOf, expansion: Expansion): StdioTarget {
  const [args, cwd, inherit] = [field('args'), field('cwd'), field('inheritEnv')]
  const env = readEnv(field, expansion)
  const target = {
    command: nonEmpty(command, expansion),
    args: args?.items().map((arg) => expansion.text(arg)) ?? [],
    ...(env && { env }),
    ...(inherit && { inheritEnv: inherit.items().map((name) => name.string()) }),
    ...(cwd && { cwd: expansion.pathOf(nonEmpty(cwd, expansion)) }),
  }
  return { ...target, ...optional('secrets', expansion.secrets) }
}

/** Variables of a file first, those of the entry over them. `null` takes an inherited one away. */
function readEnv(field: FieldOf, expansion: Expansion): Record<string, string | undefined> | undefined {
  const [file, own] = [field('envFile'), field('env')]
  if (!file && !own) return undefined
  const ofFile = file ? parseEnv(expansion.read(file)) : {}
  const ofEntry = own?.fields().map(({ name, value }) => [name, value.raw === null ? undefined : expansion.text(value)])
  return { ...ofFile, ...Object.fromEntries(ofEntry ?? []) }
}

function readAddress(
  place: Place,
  transport: 'http' | 'sse' | 'stdio' | undefined,
  field: FieldOf,
  expansion: Expansion,
): HttpTarget {
  const url = nonEmpty(place, expansion)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    place.refuse('is not an address such as https://host/mcp')
  const headers = field('headers')?.fields()
  const target = {
    url,
    ...(headers && { headers: Object.fromEntries(headers.map(({ name, value }) => [name, expansion.text(value)])) }),
    // `http` is also what hosts write who mean either wire; only `sse` names one that cannot be found out.
    ...(transport === 'sse' && { kind: 'sse' as const }),
  }
  return { ...target, ...optional('secrets', expansion.secrets) }
}

function nonEmpty(place: Place, expansion: Expansion): string {
  const text = expansion.text(place)
  return text === '' ? place.refuse('must not be empty') : text
}

function readFilter(field: FieldOf): ServerOptions['tools'] {
  const names = (place: Place | undefined) => place?.items().map((name) => name.string())
  const [include, ...not] = [field('includeTools'), field('excludeTools'), field('disabledTools')].map(names)
  const exclude = not.flatMap((some) => some ?? [])
  if (!include && exclude.length === 0) return undefined
  return { ...optional('include', include), ...(exclude.length > 0 && { exclude }) }
}

/** Cline and others give `timeout` in seconds, Gemini and others in milliseconds. Nobody means more than an hour. */
const MOST_SECONDS = 3_600

function readPolicy(field: FieldOf): PolicyOptions | undefined {
  const [given, timeout, exact] = [field('policy'), field('timeout'), field('timeoutMs')]
  if (given && !isObject(given.raw)) given.refuse('must be an object')
  const seconds = timeout?.number()
  const callMs = exact?.number() ?? (seconds === undefined || seconds > MOST_SECONDS ? seconds : seconds * 1_000)
  const policy: PolicyOptions | undefined = given && isObject(given.raw) ? given.raw : undefined
  if (callMs === undefined) return policy
  return { ...policy, timeouts: { ...policy?.timeouts, callMs } }
}
