import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHub } from 'mcp-lifeline'
import { filter, firstValueFrom } from 'rxjs'

const configFile = join(mkdtempSync(join(tmpdir(), 'hub-')), 'mcp.json')
const everything = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] }
const write = (mcpServers: object) => writeFileSync(configFile, JSON.stringify({ mcpServers }, null, 2))
// biome-ignore lint/suspicious/noTemplateCurlyInString: filled in when the file is read
const token = '${NO_SUCH_TOKEN}'
write({ everything, remote: { url: 'https://host.example/mcp', headers: { Authorization: `Bearer ${token}` } } })

// part: hub
await using hub = createHub({
  configFile,
  // Asked for each ${input:id} of the file, once.
  input: ({ description, default: preset }) => preset ?? `whatever a person says to: ${description}`,
})
for (const { name, error } of hub.servers)
  if (error) console.log(`${name}: ${error.at.field} needs ${error.at.variable}`)
await hub.start()

hub.config$.subscribe((news) => {
  if (news.type === 'applied') console.log(`removed ${news.applied.removed}, left alone ${news.applied.unchanged}`)
  if (news.type === 'trouble') console.log(`line ${news.error.at.line}: the file is not taken up`)
})
// end

const next = (type: string) => firstValueFrom(hub.config$.pipe(filter((news) => news.type === type)))
const trouble = next('trouble')
writeFileSync(configFile, '{ "mcpServers": {')
await trouble
const applied = next('applied')
write({ everything })
await applied
