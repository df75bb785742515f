/** The server as a process of this machine. */
import type { Fault } from '../../../machines/faults.js'
import { CRASH_MEMORY } from '../../../machines/policy.js'
import type { CaseFile } from '../case-file.js'
import { bad, type Check, type Judgement, ok, unknown } from '../finding.js'
import { isOvercome, isProcess, obstacle, seen, since, subject, troubleFaults } from '../reading.js'
import { type Sign, signIn } from '../stderr-signs.js'
import { count, lastLine, plain, span, times } from '../words.js'

const exited = ({ evidence }: Fault): boolean => evidence.kind === 'exit'

/** What the last words of the process that ended tell of its end, while that stands in the way. */
function signNow(file: CaseFile): Sign | undefined {
  const fault = obstacle(file)
  if (!fault) return undefined
  if (fault.evidence.kind === 'exit') return signIn(fault.evidence.exit?.stderrTail)
  return fault.evidence.kind === 'deadline' ? signIn(file.stderr) : undefined
}

export const command: Check = {
  id: 'command',
  question: 'Can the command be run as it is configured?',
  applies: isProcess,
  look(file) {
    const fault = obstacle(file)
    if (fault?.evidence.kind === 'spawn' || fault?.evidence.kind === 'config')
      return bad(plain(fault.evidence.summary), fault.advice)
    if (fault && isNoServer(file, fault)) {
      const said = lastLine(file.noise.text) ?? lastLine(fault.evidence.exit?.stderrTail)
      return bad(
        `it ends by itself with code 0 before any answer${said === undefined ? '' : `, having written: ${said}`}`,
        'This command seems to be no MCP server over stdio. Check its arguments; some servers want one such as `stdio` or `mcp`.',
      )
    }
    return file.links.length > 0 ? ok('it was started') : unknown('nothing was started yet')
  },
}

/** A server waits for its first message; what says something and ends well is another kind of program. */
const isNoServer = ({ counters }: CaseFile, { code, evidence }: Fault): boolean =>
  code === 'process.exited-early' && evidence.exit?.code === 0 && !counters.everReady

export const runtime: Check = {
  id: 'runtime',
  question: 'Is everything there that the server is made of (runtime, modules, container engine)?',
  applies: isProcess,
  look: (file) =>
    bySign(file, 'runtime') ??
    (obstacle(file)?.code === 'process.interpreter'
      ? bad('the program behind the command was not found', (obstacle(file) as Fault).advice)
      : wellOrUnknown(file, 'it runs')),
}

export const environment: Check = {
  id: 'environment',
  question: 'Has the server the variables and keys that it asks for?',
  applies: isProcess,
  look: (file) => bySign(file, 'environment') ?? wellOrUnknown(file, 'it asks for none that is missing'),
}

function bySign(file: CaseFile, about: Sign['about']): Judgement | undefined {
  const sign = signNow(file)
  return sign?.about === about ? bad(sign.evidence, sign.advice) : undefined
}

/** While a process ends for a reason that is not known, nothing that it may lack can be called well. */
function wellOrUnknown(file: CaseFile, well: string): Judgement {
  if (file.usable) return ok(well)
  const fault = obstacle(file)
  if (!fault || !exited(fault)) return unknown('no process has told')
  if (signNow(file)) return ok('the server complains of something else')
  const said = lastLine(fault.evidence.exit?.stderrTail)
  return unknown(said === undefined ? 'the process wrote nothing to stderr' : `the last line of stderr: ${said}`)
}

export const processAlive: Check = {
  id: 'process',
  question: "Does the server's process live?",
  applies: isProcess,
  look(file) {
    const fault = subject(file)
    if (fault && exited(fault)) return ofEnd(file, fault)
    const link = file.links.at(-1)
    if (!link || fault?.evidence.kind === 'spawn') return unknown('no process was started')
    if (link.endedAt !== undefined) return ok('it was ended by us')
    return ok(`it runs since ${span(file.now - link.begunAt)}`)
  },
}

function ofEnd(file: CaseFile, fault: Fault): Judgement {
  const ends = troubleFaults(file).filter((one) => exited(one.fault))
  const [first, last] = [ends[0]?.at ?? 0, ends.at(-1)?.at ?? 0]
  const often = ends.length > 1 ? `, ${times(ends.length)} within ${span(last - first)}` : ''
  const given = file.counters.earlyExits >= CRASH_MEMORY ? '; it is not started again and again' : ''
  const evidence = `${plain(fault.evidence.summary)}${often}${given}${since(file)}`
  return bad(evidence, adviceOnEnd(fault))
}

function adviceOnEnd({ evidence, advice }: Fault): string {
  const { exit } = evidence
  const sign = signIn(exit?.stderrTail)
  if (sign)
    return sign.about === 'runtime' || sign.about === 'environment' ? 'See above for what it lacks.' : sign.advice
  if (exit?.signal === 'SIGKILL' || exit?.code === 137)
    return 'A SIGKILL that this client did not send comes from the system short of memory (see `dmesg`, or the limit of the container), or from a person.'
  if (exit?.signal === 'SIGSEGV' || exit?.signal === 'SIGABRT' || exit?.signal === 'SIGBUS')
    return 'The server crashed in native code: update it, its runtime and its native modules.'
  if (exit?.signal === 'SIGTERM' || exit?.signal === 'SIGINT' || exit?.code === 143 || exit?.code === 130)
    return 'Somebody ended the process from outside: a service manager, a script or a person.'
  const said = lastLine(exit?.stderrTail)
  return said === undefined ? advice : `Its last words on stderr: ${said}`
}

export const start: Check = {
  id: 'start',
  question: 'Does the server start in time?',
  applies: isProcess,
  look(file) {
    const late = seen(file, isLateStart)
    const fault = subject(file)
    if (!late.length || !fault || !isLateStart(fault)) {
      const ready = file.links.findLast(({ readyAt }) => readyAt !== undefined)
      return ready ? ok(`ready after ${span((ready.readyAt ?? 0) - ready.begunAt)}`) : unknown('it did not come so far')
    }
    const waited = span(fault.evidence.afterMs ?? 0)
    const said = lastLine(file.stderr)
    const words = said === undefined ? 'it wrote nothing at all' : `it was saying: ${said}`
    if (isOvercome(file))
      return bad(
        `not ready within ${waited} at first; a later start was quick enough`,
        'A first start that installs something takes its time: install the server beforehand, or raise `policy.timeouts.connectMs`.',
      )
    return bad(
      `no answer to the handshake within ${waited}, ${times(late.length)}; ${words}`,
      said === undefined
        ? 'It may wait for input, or be no MCP server over stdio. Run the command by hand and see what it says.'
        : 'If it still installs or loads, raise `policy.timeouts.connectMs` or install it beforehand; else run the command by hand.',
    )
  },
}

const isLateStart = ({ evidence: { kind, phase, wire } }: Fault): boolean =>
  wire === 'stdio' && kind === 'deadline' && ['connecting', 'initializing', 'resuming'].includes(phase)

export const stdout: Check = {
  id: 'stdout',
  question: 'Does the server write nothing but messages to stdout?',
  applies: isProcess,
  look(file) {
    const { count: lines, text } = file.noise
    if (lines === 0) return file.links.length > 0 ? ok('nothing else came') : unknown('nothing came yet')
    return bad(
      `${count(lines, 'line')} that ${lines === 1 ? 'is no message' : 'are no messages'} came, the first: ${plain(text, 120)}`,
      'They are skipped and do no harm here, but break other clients: make the server log to stderr.',
    )
  },
}
