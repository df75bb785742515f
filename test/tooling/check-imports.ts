import { violations } from './import-rules.js'
import { readSources } from './sources.js'

const sources = readSources(process.cwd(), ['src', 'machines'])
const found = violations(sources)
for (const { where, rule, why } of found) console.error(`${where}  ${rule}: ${why}`)
console.log(`${sources.length} files, ${found.length} import rules broken`)
process.exitCode = found.length > 0 || sources.length === 0 ? 1 : 0
