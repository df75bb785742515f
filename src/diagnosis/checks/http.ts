/** What the server answers: the right endpoint, the right version, and whether it lets us in. */
import type { Fault } from '../../../machines/faults.js'
import type { CaseFile } from '../case-file.js'
import { bad, type Check, type Judgement, ok, unknown } from '../finding.js'
import { isOverload, isRateLimit, isSessionLost } from '../kinds.js'
import { restarted } from '../patterns.js'
import { ago, isProcess, isWeb, obstacle, recentCallFaults, seen, since } from '../reading.js'
import { plain, span, times } from '../words.js'

/** An answer came that is judged by its status, so whatever is asked here was reached. */
function answered(file: CaseFile, well: string): Judgement {
  const fault = obstacle(file)
  return file.usable || fault?.evidence.rpc || fault?.evidence.http ? ok(well) : unknown('it did not come so far')
}

export const endpoint: Check = {
  id: 'endpoint',
  question: 'Is that address the MCP endpoint of the server?',
  applies: (file) => !isProcess(file),
  look(file) {
    const fault = obstacle(file)
    if (!fault) return file.usable ? ok('it is') : unknown('it did not come so far')
    const { http } = fault.evidence
    if (http?.location !== undefined && /^http\.3/.test(fault.code))
      return bad(
        `it answers ${http.status} and sends clients to ${http.location}`,
        `Put that address into the configuration if it is right; credentials are not sent to another origin unasked.`,
      )
    if (fault.code === 'content.not-mcp')
      return isPage(fault)
        ? bad(
            `a web page came in place of an answer${titleOf(fault)}`,
            'Open the address in a browser: it may be the sign-in page of a network or proxy (captive portal), of the site, or simply not the path of the MCP endpoint.',
          )
        : bad(plain(fault.evidence.summary), fault.advice)
    if (/^config\.|^rpc\./.test(fault.code)) return bad(plain(fault.evidence.summary), fault.advice)
    if (/^http\.4(?!01|03|08|25|29)/.test(fault.code))
      return bad(`it answers ${http?.status ?? 'so'} to an MCP client`, adviceOnStatus(fault))
    return answered(file, 'an MCP server answers there')
  },
}

function adviceOnStatus({ evidence, advice }: Fault): string {
  const status = evidence.http?.status
  if (evidence.wire === 'http' && (status === 404 || status === 405) && evidence.legacyAllowed === false)
    return 'Check the path of the URL. If the server speaks the older HTTP+SSE, leave `kind` at `auto`, or set it to `sse`.'
  if (status === 421)
    return 'The server takes this host name for a stranger: add it to the allowed hosts of the server.'
  return advice
}

const isPage = ({ evidence: { http } }: Fault): boolean => /html/i.test(http?.contentType ?? '')

function titleOf({ evidence: { http } }: Fault): string {
  const [, title] = /<title[^>]*>([^<]*)/i.exec(http?.body ?? '') ?? []
  return title?.trim() ? `, titled “${plain(title, 80)}”` : ''
}

export const version: Check = {
  id: 'version',
  question: 'Do both sides speak a common protocol version?',
  look(file) {
    const fault = obstacle(file)
    if (fault?.code === 'version.unsupported')
      return bad(
        fault.evidence.protocolVersion === undefined
          ? plain(fault.evidence.summary)
          : `the server insists on ${plain(fault.evidence.protocolVersion, 40)}`,
        fault.advice,
      )
    const spoken = file.links.findLast(({ session }) => session !== undefined)?.session?.protocolVersion
    return spoken ? ok(`${spoken} was agreed on`) : unknown('it did not come so far')
  },
}

export const credential: Check = {
  id: 'credential',
  question: 'Is the credential valid?',
  applies: isWeb,
  look(file) {
    const fault = obstacle(file)
    if (file.status === 'reauthorizing' || (fault?.class === 'unauthorized' && !isSessionLost(fault)))
      return bad(
        whyRefused(fault, file),
        file.status === 'reauthorizing'
          ? 'A new one is being got; where a person has to log in, do so.'
          : (fault?.advice ?? 'Log in again.'),
      )
    if (fault?.code === 'token.unavailable') return bad(plain(fault.evidence.summary), fault.advice)
    return answered(file, 'the server lets this client in')
  },
}

function whyRefused(fault: Fault | undefined, { counters }: CaseFile): string {
  if (!fault) return 'a new credential is needed'
  const { tokenState, http } = fault.evidence
  const status = http ? `the server answers ${http.status}` : plain(fault.evidence.summary)
  if (tokenState === 'expired') return `${status}; the token has run out`
  if (tokenState === 'fresh') return `${status} although the token has not run out`
  if (tokenState !== 'none') return status
  // A header that the configuration gives is no token of ours, and is seen by nobody.
  return counters.authorizer ? `${status}; no token was sent` : `${status} to the headers as they are configured`
}

const isForbidden = ({ code }: Fault): boolean => code === 'http.403' || code === 'scope.insufficient'

export const access: Check = {
  id: 'access',
  question: 'May this client do what it asks for?',
  applies: isWeb,
  look(file) {
    const fault = obstacle(file)
    if (fault && isForbidden(fault) && fault.class !== 'unauthorized')
      return bad('the server answers 403 at the door', fault.advice)
    const [last] = recentCallFaults(file)
      .filter((one) => isForbidden(one.fault))
      .slice(-1)
    if (last) return bad(`403 to ${last.fault.evidence.method ?? 'a call'}, ${ago(file, last.at)}`, last.fault.advice)
    return file.usable ? ok('nothing was refused') : unknown('it did not come so far')
  },
}

export const rate: Check = {
  id: 'rate',
  question: 'Does the server limit how often it may be asked?',
  applies: isWeb,
  look(file) {
    const limited = seen(file, isRateLimit)
    const last = limited.at(-1)
    if (!last) return answered(file, 'it has not said so')
    const { retryAfterMs } = last.fault
    const wait = retryAfterMs === undefined ? 'and names no time' : `and asks for ${span(retryAfterMs)}`
    return bad(
      `it answered 429 ${times(limited.length)}, last ${ago(file, last.at)}, ${wait}${since(file)}`,
      'The time that it names is served before anything is tried again. Call it less often, or ask its operator for more.',
    )
  },
}

export const load: Check = {
  id: 'load',
  question: 'Is the server, or the proxy before it, able to answer?',
  applies: isWeb,
  look(file) {
    const overloads = seen(file, isOverload)
    const last = overloads.at(-1)
    if (!last) return answered(file, 'it has not said otherwise')
    if (restarted(file)) return ok('it was not, while the server was restarted')
    const { http, method } = last.fault.evidence
    return bad(
      `it answered ${http?.status} to ${method ?? 'a request'} ${times(overloads.length)}, last ${ago(file, last.at)}${since(file)}`,
      adviceOnLoad(http?.status),
    )
  },
}

function adviceOnLoad(status: number | undefined): string {
  switch (status) {
    case 408:
      return 'The server, or a proxy, waited too long for the request: look for a slow network, or a proxy that buffers.'
    case 502:
    case 503:
      return 'The server behind the proxy is away or overloaded: see its logs, and whether it is being deployed. It is tried again with growing pauses.'
    case 504:
      return 'A proxy gave up on the server: let the server answer sooner or send progress, or raise the read timeout of the proxy.'
    default:
      return 'The server failed while it answered: see its logs. It is tried again with growing pauses.'
  }
}
