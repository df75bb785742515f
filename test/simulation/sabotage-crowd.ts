/** Connections that share less than they should with others of their process, or more. */

import { systemClock } from '../../src/clock.js'
import { type ConnectionOptions, createConnection } from '../../src/index.js'
import type { Sabotage } from './sabotage-kit.js'

/** Connections under different clocks share no gate. */
const apart = (options: ConnectionOptions) => createConnection({ ...options, clock: { ...systemClock } })

export const crowdSabotages: readonly Sabotage[] = [
  {
    what: 'what a server asks for is not shared',
    breaks: 'what a server asks of one holds for all who dial it (P6)',
    connect: apart,
    isCrowd: true,
  },
  {
    what: 'nobody minds how many are at an origin',
    breaks: 'handshakes under way are limited (P6)',
    connect: apart,
    isCrowd: true,
    from: 49,
  },
  {
    what: 'what a command did to others is not known',
    breaks: 'a broken command is not started for each connection (P6)',
    connect: apart,
    isCrowd: true,
  },
  {
    what: 'the servers of one origin are taken for one',
    breaks: 'a bad server delays no other (P20)',
    connect: (options) => {
      const { target } = options
      if (!('url' in target)) return createConnection(options)
      // The other address waits for an answer of the first.
      const { fetch = globalThis.fetch } = options
      const first = String(target.url).replace(/\d$/, '0')
      const slow: typeof fetch = async (url, init) => {
        const answer = await fetch(url, init)
        if (String(url) !== first) await new Promise((resolve) => setTimeout(resolve, 20_000))
        return answer
      }
      return createConnection({ ...options, fetch: slow })
    },
    isCrowd: true,
  },
]
