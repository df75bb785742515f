import type { Rule } from '../faults.js'
import { opening, toInitialize } from '../signs.js'

/** Single calls, streams and messages. */
export const callRules: readonly Rule[] = [
  {
    id: 'malformed',
    because: 'one answer was not what the protocol demands; the next may be',
    source: 'report 12.04',
    when: (e) => e.kind === 'malformed' || e.kind === 'http',
    ruling: {
      class: 'transient',
      scope: 'call',
      code: 'content.malformed',
      suspect: true,
      advice: 'The answer to {method} could not be read; the call may have run.',
    },
  },
  {
    id: 'stream-lost-at-start',
    because: 'the answer to the handshake broke off',
    when: (e) => e.kind === 'stream' && opening(e),
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'stream.lost',
      advice: 'The server ended its answer before it was complete.',
    },
  },
  {
    id: 'stream-lost',
    because: 'the reply stream ended without the answer and cannot be resumed: the fate of the call is unknown',
    source: 'SDK trap 1; report 07.01',
    when: (e) => e.kind === 'stream',
    ruling: {
      class: 'transient',
      scope: 'call',
      code: 'stream.lost',
      suspect: true,
      advice: 'The stream of the answer to {method} ended without it; the call may have run.',
    },
  },
  {
    id: 'unsendable',
    because: 'what cannot be written as JSON never left, and cannot leave another time either',
    when: (e) => e.kind === 'thrown' && e.subject === 'message',
    ruling: {
      class: 'permanent',
      scope: 'call',
      code: 'message.unsendable',
      delivery: 'not-sent',
      advice: 'The arguments of {method} hold something that JSON cannot: a BigInt, or an object that contains itself.',
    },
  },
  {
    id: 'oversize',
    because: 'the answer is larger than the limit; the wire lives',
    source: 'report 02.10',
    when: (e) => e.kind === 'oversize',
    ruling: {
      class: 'permanent',
      scope: 'call',
      code: 'message.oversize',
      advice: 'The answer to {method} is larger than the message limit. Ask for less, or raise the limit.',
    },
  },
  {
    id: 'initialize-refused',
    because: 'the server answers in JSON-RPC that it will not take this handshake',
    when: (e) => toInitialize(e) && e.kind === 'rpc' && (e.rpc?.code ?? 0) <= -32600 && (e.rpc?.code ?? 0) > -32603,
    ruling: {
      class: 'permanent',
      transientOnceReady: true,
      scope: 'link',
      code: 'rpc.{rpc}',
      delivery: 'refused',
      advice: 'The server refuses the handshake (JSON-RPC {rpc}). It may be no MCP server or speak another revision.',
    },
  },
  {
    id: 'error-at-start',
    because: 'an internal error of the server during the handshake may pass',
    when: (e) => e.kind === 'rpc' && opening(e),
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'rpc.{rpc}',
      advice: 'The server failed in its handshake (JSON-RPC {rpc}).',
    },
  },
  {
    id: 'rpc-error',
    because: 'an error of the application is an answer and proves the connection well',
    source: 'report 05.05',
    when: (e) => e.kind === 'rpc',
    ruling: {
      class: 'permanent',
      scope: 'call',
      code: 'rpc.{rpc}',
      advice: 'The server answered {method} with an error.',
    },
  },
]
