/** A server over stdio that starts as fast as Node does. */
import { createInterface } from 'node:readline'
import { answerTo } from './answers.js'

// Whoever asked is gone: nothing is left to do.
process.stdout.on('error', () => process.exit())

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined || method === undefined) return
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answerTo(method, params) })}\n`)
})
