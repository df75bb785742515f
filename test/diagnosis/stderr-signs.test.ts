/** Last words of real programs, as they write them, and what they mean. */
import { describe, expect, it } from 'vitest'
import { signIn } from '../../src/diagnosis/stderr-signs.js'

describe('what is missing of the runtime', () => {
  it.each<[string, string]>([
    ["Error: Cannot find module '/app/dist/index.js'\n    at Module._resolveFilename", '/app/dist/index.js'],
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /app/index.js", 'zod'],
    ["ModuleNotFoundError: No module named 'mcp.server'", 'mcp.server'],
    ['/usr/bin/python3: No module named mcp_server_git', 'mcp_server_git'],
    ["python3: can't open file '/srv/server.py': [Errno 2] No such file or directory", '/srv/server.py'],
    ['env: ‘node’: No such file or directory', 'node'],
    ['env: node: No such file or directory', 'node'],
    ['sh: 1: tsx: not found', 'tsx'],
    ['bash: line 1: uvx: command not found', 'uvx'],
    ["'npx' is not recognized as an internal or external command,\noperable program or batch file.", 'npx'],
    ["npm error code E404\nnpm error 404  '@acme/mcp@*' is not in this registry.", '@acme/mcp@*'],
    ['npm ERR! code ENOTFOUND\nnpm ERR! syscall getaddrinfo', 'ENOTFOUND'],
    ['npm error could not determine executable to run', 'no such command'],
    ['An executable named `weather` is not provided by package `weather-mcp`.', 'weather'],
    [
      '  × No solution found when resolving tool dependencies:\n  ╰─▶ Because weather-mcp was not found',
      'No solution found',
    ],
    ['node: bad option: --experimental-strip-types', 'Node.js is too old'],
    ['ReferenceError: File is not defined\n    at undici', 'Node.js is too old'],
    ['npm warn EBADENGINE Unsupported engine {\n  package: x', 'Node.js is too old'],
    ['weather requires Node.js version >= 22', 'Node.js is too old'],
    ["ERROR: Package 'weather' requires a different Python: 3.8.10 not in '>=3.10'", 'Python is too old'],
    [
      'docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
      'does not run',
    ],
    [
      'docker: permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
      'may not use Docker',
    ],
    [
      "Unable to find image 'acme/weather:latest' locally\ndocker: Error response from daemon: pull access denied for acme/weather, repository does not exist",
      'acme/weather:latest',
    ],
    ['./server: error while loading shared libraries: libssl.so.1.1: cannot open shared object file', 'libssl.so.1.1'],
    ["/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by ./server)", 'GLIBC_2.38'],
    ['Error: Unable to access jarfile weather.jar', 'weather.jar'],
  ])('%s', (words, evidence) => {
    expect(signIn(`starting up\n${words}\n`)).toMatchObject({
      about: 'runtime',
      evidence: expect.stringContaining(evidence),
    })
  })
})

describe('which variable is missing', () => {
  it.each<[string, string]>([
    ['Error: BRAVE_API_KEY environment variable is required', 'BRAVE_API_KEY'],
    ['GITHUB_PERSONAL_ACCESS_TOKEN environment variable is not set', 'GITHUB_PERSONAL_ACCESS_TOKEN'],
    ['GITHUB_TOKEN not set', 'GITHUB_TOKEN'],
    ['Missing required environment variable: SLACK_BOT_TOKEN', 'SLACK_BOT_TOKEN'],
    ['Please set SLACK_BOT_TOKEN and SLACK_TEAM_ID environment variables', 'SLACK_BOT_TOKEN'],
    ["KeyError: 'OPENAI_API_KEY'", 'OPENAI_API_KEY'],
    ['Environment variable "DATABASE_URL" not found', 'DATABASE_URL'],
    ['FATAL: DATABASE_URL must be set', 'DATABASE_URL'],
    ['error: $NOTION_API_KEY is undefined', 'NOTION_API_KEY'],
  ])('%s', (words, name) => {
    expect(signIn(words)).toMatchObject({ about: 'environment', evidence: `the variable ${name} is missing` })
  })

  it('a key without a name', () => {
    expect(signIn('Please provide an API key')).toMatchObject({ about: 'environment' })
  })
})

it.each<[string, string]>([
  ['FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory', 'memory'],
  ['Error: listen EADDRINUSE: address already in use :::3000', 'port'],
  ['Error: ENOSPC: no space left on device, write', 'files'],
])('%s', (words, about) => {
  expect(signIn(words)).toMatchObject({ about })
})

it.each([
  undefined,
  '',
  'Weather MCP server running on stdio',
  'Secure MCP Filesystem Server running on stdio\nAllowed directories: [ /srv ]',
  'DEBUG loaded WEATHER_API_KEY from the environment',
  'Traceback (most recent call last):\nValueError: bad zip code',
  'Error: 404 Not Found\n    at fetchForecast (weather.js:12:11)',
  'tool search_files not implemented',
])('no sign in: %s', (words) => {
  expect(signIn(words)).toBeUndefined()
})
