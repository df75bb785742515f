import { chartSetup } from '../setup.js'
import { catalog } from './catalog.js'
import { credentials } from './credentials.js'
import { health } from './health.js'

export const ready = chartSetup.createStateConfig({
  description: 'Calls go straight to the server.',
  tags: 'usable',
  type: 'parallel',
  entry: 'emitReady',
  states: { health, catalog, credentials },
})
