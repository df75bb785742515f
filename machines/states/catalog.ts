import { chartSetup } from '../setup.js'

export const catalog = chartSetup.createStateConfig({
  description: 'Are the lists what the server has now?',
  initial: 'checking',
  states: {
    checking: {
      description: 'How the lists stand on this link decides at once.',
      always: [
        { guard: 'listsUnverified', target: 'refreshing' },
        { guard: 'listsStale', target: 'stale' },
        { guard: 'listsUnheard', target: 'unheard' },
        { target: 'fresh' },
      ],
    },
    fresh: {
      description: 'All lists were read on this link.',
      entry: 'settleLists',
      on: {
        'lists.changed': { target: 'gathering', actions: 'noteChange' },
        'lists.unheard': { target: 'unheard', actions: 'doubtHearing' },
      },
      after: {
        listsQuiet: { actions: 'forgetListRounds' },
      },
    },
    unheard: {
      description:
        'All lists were read, but the stream that tells of changes opened later. A change in between would never be heard of: they are read once more, as soon as the link has proved itself.',
      on: {
        'lists.changed': { target: 'gathering', actions: 'noteChange' },
      },
      always: { guard: 'stable', target: 'refreshing' },
    },
    gathering: {
      description: 'Lists changed; more changes are awaited for a moment, longer with each round.',
      on: {
        'lists.changed': {},
      },
      after: {
        gather: 'refreshing',
      },
    },
    refreshing: {
      description: 'The lists are read again; the old ones serve meanwhile.',
      entry: ['countListRound', { type: 'tellLink', params: { type: 'refresh' } }],
      on: {
        'lists.refreshed': [
          { guard: 'incomplete', target: 'stale' },
          { guard: 'listsDirty', target: 'gathering', actions: 'noteChange' },
          { guard: 'toldTooEarly', target: 'doubting', actions: 'doubtChange' },
          { target: 'fresh' },
        ],
      },
      after: {
        discoverTimeout: 'stale',
      },
    },
    doubting: {
      description:
        'The server told of a change that is not to be seen: it may have told too early, so it is asked once more.',
      on: {
        'lists.changed': { target: 'gathering', actions: 'noteChange' },
      },
      after: {
        gather: 'refreshing',
      },
    },
    stale: {
      description: 'Some list could not be read; its last good content serves, and it is asked for again.',
      entry: 'staleLists',
      on: {
        'lists.changed': { target: 'gathering', actions: 'noteChange' },
      },
      after: {
        listRetry: 'refreshing',
      },
    },
  },
})
