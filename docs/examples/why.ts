import { createConnection, explanationText } from 'mcp-lifeline'

// A server that lacks a key: here a stand-in that says what such servers say, and ends.
const script = `console.error('Error: WEATHER_API_KEY environment variable is required'); process.exit(1)`

await using weather = createConnection({ name: 'weather', target: { command: process.execPath, args: ['-e', script] } })
await weather.connect().catch(() => undefined)

// part: why
const why = weather.explain()
console.log(why.summary)
console.log(`${why.cause?.question} ${why.cause?.evidence}`)
console.log(why.cause?.advice)
// end

console.log(explanationText(why))
