import type { Rule } from '../faults.js'
import { opening, status, statusBetween } from '../signs.js'

/** Other HTTP answers. */
export const httpRules: readonly Rule[] = [
  {
    id: 'redirect-at-start',
    because: 'a redirect out of the origin is not followed: credentials stay where they belong',
    source: 'deviation 21; report 04.12',
    when: (e) => statusBetween(300, 399)(e) && opening(e),
    ruling: {
      class: 'permanent',
      transientOnceReady: true,
      scope: 'link',
      code: 'http.{status}',
      delivery: 'refused',
      advice:
        'The server sends this client elsewhere ({location}), which is not followed. Put the final address into the configuration.',
    },
  },
  {
    id: 'redirect',
    because: 'often a login page in place of 401',
    source: 'report 04.12',
    when: statusBetween(300, 399),
    ruling: {
      class: 'permanent',
      scope: 'call',
      code: 'http.{status}',
      suspect: true,
      advice: 'The call was sent elsewhere ({location}), which is not followed. The login may have run out.',
    },
  },
  {
    id: 'overloaded-at-start',
    because: 'the server, or the proxy before it, says that it cannot just now',
    source: 'deviations 23, 24; reports 05.06, 12.03',
    when: (e) => opening(e) && (status(408, 425, 429)(e) || statusBetween(500, 599)(e)),
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'http.{status}',
      delivery: 'refused',
      advice: 'The server answers {status} just now and is tried again later.',
    },
  },
  {
    id: 'rate-limited',
    because: 'refused before it ran; the server asks to wait',
    source: 'RFC 6585 4; report 05.06',
    when: status(429),
    ruling: {
      class: 'transient',
      scope: 'call',
      code: 'http.429',
      delivery: 'refused',
      advice: 'The server limits how often it may be called; the call can be made again later.',
    },
  },
  {
    id: 'server-error',
    because: 'an HTTP error on one call is an answer, not a disconnect; it may have run',
    source: 'report 05.05; deviation 23',
    when: (e) => status(408, 425)(e) || statusBetween(500, 599)(e),
    ruling: {
      class: 'transient',
      scope: 'call',
      code: 'http.{status}',
      suspect: true,
      advice: 'The server answered {status} to this call; it may have run.',
    },
  },
  {
    id: 'not-this-endpoint',
    because: 'the address answers, but not as an MCP endpoint',
    source: 'deviations 20, 22; report 12.01',
    when: (e) => opening(e) && statusBetween(400, 499)(e),
    ruling: {
      class: 'permanent',
      transientOnceReady: true,
      scope: 'link',
      code: 'http.{status}',
      delivery: 'refused',
      advice: 'The address answers {status} to an MCP client. Check that the URL is the MCP endpoint of the server.',
    },
  },
  {
    id: 'call-refused',
    because: 'this request is wrong for the server; repeating it as it is would change nothing',
    source: 'report 01.02, cases B and D',
    when: statusBetween(400, 499),
    ruling: {
      class: 'permanent',
      scope: 'call',
      code: 'http.{status}',
      delivery: 'refused',
      suspect: true,
      advice: 'The server answered {status} to this call.',
    },
  },
  {
    id: 'not-mcp',
    because: 'a page or other content came where JSON-RPC was due',
    source: 'deviation 23; reports 04.11, 12.03',
    when: (e) => opening(e) && (e.kind === 'malformed' || e.kind === 'http'),
    ruling: {
      class: 'permanent',
      transientOnceReady: true,
      scope: 'link',
      code: 'content.not-mcp',
      advice: 'What answers there ({contentType}) is not an MCP server. Check the URL or the command.',
    },
  },
]
