/** A server over stdio that starts as fast as Node does, and does next to nothing. */
import { answerTo } from './answers.js'
import { answerToEcho } from './lean-call.js'

const newline = 0x0a
const newlines = Buffer.from('\n')

// Whoever asked is gone: nothing is left to do.
process.stdout.on('error', () => process.exit())

let begun: Buffer[] = []
process.stdin.on('data', (chunk: Buffer) => {
  let from = 0
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
    const rest = chunk.subarray(from, at)
    answer(begun.length > 0 ? Buffer.concat([...begun, rest]) : rest)
    begun = []
    from = at + 1
  }
  if (from < chunk.length) begun.push(chunk.subarray(from))
})

function answer(line: Buffer): void {
  const echo = answerToEcho(line)
  if (echo) {
    process.stdout.write(Buffer.concat([echo, newlines]))
    return
  }
  const { id, method, params } = JSON.parse(line.toString())
  if (id === undefined || method === undefined) return
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answerTo(method, params) })}\n`)
}
