#!/usr/bin/env node
/** The program `lifeline`. */
import { systemClock } from '../clock.js'
import { runCommand } from './command-line.js'

/** When all is released, the process ends by itself; what a bug left behind must not hold it for ever. */
const LINGER_MS = 2_000

process.exitCode = await runCommand(process.argv.slice(2), {
  // Asked for late: to look at stdin is to open it.
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  clock: systemClock,
})
systemClock.setTimeout(() => process.exit(), LINGER_MS).unref()
