/** Mutants that do the same as the chart, each with the reason. One that is noticed after all, or gone, fails the run. */
export const equivalents: Readonly<Record<string, string>> = {
  'sent elsewhere | connection.linked.initializing.resuming: link.resumed #1 [listsKnown] → connection.linked.ready: connection.linked.ready.catalog.refreshing':
    'lists that are known from before are not verified, so that `checking` leads to `refreshing` at once',
  'sent elsewhere | connection.linked.discovering: xstate.after.discoverTimeout → connection.linked.ready: connection.linked.ready.catalog.stale':
    'lists that took too long are stale, so that `checking` leads to `stale` at once',
  'sent elsewhere | connection.linked.ready.catalog.gathering: xstate.after.gather → connection.linked.ready.catalog.refreshing: connection.linked.ready.catalog.checking':
    'lists that are said to have changed are unverified, so that `checking` leads to `refreshing` at once',
  'sent elsewhere | connection.linked.ready.catalog.doubting: xstate.after.gather → connection.linked.ready.catalog.refreshing: connection.linked.ready.catalog.checking':
    'as for `gathering`',
  'sent elsewhere | connection.linked.ready.catalog.fresh: lists.unheard → connection.linked.ready.catalog.unheard: connection.linked.ready.catalog.checking':
    'lists that were read too early are noted as such, so that `checking` leads to `unheard` at once',
  'sent elsewhere | connection.failed.exhausted.open: demand.raised → connection.linked: connection.idle':
    'while a call waits `idle` leads to `linked` at once',
  'sent elsewhere | connection.linked.connecting.held: link.called → connection.linked.connecting.opening: connection.linked.connecting':
    '`connecting` does nothing itself and begins with `opening`',
  'sent elsewhere | connection.linked.connecting.held: xstate.after.hold → connection.linked.connecting.opening: connection.linked.connecting':
    '`connecting` does nothing itself and begins with `opening`',
  'patience turned | legacy-wire: ': 'a target that was once ready is not judged by this rule',
  'begun elsewhere | connection.linked.initializing: resuming':
    'every transition names the state within; XState asks for a first one',
  'begun elsewhere | connection.failed: exhausted':
    'every transition names the state within; XState asks for a first one',
}
