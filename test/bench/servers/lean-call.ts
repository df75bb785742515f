/**
 * Answers a call of `echo` without reading it: what the client wrote as the text goes back as bytes. A server that
 * parsed a megabyte would take as long as the client, and the figures are about clients.
 */

const call = Buffer.from('"tools/call"')
const echo = Buffer.from('"name":"echo"')
const begin = Buffer.from('"text":"')
const end = Buffer.from('"}')
const id = Buffer.from('"id":')

const before = Buffer.from('{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"')
const between = Buffer.from('"}]},"id":')
const after = Buffer.from('}')

/** The answer, or `undefined` where the message is no call of `echo` with a plain text. */
export function answerToEcho(message: Buffer): Buffer | undefined {
  // The SDK's client writes the method first, then the parameters, then the id.
  if (message.indexOf(call) < 0 || message.indexOf(echo) < 0) return undefined
  const textAt = message.indexOf(begin)
  const idAt = message.lastIndexOf(id)
  if (textAt < 0 || idAt < textAt) return undefined
  const textEnd = message.lastIndexOf(end, idAt)
  if (textEnd < textAt) return undefined
  const number = /^\d+/.exec(message.toString('latin1', idAt + id.length))?.[0]
  if (number === undefined) return undefined
  return Buffer.concat([before, message.subarray(textAt + begin.length, textEnd), between, Buffer.from(number), after])
}
