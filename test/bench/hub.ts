/** Twenty servers at once: a hub against bare SDK clients that connect side by side. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { createHub } from '../../src/hub/index.js'
import { childServer } from '../../src/testing/child/index.js'
import { type Comparison, quantile } from './measure.js'

/** Until every server is ready and has told its tools, in milliseconds: medians, and the ratio round by round. */
export async function compareHubStart({ servers = 20, rounds = 7 } = {}): Promise<Comparison> {
  const target = childServer()
  // The first start of a program reads it from the disk.
  await startBare(target, servers)
  const seen: { ours: number; stock: number }[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const ours = await startHub(target, servers)
      seen.push({ ours, stock: await startBare(target, servers) })
    } else {
      const stock = await startBare(target, servers)
      seen.push({ stock, ours: await startHub(target, servers) })
    }
  }
  const ratios = seen.map(({ ours, stock }) => ours / stock)
  return {
    ours: quantile(seen.map(({ ours }) => ours)),
    stock: quantile(seen.map(({ stock }) => stock)),
    ratio: quantile(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  }
}

type Program = ReturnType<typeof childServer>

async function startHub(target: Program, count: number): Promise<number> {
  const names = Array.from({ length: count }, (_, i) => `server${i}`)
  const hub = createHub({ servers: Object.fromEntries(names.map((name) => [name, { target }])) })
  const began = performance.now()
  await hub.start()
  const took = performance.now() - began
  const notReady = hub.servers.filter(({ status }) => status !== 'ready')
  await hub.close()
  if (notReady.length > 0) throw new Error(`${notReady.length} of ${count} servers did not become ready`)
  return took
}

/** Each asks for what a hub knows of a server that is ready: all that it offers. */
async function startBare(target: Program, count: number): Promise<number> {
  const clients = Array.from({ length: count }, () => new Client({ name: 'bench', version: '1' }))
  const began = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      await client.connect(new StdioClientTransport({ ...target, stderr: 'ignore' }))
      const { tools, resources, prompts } = client.getServerCapabilities() ?? {}
      await Promise.all([
        tools && client.listTools(),
        resources && client.listResources(),
        resources && client.listResourceTemplates(),
        prompts && client.listPrompts(),
      ])
    }),
  )
  const took = performance.now() - began
  await Promise.all(clients.map((client) => client.close()))
  return took
}
