import { ConnectionClosedError, UnknownToolError } from '../errors.js'
import type { Budget } from './budget.js'
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
  async find(name: string, budget: Budget): Promise<{ server: string; name: string }> {
    const known = this.#known(name)
    if (known) return known
    // Its server may not have said yet what it offers; the name tells which ones to ask.
    const meant = [...this.#members.values()].filter((member) => name.startsWith(toolPrefix(member.name)))
    const unread = meant.filter((member) => !member.isDisabled && isUnread(member))
    const asked = await Promise.allSettled(unread.map((member) => read(member, budget)))
    const found = this.#known(name)
    if (found) return found
    const failed = asked.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    const off = meant.find(({ isDisabled }) => isDisabled)
    throw new UnknownToolError(name, off && `server '${off.name}' is disabled`)
  }

  /** @throws UnknownToolError when the filters leave it out */
  async check(member: Member, name: string, budget: Budget): Promise<void> {
    const ofServer = member.options?.tools
    if (!ofServer && !this.#filter) return
    const find = () => member.connection?.catalog.tools.find((tool) => tool.name === name)
    if (!find() && isUnread(member)) await read(member, budget)
    const tool = find() ?? { name, inputSchema: {} }
    if (!isOffered(tool, member.name, ofServer, this.#filter))
      throw new UnknownToolError(name, `the filters leave it out of server '${member.name}'`)
  }

  #known(name: string): { server: string; name: string } | undefined {
    const tool = this.#catalog.tool(name)
    return tool && { server: tool.server, name: tool.originalName }
  }
}

/** Nobody knows yet what it offers. */
const isUnread = ({ connection }: Member): boolean => (connection?.catalog.fetchedAt ?? 0) === 0

/** Starts the server where it does not run, and waits until its lists were read. */
async function read(member: Member, budget: Budget): Promise<void> {
  const mending = member.mend()
  if (mending !== undefined) await budget.wait(mending)
  const { connection } = member
  // The hub was closed, or the server taken away, while it was waited for.
  if (!connection) throw new ConnectionClosedError(member.name)
  connection.connect().catch(() => {})
  await budget.ready(connection)
  if (isUnread(member)) await budget.wait(connection.listTools())
}
