/**
 * What the last words of a server process mean: the messages of common runtimes and launchers when something they need
 * is not there. Words of programs change, so this only ever adds a cause to what exit code and phase have told already;
 * no decision of the connection rests on it.
 */
import { plain } from './words.js'

export interface Sign {
  /** `runtime`: a program, module or daemon, or its version. `environment`: a variable. `memory`, `port`, `files`: what ran out, or is taken. */
  readonly about: 'runtime' | 'environment' | 'memory' | 'port' | 'files'
  /** What is missing or wrong, in a few words. */
  readonly evidence: string
  readonly advice: string
}

interface Pattern {
  readonly about: Sign['about']
  readonly words: RegExp
  readonly says: (match: RegExpExecArray) => Omit<Sign, 'about'>
}

const item = (match: RegExpExecArray): string => plain(match.slice(1).find((part) => part !== undefined) ?? '', 80)

/** The name of an environment variable; one word in capitals may be anything. */
const variable = '[A-Z][A-Z0-9]*_[A-Z0-9_]+'

/** The first that matches wins, so the more telling ones come first. */
const patterns: readonly Pattern[] = [
  // Docker and its like
  {
    about: 'runtime',
    words:
      /Cannot connect to the Docker daemon|error during connect: .*docker|Is the docker daemon running|failed to connect to the docker API|Cannot connect to Podman/i,
    says: () => ({
      evidence: 'the container engine does not run',
      advice: 'Start Docker (or Podman) and check that `docker ps` works for this user.',
    }),
  },
  {
    about: 'runtime',
    words: /permission denied while trying to connect to the docker (?:daemon socket|API)/i,
    says: () => ({
      evidence: 'this user may not use Docker',
      advice: 'Let this user use Docker (group `docker`), or run the server without it.',
    }),
  },
  {
    about: 'runtime',
    words:
      /Unable to find image '([^']+)' locally[\s\S]*(?:pull access denied|manifest unknown|not found|denied)|pull access denied for (\S+?),/i,
    says: (match) => ({
      evidence: `the image ${item(match)} cannot be had`,
      advice: 'Check the name and tag of the image, and log in to its registry.',
    }),
  },
  // Versions
  {
    about: 'runtime',
    words:
      /EBADENGINE|Unsupported engine|The engine "node" is incompatible|requires? (?:at least )?Node(?:\.js)?(?: version)?[v>=^~ ]*\d|Node(?:\.js)? (?:version )?v?[\d.]+ (?:is not supported|or (?:higher|newer|later) is required)|ERR_UNKNOWN_BUILTIN_MODULE|No such built-in module: (\S+)|node: bad option: (\S+)|ReferenceError: (?:fetch|File|WebSocket|ReadableStream|structuredClone|navigator|CustomEvent|Promise\.withResolvers) is not defined|TypeError: (?:Promise\.withResolvers|process\.getBuiltinModule|Object\.groupBy) is not a function/i,
    says: (match) => ({
      evidence: `Node.js is too old for this server (${plain(match[0], 80)})`,
      advice: 'Install the Node.js version that the server asks for, and see that this command finds it.',
    }),
  },
  {
    about: 'runtime',
    words:
      /requires a different Python|requires Python ?['"]?[<>=~!]+ ?[\d.]+|because the current Python version|Python (?:version )?[\d.]+\+? (?:or (?:higher|newer|later) )?is required|SyntaxError: f-string|TypeError: unsupported operand type\(s\) for \|: 'type' and/i,
    says: (match) => ({
      evidence: `Python is too old for this server (${plain(match[0], 80)})`,
      advice: 'Install the Python version that the server asks for, or name it: `uvx --python 3.12 …`.',
    }),
  },
  {
    about: 'runtime',
    words: /UnsupportedClassVersionError|GLIBC(?:XX)?_[\d.]+'? not found|Exec format error|Bad CPU type in executable/i,
    says: (match) => ({
      evidence: `the program does not fit this system (${plain(match[0], 80)})`,
      advice: 'Get the server for this system and processor, or update the runtime that it names.',
    }),
  },
  // Modules and packages
  {
    about: 'runtime',
    words: /(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)'?|: No module named '?([\w.-]+)'?/,
    says: (match) => ({
      evidence: `the Python module ${item(match)} is missing`,
      advice: `Install it for the Python that the command runs: \`python -m pip install ${item(match).split('.')[0]}\`.`,
    }),
  },
  {
    about: 'runtime',
    words: /Cannot find (?:module|package) '([^']+)'/,
    says: (match) => ({
      evidence: `the Node.js module ${item(match)} is missing`,
      advice:
        'Install the dependencies of the server (`npm install` in its folder), build it, or correct the path to it.',
    }),
  },
  {
    about: 'runtime',
    words:
      /npm (?:ERR!|error) (?:code )?E404[\s\S]*?'([^']+)' is not in this registry|npm (?:ERR!|error) (?:code )?(?:E404|ETARGET)|No matching version found for (\S+)/i,
    says: (match) => ({
      evidence: `the npm package ${item(match) || 'of this command'} does not exist`,
      advice: 'Check the name and version of the package, and the registry that npm uses.',
    }),
  },
  {
    about: 'runtime',
    words: /npm (?:ERR!|error) (?:code )?(ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|E401|E403)/i,
    says: (match) => ({
      evidence: `npm could not fetch the server (${item(match)})`,
      advice: 'Check the network, the proxy and the registry that npm uses, or install the server beforehand.',
    }),
  },
  {
    about: 'runtime',
    words: /could not determine executable to run|An executable named [`'"]?([\w.-]+)[`'"]? is not provided by/i,
    says: (match) => ({
      evidence: `the package has no such command ${item(match)}`.trim(),
      advice: 'Check the name of the package; `npx -p PACKAGE COMMAND` or `uvx --from PACKAGE COMMAND` names both.',
    }),
  },
  {
    about: 'runtime',
    words:
      /No solution found when resolving|Failed to (?:fetch|download)[:\s][^\n]*|not found in the package registry|Could not find a version that satisfies the requirement (\S+)/i,
    says: (match) => ({
      evidence: `Python's packages could not be had (${plain(match[0], 80)})`,
      advice: 'Check the name and version of the package, the network, and the index that uv or pip uses.',
    }),
  },
  {
    about: 'runtime',
    words:
      /python[\d.]*: can't open file '?([^':\n]+)'?|Error: Cannot find file '?([^'\n]+)'?|No such file or directory: '([^'\n]+)'/i,
    says: (match) => ({
      evidence: `the file ${item(match)} is not there`,
      advice: 'Correct the path in the arguments; a relative one starts from cwd.',
    }),
  },
  {
    about: 'runtime',
    words:
      /env: '?[‘`]?([\w.-]+)['’]?: No such file or directory|(?:^|[\s:])([\w./-]+): (?:command not found|not found)(?:\s|$)|'([^']+)' is not recognized as an internal or external command/m,
    says: (match) => ({
      evidence: `the program ${item(match)} is not on the PATH`,
      advice:
        'Install it, or give the server a PATH that holds it (`env.PATH`); launchers of desktops start with a short one.',
    }),
  },
  {
    about: 'runtime',
    words: /error while loading shared libraries: ([\w.+-]+)|Library not loaded: (\S+)|DLL load failed/,
    says: (match) => ({
      evidence: `the library ${item(match)} is missing`,
      advice: 'Install the system package that holds it.',
    }),
  },
  {
    about: 'runtime',
    words: /Could not find or load main class (\S+)|Unable to access jarfile (\S+)/,
    says: (match) => ({
      evidence: `Java does not find ${item(match)}`,
      advice: 'Correct the path of the jar, or the class, in the arguments.',
    }),
  },
  // Variables
  {
    about: 'environment',
    words: new RegExp(
      [
        String.raw`(?:[Ee]nvironment [Vv]ariables?|[Ee]nv [Vv]ars?|ENV)[\s:'"\`]+(${variable})`,
        String.raw`(${variable})['"\`]?(?: environment variable| env var)? (?:is|are|was|must be|has to be|needs to be) (?:not |a |un)?(?:set|required|missing|defined|empty|provided)`,
        String.raw`(${variable})['"\`]? (?:environment variable )?(?:not (?:set|found|provided|defined)|missing|required)`,
        String.raw`(?:[Mm]issing|[Rr]equires?|[Rr]equired|[Ss]et|[Pp]rovide|[Dd]efine|[Uu]ndefined|[Ww]ithout)(?: (?:the|a|your|required|environment|env|variable|var|key|value|API|api|config|configuration|setting))*:? ['"\`]?\$?\{?(${variable})`,
        `KeyError: '(${variable})'`,
      ].join('|'),
    ),
    says: (match) => ({
      evidence: `the variable ${item(match)} is missing`,
      advice: `Give it to the server: \`env: { ${item(match)}: … }\`, or name it in \`inheritEnv\`. Variables of this process are not passed on by themselves.`,
    }),
  },
  {
    about: 'environment',
    words:
      /(?:missing|no|provide (?:an?|your)|requires? (?:an?)?|invalid or missing) (?:\w+ ){0,2}(?:API|access|auth) ?(?:key|token)/i,
    says: (match) => ({
      evidence: `it asks for a key (${plain(match[0], 80)})`,
      advice: 'Give the server its key in `env`, or name the variable in `inheritEnv`.',
    }),
  },
  // What ran out, or is taken
  {
    about: 'memory',
    words: /JavaScript heap out of memory|MemoryError|OutOfMemoryError|Cannot allocate memory|std::bad_alloc/,
    says: (match) => ({
      evidence: `the server ran out of memory (${plain(match[0], 60)})`,
      advice: 'Give it more memory (`NODE_OPTIONS=--max-old-space-size=…` for Node.js), or ask it for less at a time.',
    }),
  },
  {
    about: 'port',
    words: /EADDRINUSE[^\n]*|[Aa]ddress already in use[^\n]*/,
    says: (match) => ({
      evidence: `a port that the server wants is taken (${plain(match[0], 80)})`,
      advice: 'End what holds the port, perhaps an earlier copy of this server, or give the server another one.',
    }),
  },
  {
    about: 'files',
    words: /ENOSPC|No space left on device|EMFILE|Too many open files/i,
    says: (match) => ({
      evidence: `the system has run out of room (${plain(match[0], 60)})`,
      advice: 'Free disk space, or raise the limit of open files.',
    }),
  },
]

/** What these last words mean, where they are known. */
export function signIn(stderr: string | undefined): Sign | undefined {
  if (!stderr) return undefined
  for (const { about, words, says } of patterns) {
    const match = words.exec(stderr)
    if (match) return { about, ...says(match) }
  }
  return undefined
}
