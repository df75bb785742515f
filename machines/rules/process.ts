import type { Rule } from '../faults.js'
import { opening } from '../signs.js'

/** Child processes: they cannot be started, or they end. */
export const processRules: readonly Rule[] = [
  {
    id: 'target-unusable',
    because: 'a target that cannot be read as written will not become readable by waiting',
    when: (e) => e.kind === 'config',
    ruling: {
      class: 'permanent',
      scope: 'link',
      code: 'config.{subject}',
      delivery: 'not-sent',
      advice: 'Correct the {subject} of this server: it cannot be used as written.',
    },
  },
  {
    id: 'cwd-missing',
    because: 'Node reports a missing working directory as a missing command; the two are told apart here',
    source: 'report 11.03',
    when: (e) => e.kind === 'spawn' && e.subject === 'cwd',
    ruling: {
      class: 'permanent',
      scope: 'link',
      code: 'spawn.cwd',
      delivery: 'not-sent',
      advice: 'The working directory {target} cannot be used ({errno}). Create it or correct cwd.',
    },
  },
  {
    id: 'host-out-of-resources',
    because: 'no process or descriptor was free; others may end',
    when: (e) => e.kind === 'spawn' && /^(?:EAGAIN|EMFILE|ENFILE|ENOMEM)$/.test(e.errno ?? ''),
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'spawn.{errno}',
      delivery: 'not-sent',
      advice: 'This machine could not start another process ({errno}). Check its process and descriptor limits.',
    },
  },
  {
    id: 'command-unusable',
    because: 'a command that is missing or may not be run stays so until somebody changes something',
    source: 'reports 02.08, 11.02',
    when: (e) => e.kind === 'spawn',
    ruling: {
      class: 'permanent',
      scope: 'link',
      code: 'spawn.{errno}',
      delivery: 'not-sent',
      advice:
        'The command {target} could not be started ({errno}). Check that it is installed and on the PATH given to it.',
    },
  },
  {
    id: 'interpreter-missing',
    because: 'a shell or env answers 127 or 126 when the program behind the command is missing or may not be run',
    source: 'report 11.02',
    when: (e) => e.kind === 'exit' && opening(e) && (e.exit?.code === 127 || e.exit?.code === 126),
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'process.interpreter',
      delivery: 'not-sent',
      advice: 'The program behind the command was not found ({exit}). Check PATH for the runtime it needs.',
    },
  },
  {
    id: 'exited-before-ready',
    because:
      'a server that ends before it was ever ready may be starved of something; counted, since a loop of it helps nobody',
    source: 'reports 02.01, 02.03',
    when: (e) => e.kind === 'exit' && (opening(e) || e.phase === 'discovering'),
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'process.exited-early',
      delivery: 'not-sent',
      advice: 'The server process ended before the connection was ready ({exit}). Its stderr tells why.',
    },
  },
  {
    id: 'exited',
    because: 'a process that served and ended can be started again',
    source: 'specification 2026-07-28 stdio: the client should restart it; report 02.01',
    when: (e) => e.kind === 'exit',
    ruling: {
      class: 'transient',
      scope: 'link',
      code: 'process.exited',
      advice: 'The server process ended ({exit}). Its stderr tells why; it is started again.',
    },
  },
]
