/** Every target that is named from elsewhere, in one place: a wrong name is a compile error here, not a surprise later. */
export const to = {
  idle: '#connection.idle',
  linked: '#connection.linked',
  resuming: '#connection.linked.initializing.resuming',
  handshaking: '#connection.linked.initializing.handshaking',
  initializing: '#connection.linked.initializing',
  discovering: '#connection.linked.discovering',
  ready: '#connection.linked.ready',
  credentialValid: '#connection.linked.ready.credentials.valid',
  reauthorizing: '#connection.linked.reauthorizing',
  backoff: '#connection.backoff',
  waiting: '#connection.backoff.waiting',
  offline: '#connection.backoff.offline',
  permanent: '#connection.failed.permanent',
  exhausted: '#connection.failed.exhausted',
  closing: '#connection.closing',
  closed: '#connection.closed',
} as const
