/**
 * Many connections in a process of its own, made, weighed and closed; a program with `--expose-gc`:
 * `node weigh.js ours|stock COUNT`. Prints one line of JSON.
 */
import { createConnection } from '../../src/index.js'
import { stockReady } from './contenders.js'
import { timed } from './measure.js'
import { StubTransport } from './stub.js'

export interface Weighed {
  /** Heap, per connection. */
  readonly bytes: number
  readonly startMs: number
  readonly closeMs: number
}

interface Closable {
  close(): Promise<void>
}

const kinds: Readonly<Record<string, () => Promise<Closable>>> = {
  stock: () => stockReady(new StubTransport()),
  async ours() {
    const connection = createConnection({ name: 'bench', target: { open: () => new StubTransport() } })
    await connection.connect()
    return connection
  },
}

function heap(): number {
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const make = kinds[process.argv[2] ?? '']
const count = Number(process.argv[3])
if (!make || !(count > 0)) throw new Error('usage: node --expose-gc weigh.js ours|stock COUNT')

const kept: Closable[] = []
for (let i = 0; i < 50; i++) kept.push(await make())
const before = heap()
const startMs = await timed(async () => {
  for (let i = 0; i < count; i++) kept.push(await make())
})
const bytes = (heap() - before) / count
const closeMs = await timed(() => Promise.all(kept.map((one) => one.close())))
const weighed: Weighed = { bytes, startMs, closeMs }
console.log(JSON.stringify(weighed))
process.exit(0)
