import { linkInput } from '../inputs.js'
import { chartSetup } from '../setup.js'
import { to } from '../targets.js'
import { verdicts } from '../verdicts.js'
import { connecting } from './connecting.js'
import { discovering } from './discovering.js'
import { initializing } from './initializing.js'
import { ready } from './ready.js'
import { reauthorizing } from './reauthorizing.js'

export const linked = chartSetup.createStateConfig({
  description: 'One attempt: a fresh wire and a fresh client, owned for exactly as long as this state is active.',
  initial: 'connecting',
  entry: 'beginLink',
  exit: 'leaveLink',
  invoke: {
    id: 'link',
    src: 'link',
    input: linkInput,
    onError: { actions: 'failLink' },
  },
  on: {
    fault: verdicts,
    // Wherever the chart does not deal with it at once, a change is remembered until the lists can be read again.
    'lists.changed': { actions: 'markListsDirty' },
    'lists.unheard': { actions: 'markListsDirty' },
    'link.postOnly': { actions: 'notePostOnly' },
    'link.listening': { actions: 'noteListening' },
    reconnect: { target: to.linked, reenter: true, actions: ['forgetSession', 'trustAnew', 'insist'] },
    configure: { guard: 'relinks', target: to.linked, reenter: true, actions: ['configure', 'trustAnew', 'insist'] },
  },
  states: { connecting, initializing, discovering, ready, reauthorizing },
})
