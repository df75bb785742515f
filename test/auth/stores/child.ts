/** A process that works with a file store, for tests with several of them: `child.ts TASK OPTIONS`. */
import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileStore } from '../../../src/auth/stores/index.js'

interface Options {
  path: string
  rounds?: number
  bytes?: number
  staleMs?: number
}

const [task = '', given = '{}'] = process.argv.slice(2)
const { path, rounds = 1, bytes = 1, staleMs }: Options = JSON.parse(given)
const key = 'https://issuer.example https://server.example/mcp'
const store = fileStore({ path, locks: { staleMs } })

/** Adds one to what is stored, as slowly as a refresh; says `overlap` when another process is at it too. */
async function rotate(): Promise<void> {
  const guard = join(path, 'guard')
  for (let round = 0; round < rounds; round++) {
    await store.lock(key, async () => {
      try {
        mkdirSync(guard)
      } catch {
        console.log('overlap')
      }
      const count = Number((await store.get(key)) ?? 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
      await store.set(key, String(count + 1))
      try {
        rmdirSync(guard)
      } catch {
        console.log('overlap')
      }
    })
  }
  console.log('done')
}

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  rotate,
  /** Takes the lock and keeps it. */
  hold: () =>
    store.lock(key, () => {
      console.log('held')
      return new Promise(() => setInterval(() => {}, 1 << 30))
    }),
  /** Writes long values one after the other, for ever. */
  write: async () => {
    for (let round = 0; ; round++) {
      await store.set(key, String(round % 10).repeat(bytes))
      console.log('written')
    }
  },
  /** Watches, and has nothing else to do. */
  watch: async () => {
    store.watch(key, () => {})
    console.log('watching')
  },
  /** Writes one value; says how that went. */
  once: async () => {
    try {
      await store.set(key, 'x'.repeat(bytes))
      console.log('written')
    } catch (error) {
      console.log(Object(error).reason)
    }
    console.log(((await store.get(key)) ?? 'nothing').slice(0, 20))
  },
}

await tasks[task]?.()
