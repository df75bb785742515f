/** What the words after `lifeline` mean. */
import { existsSync, readFileSync } from 'node:fs'
import { ConfigError } from '../errors.js'
import { exitCode, type Io } from './io.js'
import { printable } from './text.js'

const usage = `Keeps MCP connections alive and shows how.

Usage
  lifeline watch CONFIG    connect to every server of the file, show each connection live, stay until Ctrl-C
  lifeline demo CONFIG     break every connection of the file, and prove that each comes back
  lifeline --help
  lifeline --version

CONFIG is a JSON file with { "mcpServers": { NAME: { "command": …, "args": […] } or { "url": … } } }.
The output is drawn in place on a terminal; elsewhere it is one line for each change. NO_COLOR is honoured.

Exit codes
  0 done, or stopped   1 failed   2 wrong usage or configuration   130 a second Ctrl-C
`

type Command = (file: string, io: Io) => Promise<number>

/** Loaded when it is their turn: help is there at once. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  watch: async () => (await import('./watch/index.js')).watch,
  demo: async () => (await import('./demo/index.js')).demo,
}

/** Resolves with the exit code. */
export async function runCommand([word = '', file, ...more]: readonly string[], io: Io): Promise<number> {
  if (word === '--help' || word === '-h' || word === 'help') {
    io.stdout.write(usage)
    return exitCode.good
  }
  if (word === '--version' || word === '-v') {
    io.stdout.write(`${version()}\n`)
    return exitCode.good
  }
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined
  if (!command || file === undefined || more.length > 0) {
    io.stderr.write(`${complaint(word, Boolean(command), file)}\n\n${usage}`)
    return exitCode.misused
  }
  try {
    const run = await command()
    return await run(file, io)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    io.stderr.write(`lifeline: ${printable(error.message)}\n`)
    return exitCode.misused
  }
}

function complaint(word: string, known: boolean, file: string | undefined): string {
  if (known) return file === undefined ? `lifeline ${word} needs a CONFIG.` : `lifeline ${word} takes one CONFIG only.`
  return word === '' ? 'lifeline needs a command.' : `lifeline does not know '${word}'.`
}

/** Of the package that this file belongs to: the nearest manifest above it. */
function version(folder = new URL('.', import.meta.url)): string {
  const manifest = new URL('package.json', folder)
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : version(new URL('..', folder))
}
