import { readFileSync } from 'node:fs'
import { program } from './program.js'
import type { ChildLogLine, ChildScript } from './script.js'

/** What to spawn. Fits the options of `StdioWire`, of the SDK's stdio transport and of a stdio target. */
export interface ChildServer {
  command: string
  args: string[]
}

/**
 * A server for tests that runs as a child process, starts as fast as bare Node and misbehaves on demand.
 *
 * Without a script it is a well-behaved server with the tools `echo {text}`, `slow {ms?}` (never answers without `ms`),
 * `die {code?}` (SIGKILL without), `counter`, `big {char, count}`, `burst {method, times}`, `progress {steps, ms}`,
 * `env {name}`, `about`, `spawn` (a grandchild), `run {steps}` and `fail {text}`, one resource and one prompt.
 *
 * @example
 * // Answers initialize and dies before the handshake is over
 * childServer({ on: { initialize: [{ answer: true }, { exit: 3 }] } })
 * @example
 * // Can be ended by SIGKILL only
 * childServer({ onEof: [], onSigterm: [] })
 */
export function childServer(script: ChildScript = {}): ChildServer {
  // Tools that keep names of functions (tsx) wrap them in a helper that is not there in the child.
  const source = `const __name = (fn) => fn;(${program.toString()})(JSON.parse(process.argv[1]))`
  return { command: process.execPath, args: ['-e', source, JSON.stringify(script)] }
}

/** What the child with this log file has seen so far, oldest first; empty while there is no such file. */
export function readChildLog(file: string): ChildLogLine[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  // A line that is being written as we look counts next time.
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
