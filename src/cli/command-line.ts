/** What the words after `lifeline` mean. */
import { ConfigError } from '../errors.js'
import { exitCode, type Io } from './io.js'
import { printable } from './text.js'
import { version } from './version.js'
import { readWords, UsageError, type Words } from './words.js'

const usage = `Keeps MCP connections alive and shows how.

Usage
  lifeline watch                    connect to every server, show each connection live, stay until Ctrl-C
  lifeline list                     every server, how it stands, its tools
  lifeline call TOOL [ARGUMENTS]    call one tool: server__tool as in list, or server/tool
  lifeline doctor [SERVER…]         what is wrong with each server, and what to do
  lifeline report SERVER            the same as a bug report in Markdown, without secrets
  lifeline login SERVER             log in with the browser; every command goes on with it
  lifeline logout SERVER            forget that login
  lifeline inspect                  a page on this machine that shows every connection live
  lifeline demo                     break every connection, and prove that each comes back
  lifeline --help
  lifeline --version

ARGUMENTS are a JSON object, or NAME=VALUE …, or - for JSON on stdin.

Options
  -c, --config FILE    a file with mcpServers (Claude, Cursor, …) or servers (VS Code, …)
                       default: the first usual place of yours with such a file; which one is said on stderr.
                       A file of the folder runs programs that came with it, so it is asked for first
  --json               output for programs; watch: one JSON object a line
  --timeout SECONDS    of a call, default 600; of a login, default 300
  --no-open            login: show the address and open no browser
  --scope SCOPES       login: ask for these too
  --port PORT          inspect, login: listen there; default: any that is free

watch draws in place on a terminal; elsewhere it writes one line for each change. NO_COLOR is honoured.

Exit codes
  0 done, or stopped   1 failed: a server, a call, a login   2 wrong usage or configuration
  3 the tool reported an error   4 no connection, or no login, in time
  5 the outcome of the call is unknown: it may have run
  130 interrupted
`

type Command = (words: Words, io: Io) => Promise<number>

/** Loaded when it is their turn: help is there at once. `rest`: it takes more words. */
const commands: Readonly<Record<string, { readonly rest?: true; readonly load: () => Promise<Command> }>> = {
  watch: { load: async () => (await import('./watch/index.js')).watch },
  list: { load: async () => (await import('./list.js')).list },
  call: { rest: true, load: async () => (await import('./call.js')).call },
  doctor: { rest: true, load: async () => (await import('./doctor.js')).doctor },
  report: { rest: true, load: async () => (await import('./doctor.js')).report },
  login: { rest: true, load: async () => (await import('./login.js')).login },
  logout: { rest: true, load: async () => (await import('./login.js')).logout },
  inspect: { load: async () => (await import('./inspect.js')).inspect },
  demo: { load: async () => (await import('./demo/index.js')).demo },
}

/** Resolves with the exit code. */
export async function runCommand([word = '', ...args]: readonly string[], io: Io): Promise<number> {
  if (word === '--help' || word === '-h' || word === 'help' || args.includes('--help')) {
    io.stdout.write(usage)
    return exitCode.good
  }
  if (word === '--version' || word === '-v') {
    io.stdout.write(`${version()}\n`)
    return exitCode.good
  }
  try {
    const command = Object.hasOwn(commands, word) ? commands[word] : undefined
    if (!command) throw new UsageError(word === '' ? 'lifeline needs a command.' : `lifeline does not know '${word}'.`)
    const words = readWords(args)
    const [first] = words.rest
    if (!command.rest && first !== undefined)
      throw new UsageError(`lifeline ${word} takes options only, not '${first}'. A file is named with --config.`)
    const run = await command.load()
    return await run(words, io)
  } catch (error) {
    if (error instanceof UsageError) io.stderr.write(`lifeline: ${printable(error.message)}\nSee lifeline --help.\n`)
    else if (error instanceof ConfigError) io.stderr.write(`lifeline: ${lines(error.message)}\n`)
    else throw error
    return exitCode.misused
  }
}

/** Harmless, line by line. */
const lines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.match(/^ */) + printable(line))
    .join('\n')
