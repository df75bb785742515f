/** Servers in this process and hubs of them, for tests of the hub alone. */
import { setTimeout } from 'node:timers/promises'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { onTestFinished } from 'vitest'
import { createHub, type Hub, type HubOptions, type ServerStatus } from '../../src/hub/index.js'
import type { CustomTarget } from '../../src/index.js'

/** A server that can be lost, and that counts. */
export class MemoryServer {
  /** Links that were opened. */
  opened = 0
  /** Transports that are open now. */
  alive = 0
  /** Names of the tools that were called, in order. */
  readonly called: string[] = []
  /** Most transports that were open at one time. */
  mostAlive = 0
  /** How long its transport takes to close, in milliseconds. */
  closesInMs = 0
  /** `false`: nobody is there. */
  isUp = true
  tools: string[]
  #break = () => {}

  constructor(...tools: string[]) {
    this.tools = tools
  }

  readonly open: CustomTarget['open'] = () => {
    if (!this.isUp) throw new Error('nobody is there')
    this.opened++
    this.alive++
    this.mostAlive = Math.max(this.mostAlive, this.alive)
    const server = new McpServer({ name: 'memory', version: '1.0.0' }, { capabilities: { tools: {} } })
    for (const name of this.tools) {
      server.registerTool(name, {}, async () => {
        this.called.push(name)
        return { content: [{ type: 'text', text: `${name} ran` }] }
      })
    }
    server.registerResource('note', 'note://one', {}, async () => ({
      contents: [{ uri: 'note://one', text: 'noted' }],
    }))
    server.registerPrompt('greet', {}, async () => ({
      messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }],
    }))
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    void server.connect(theirs)
    server.server.onclose = () => {
      this.alive--
    }
    this.#break = () => void theirs.close()
    const close = ours.close.bind(ours)
    ours.close = async () => {
      if (this.closesInMs > 0) await setTimeout(this.closesInMs)
      await close()
    }
    return ours
  }

  /** Its link breaks; `false`: and nobody is there any more. */
  lose(staysUp = true): void {
    this.isUp = staysUp
    this.#break()
  }
}

/** A hub that is closed after the test. */
export function hubOf(options: HubOptions): Hub {
  const hub = createHub({
    ...options,
    defaults: { policy: { backoff: { baseMs: 5, capMs: 50 } }, ...options.defaults },
  })
  onTestFinished(() => hub.close())
  return hub
}

/** Every status of every server from now on, as `name status`. */
export function record(hub: Hub): string[] {
  const seen: string[] = []
  hub.status$.subscribe(({ name, status }: ServerStatus) => seen.push(`${name} ${status}`))
  return seen
}

export const statusesOf = (hub: Hub): Record<string, string> =>
  Object.fromEntries(hub.servers.map(({ name, status }) => [name, status]))

/** As an entry of a configuration file: what looks like a variable in its arguments is none. */
export const written = ({ command, args }: { command: string; args: string[] }) => ({
  command,
  args: args.map((arg) => arg.replaceAll('${', () => '$${')),
})
