/** A contender in a process of its own, driven by messages: `node contender.js ours|stock`. Ends with its parent. */
import { done, type Side, type Work } from './work.js'

export interface Told {
  readonly value?: number
  readonly error?: string
}

const side = process.argv[2] as Side
process.on('disconnect', () => process.exit())
process.on('message', (work: Work) => {
  const tell = (told: Told) => void process.send?.(told)
  done(side, work).then(
    (value) => tell({ value }),
    (error: unknown) => tell({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})
