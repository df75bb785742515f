import type { CallOptions } from '../calls/index.js'
import { UnknownToolError } from '../errors.js'
import type { CatalogOfAll } from './catalog.js'
import type { Member } from './member.js'
import { type HubToolFilter, isOffered } from './tool-filter.js'
import { toolPrefix } from './tool-names.js'

/** Finds the server of a tool, also of one that was not started yet. */
export class ToolFinder {
  readonly #members: ReadonlyMap<string, Member>
  readonly #catalog: CatalogOfAll
  readonly #filter: HubToolFilter | undefined

  constructor(members: ReadonlyMap<string, Member>, catalog: CatalogOfAll, filter: HubToolFilter | undefined) {
    this.#members = members
    this.#catalog = catalog
    this.#filter = filter
  }

  /** @throws UnknownToolError, or why a server that could have it does not come up */
  async find(name: string, options: CallOptions): Promise<{ server: string; name: string }> {
    const known = this.#known(name)
    if (known) return known
    // Its server may not have said yet what it offers; the name tells which ones to ask.
    const meant = [...this.#members.values()].filter((member) => name.startsWith(toolPrefix(member.name)))
    const unread = meant.filter(({ connection }) => connection?.catalog.fetchedAt === 0)
    const asked = await Promise.allSettled(unread.map((member) => read(member, options)))
    const found = this.#known(name)
    if (found) return found
    const failed = asked.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    const bad = meant.find(({ error, isDisabled }) => error && !isDisabled)
    const off = meant.find(({ isDisabled }) => isDisabled)
    throw bad?.error ?? new UnknownToolError(name, off && `server '${off.name}' is disabled`)
  }

  /** @throws UnknownToolError when the filters leave it out */
  async check(member: Member, name: string, options: CallOptions): Promise<void> {
    const ofServer = member.options?.tools
    if (!ofServer && !this.#filter) return
    const find = () => member.connection?.catalog.tools.find((tool) => tool.name === name)
    if (!find() && member.connection?.catalog.fetchedAt === 0) await read(member, options)
    const tool = find() ?? { name, inputSchema: {} }
    if (!isOffered(tool, member.name, ofServer, this.#filter))
      throw new UnknownToolError(name, `the filters leave it out of server '${member.name}'`)
  }

  #known(name: string): { server: string; name: string } | undefined {
    const tool = this.#catalog.tool(name)
    return tool && { server: tool.server, name: tool.originalName }
  }
}

/** Starts the server where it does not run, and waits until its lists were read. */
async function read({ connection }: Member, { timeoutMs, signal }: CallOptions): Promise<void> {
  if (!connection) return
  connection.connect().catch(() => {})
  await connection.ready({ timeoutMs: timeoutMs ?? connection.actor.getSnapshot().context.policy.callMs, signal })
  await connection.listTools()
}
