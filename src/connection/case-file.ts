import type { ConnectionContext } from '../../machines/types.js'
import type { Calls } from '../calls/index.js'
import type { CaseFile } from '../diagnosis/index.js'
import { type ConnectionRuntime, libraryVersion } from '../link/index.js'
import { redact } from '../redact.js'
import type { ConnectionRecord } from './record.js'
import type { Standing } from './standing.js'

/** All that is known of a connection now, for the checklist. */
export function caseFile(
  runtime: ConnectionRuntime,
  record: ConnectionRecord,
  standing: Standing,
  calls: Calls,
): CaseFile {
  const { context } = standing.actor.getSnapshot()
  const { catalog$, lastLifeAt, rttMs, clock } = runtime
  const { errors, fetchedAt, tools, resources, resourceTemplates, prompts } = catalog$.value
  const { trouble, history } = record.incidents
  return {
    name: context.name,
    wire: context.dialect.wire ?? context.wire,
    target: shownAddress(runtime),
    now: clock.now(),
    status: record.status,
    statusSince: record.statusSince,
    usable: standing.usable,
    stopped: standing.stopped || standing.over,
    policy: context.policy,
    counters: countersOf(context),
    held: record.held,
    nextAttemptAt: record.nextAttemptAt,
    lastLifeAt: lastLifeAt === 0 ? undefined : lastLifeAt,
    rttMs,
    fault: context.fault,
    trouble,
    history,
    links: record.links,
    ...record.troubles,
    lists: {
      fetchedAt,
      counts: {
        tools: tools.length,
        resources: resources.length,
        resourceTemplates: resourceTemplates.length,
        prompts: prompts.length,
      },
      errors,
    },
    calls: { made: calls.made, waiting: calls.waiting },
    host: hostFacts,
  }
}

/** What a person calls the target by. Some servers take their secret as a part of the path. */
export const shownAddress = ({ address, secrets }: ConnectionRuntime): string =>
  redact(address.replace(/^stdio:/, ''), {}, secrets)

function countersOf(context: ConnectionContext): CaseFile['counters'] {
  const { attempts, renewals, earlyExits, slowStarts, missedProbes, coolMs } = context
  const { online, postOnly, everReady, authorizer, demand } = context
  return {
    attempts,
    renewals,
    earlyExits,
    slowStarts,
    missedProbes,
    coolMs,
    online,
    postOnly,
    everReady,
    authorizer,
    demand,
  }
}

/** Browsers have no process. */
const { process } = globalThis as { readonly process?: { readonly version?: string; readonly platform?: string } }

const hostFacts: CaseFile['host'] = {
  library: libraryVersion,
  runtime: process?.version === undefined ? 'a browser' : `Node.js ${process.version}`,
  platform: process?.platform ?? 'unknown',
}
