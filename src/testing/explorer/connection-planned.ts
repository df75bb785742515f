import type { ConnectionStep } from './connection-view.js'
import type { PlannedAction } from './types.js'

/** What XState plans, as far as it is asked for here. */
interface Params {
  readonly id?: string
  readonly targetId?: string
  readonly event?: { readonly type: string }
}

const paramsOf = ({ params }: PlannedAction): Params => (typeof params === 'object' && params !== null ? params : {})

/** Types of the news that the step gives, in order. */
export const emitted = ({ planned }: ConnectionStep): string[] =>
  planned.filter(({ type }) => type === 'xstate.emit').map((action) => paramsOf(action).event?.type ?? '?')

/**
 * Follows the link through one step: spawned only where none lives, stopped only after `detach`, told only while it
 * lives. What stands at the end must be what the state says.
 */
export function linkSteps({ before, after, planned }: ConnectionStep): string | undefined {
  let lives = before !== undefined && 'link' in before.children
  let detached = false
  for (const action of planned) {
    const params = paramsOf(action)
    if (action.type === 'xstate.spawnChild' && params.id === 'link') {
      if (lives) return 'a second link is begun'
      lives = true
      detached = false
    }
    if (action.type === 'xstate.sendTo' && params.targetId === 'link') {
      if (!lives) return `${params.event?.type} is sent to no link`
      if (detached) return `${params.event?.type} is sent after detach`
      detached = params.event?.type === 'detach'
    }
    if (action.type === 'xstate.stopChild' && params.id === 'link') {
      if (!detached) return 'the link ends without detach'
      lives = false
    }
  }
  if (detached && lives) return 'detach is sent, but the link stays'
  const stands = after.status === 'active' && 'link' in after.children
  return lives === stands ? undefined : `the link ${stands ? 'stands' : 'is gone'} without a step`
}
