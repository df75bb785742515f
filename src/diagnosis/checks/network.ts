/** The way to the server: names, sockets, certificates. */
import type { Fault } from '../../../machines/faults.js'
import type { CaseFile } from '../case-file.js'
import { bad, type Check, type Judgement, ok, unknown } from '../finding.js'
import { isBroken, isCertificateTrouble, isNameTrouble } from '../kinds.js'
import { regularCut, restarted } from '../patterns.js'
import { isOvercome, isProcess, isWeb, obstacle, seen, since, subject } from '../reading.js'
import { plain, times } from '../words.js'

export const dns: Check = {
  id: 'dns',
  question: 'Is the name of the server known?',
  applies: isWeb,
  look(file) {
    const fault = subject(file)
    if (!fault || !isNameTrouble(fault)) return reached(file, 'name', 'it was found')
    return bad(
      `${hostOf(fault)} is not found (${fault.evidence.errno})${since(file)}`,
      fault.evidence.errno === 'EAI_AGAIN'
        ? 'The name server does not answer: check the network connection, VPN and DNS of this machine.'
        : 'Check the spelling of the host in the URL; names inside a company may need its VPN.',
    )
  },
}

export const certificate: Check = {
  id: 'certificate',
  question: "Is the server's certificate trusted?",
  applies: (file) => isWeb(file) && file.target.startsWith('https:'),
  look(file) {
    const fault = obstacle(file)
    if (fault && isCertificateTrouble(fault)) return bad(`${hostOf(fault)}: ${fault.evidence.errno}`, fault.advice)
    return reached(file, 'answer', 'it is')
  },
}

export const reachable: Check = {
  id: 'reachable',
  question: 'Can the server be reached?',
  applies: (file) => !isProcess(file),
  look(file) {
    if (!file.usable && !file.counters.online)
      return bad('the network of this machine is away', 'Bring the network back; the connection goes on by itself.')
    const fault = subject(file)
    if (!fault || !isBroken(fault)) return reached(file, 'socket', 'it can')
    // A stream that a proxy cuts, or a server that was away for a restart, has a question of its own.
    if (isOvercome(file) && (regularCut(file) || restarted(file))) return ok('it answers again')
    if (regularCut(file)) return ok('it answers, and then its stream is cut')
    const broken = seen(file, isBroken).length
    const often = broken > 1 ? `, ${times(broken)}` : ''
    return bad(`${plain(fault.evidence.summary)}${often}${since(file)}`, advice(fault))
  },
}

function advice({ evidence: { errno, target }, advice: fallback }: Fault): string {
  switch (errno) {
    case 'ECONNREFUSED':
      return `Nothing listens at ${target ?? 'that address'}: start the server there, or correct host and port in the URL.`
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'Nobody answers there at all: check the address, and firewalls and VPN on the way.'
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return 'There is no way to that host: check the network connection, VPN and routes of this machine.'
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
    case 'EPROTO':
      return `What listens at ${target ?? 'that address'} speaks no TLS: correct the port, or use http: where that is meant.`
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return 'The other side, or something on the way, broke the connection: see the logs of the server and of proxies before it.'
    default:
      return fallback
  }
}

const hostOf = ({ evidence }: Fault): string => evidence.target ?? 'the host'

/** How far a connection can get: its name is found, a socket opens, something answers. */
const steps = ['nothing', 'name', 'socket', 'answer'] as const

/** Whoever got further got so far. */
function reached(file: CaseFile, step: (typeof steps)[number], well: string): Judgement {
  return steps.indexOf(furthest(file)) >= steps.indexOf(step) ? ok(well) : unknown('it did not come so far')
}

function furthest(file: CaseFile): (typeof steps)[number] {
  const fault = obstacle(file)
  if (file.usable || fault?.evidence.http || fault?.evidence.rpc) return 'answer'
  if (!fault) return 'nothing'
  if (isCertificateTrouble(fault)) return 'socket'
  return fault.evidence.errno === 'ECONNREFUSED' ? 'name' : 'nothing'
}
