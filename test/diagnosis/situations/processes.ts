/** Servers that run as processes of this machine. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Explanation, StdioTarget } from '../../../src/index.js'
import type { ChildScript } from '../../../src/testing/child/index.js'
import { quick, until } from '../../connection/rig.js'
import { drivenChild, eventually, passing, quickChild } from '../../reports/stdio/rig.js'
import type { Situation } from './situation.js'

/** Lets a command fail until the connection gives it up. */
async function givenUp(target: StdioTarget): Promise<Explanation> {
  const connection = quick({ target })
  connection.connect().catch(() => undefined)
  await until(connection, 'failed')
  const explanation = connection.explain()
  await connection.close()
  return explanation
}

/** A child that writes its last words and ends, again and again. */
async function ending(words: string, code = 1): Promise<Explanation> {
  await using it = quickChild({ onStart: [{ print: words, to: 'stderr' }, { exit: code }] })
  it.connection.connect().catch(() => undefined)
  await until(it.connection, 'failed')
  return it.connection.explain()
}

/** A child that does not answer under a driven clock. */
async function silent(script: ChildScript, isMet: (statuses: readonly string[]) => boolean): Promise<Explanation> {
  await using driven = drivenChild(script)
  const { scene, clock } = driven
  scene.connection.connect().catch(() => undefined)
  await eventually(() => scene.starts.length === 1)
  await passing(clock, () => isMet(scene.statuses), 1_000)
  return scene.connection.explain()
}

export const processes: readonly Situation[] = [
  {
    name: 'The server process is killed (SIGKILL), as by the system when memory runs short',
    cause: 'process',
    says: 'was ended by SIGKILL',
    advice:
      'A SIGKILL that this client did not send comes from the system short of memory (see `dmesg`, or the limit of the container), or from a person.',
    async play() {
      await using it = quickChild()
      await it.connection.connect()
      process.kill(it.pids[0] as number, 'SIGKILL')
      await until(it.connection, 'backoff')
      await until(it.connection, 'ready')
      return it.connection.explain()
    },
  },
  {
    name: 'The server process ended and is being started again',
    cause: 'process',
    says: 'exited with code 3',
    advice: 'The server process ended (code 3). Its stderr tells why; it is started again.',
    async play() {
      await using it = quickChild({}, { policy: { backoff: { baseMs: 60_000, capMs: 60_000 } } })
      await it.connection.connect()
      it.connection.callTool({ name: 'die', arguments: { code: 3 } }).catch(() => undefined)
      await until(it.connection, 'backoff')
      return it.connection.explain()
    },
  },
  {
    name: 'The server crashes at every start',
    cause: 'process',
    says: 'exited with code 70, 3 times',
    advice: 'Its last words on stderr: panic: no configuration',
    play: () => ending('starting\npanic: no configuration\n', 70),
  },
  {
    name: 'The server ends, since a key is missing in its environment',
    cause: 'environment',
    also: ['process'],
    says: 'the variable WEATHER_API_KEY is missing',
    advice:
      'Give it to the server: `env: { WEATHER_API_KEY: … }`, or name it in `inheritEnv`. Variables of this process are not passed on by themselves.',
    play: () => ending('Error: WEATHER_API_KEY environment variable is required\n    at main (index.js:7:9)\n'),
  },
  {
    name: 'A Python module is missing',
    cause: 'runtime',
    also: ['process'],
    says: 'the Python module weather_server is missing',
    advice: 'Install it for the Python that the command runs: `python -m pip install weather_server`.',
    play: () => ending('/usr/bin/python3: No module named weather_server\n'),
  },
  {
    name: 'A Node.js module is missing',
    cause: 'runtime',
    also: ['process'],
    says: 'the Node.js module /srv/weather/index.js is missing',
    advice:
      'Install the dependencies of the server (`npm install` in its folder), build it, or correct the path to it.',
    play: () => givenUp({ command: process.execPath, args: ['/srv/weather/index.js'] }),
  },
  {
    name: 'The runtime is too old for the server',
    cause: 'runtime',
    also: ['process'],
    says: 'Node.js is too old for this server',
    advice: 'Install the Node.js version that the server asks for, and see that this command finds it.',
    play: () => givenUp({ command: process.execPath, args: ['--flag-of-a-later-version', 'index.js'] }),
  },
  {
    name: 'The package of the server does not exist',
    cause: 'runtime',
    also: ['process'],
    says: 'the npm package weather-mcp-serverr@* does not exist',
    advice: 'Check the name and version of the package, and the registry that npm uses.',
    play: () =>
      ending(
        "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/weather-mcp-serverr - Not found\nnpm error 404\nnpm error 404  'weather-mcp-serverr@*' is not in this registry.\n",
      ),
  },
  {
    name: 'Docker does not run',
    cause: 'runtime',
    also: ['process'],
    says: 'the container engine does not run',
    advice: 'Start Docker (or Podman) and check that `docker ps` works for this user.',
    play: () =>
      ending(
        "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n\nRun 'docker run --help' for more information\n",
        125,
      ),
  },
  {
    name: 'The interpreter that a script names is missing',
    cause: 'runtime',
    also: ['process'],
    says: 'the program no-such-runtime is not on the PATH',
    advice:
      'Install it, or give the server a PATH that holds it (`env.PATH`); launchers of desktops start with a short one.',
    async play() {
      const folder = mkdtempSync(join(tmpdir(), 'lifeline-'))
      const script = join(folder, 'server')
      writeFileSync(script, '#!/usr/bin/env no-such-runtime\n')
      chmodSync(script, 0o755)
      try {
        return await givenUp({ command: script })
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  },
  {
    name: 'The command is not there',
    cause: 'command',
    says: "command weather-mcp-server was not found in the child's PATH",
    advice:
      'The command weather-mcp-server could not be started (ENOENT). Check that it is installed and on the PATH given to it.',
    play: () => givenUp({ command: 'weather-mcp-server' }),
  },
  {
    name: 'The command is another program, no MCP server',
    cause: 'command',
    also: ['process', 'stdout'],
    says: 'it ends by itself with code 0 before any answer, having written: v',
    advice:
      'This command seems to be no MCP server over stdio. Check its arguments; some servers want one such as `stdio` or `mcp`.',
    play: () => givenUp({ command: process.execPath, args: ['--version'] }),
  },
  {
    name: 'The working directory is not there',
    cause: 'command',
    says: 'working directory /srv/no-such-folder does not exist',
    advice: 'The working directory /srv/no-such-folder cannot be used (ENOENT). Create it or correct cwd.',
    play: () => givenUp({ command: process.execPath, cwd: '/srv/no-such-folder' }),
  },
  {
    name: 'The server hangs as it starts',
    cause: 'start',
    says: 'no answer to the handshake within 1 min, once; it wrote nothing at all',
    advice: 'It may wait for input, or be no MCP server over stdio. Run the command by hand and see what it says.',
    play: () => silent({ onStart: [{ hang: true }] }, (statuses) => statuses.includes('backoff')),
  },
  {
    name: 'The first start takes long, as it installs something',
    cause: 'start',
    says: 'not ready within 1 min at first; a later start was quick enough',
    advice:
      'A first start that installs something takes its time: install the server beforehand, or raise `policy.timeouts.connectMs`.',
    play: () =>
      silent(
        { starts: [{ onStart: [{ print: 'Installing 214 packages\n', to: 'stderr' }, { hang: true }] }] },
        (statuses) => statuses.includes('ready'),
      ),
  },
  {
    name: 'The server writes log lines to stdout',
    cause: 'stdout',
    says: '1 line that is no message came, the first: Weather server listening',
    advice: 'They are skipped and do no harm here, but break other clients: make the server log to stderr.',
    async play() {
      await using it = quickChild({ onStart: [{ print: 'Weather server listening\n' }] })
      await it.connection.connect()
      return it.connection.explain()
    },
  },
  {
    name: 'The server process lives but is stuck',
    cause: 'responsive',
    says: 'it did not answer probes within 5 s',
    advice:
      'The process lives but is stuck: see what it does (a debugger, `py-spy`, `kill -USR1` for Node.js). It is replaced by a new one.',
    async play() {
      await using driven = drivenChild()
      const { scene, clock } = driven
      await scene.connection.connect()
      process.kill(scene.pids[0] as number, 'SIGSTOP')
      await passing(clock, () => scene.statuses.includes('backoff'), 1_000)
      await passing(clock, () => scene.connection.status === 'ready')
      return scene.connection.explain()
    },
  },
]
