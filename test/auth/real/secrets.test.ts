/** No secret of a login shows anywhere but in the store and on its way: P19, with a real authorization server. */
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { memoryStore, type TokenStore } from '../../../src/auth/index.js'
import { failure } from '../../reports/rig.js'
import { until } from '../../wire/web-rig.js'
import { startRig } from '../rig/index.js'
import { call, person } from './rig.js'

/** Everything in a record that is worth hiding: tokens, verifiers, states, registration secrets. */
function secretsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string')
    return /token|secret|verifier|state|^code$/i.test(name) && value.length > 8 ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => secretsIn(one, key))
}

/** A store that notes every secret that ever goes through it. */
function listening(secrets: Set<string>): TokenStore {
  const store = memoryStore()
  return {
    ...store,
    set: (key, value) => {
      for (const secret of secretsIn(JSON.parse(value))) secrets.add(secret)
      return store.set(key, value)
    },
  }
}

test('tokens, verifiers, states and codes stay out of snapshots, events, errors and incidents (P19)', {
  timeout: 90_000,
}, async () => {
  await using rig = await startRig()
  const secrets = new Set<string>()
  const said: unknown[] = []
  const store = listening(secrets)
  {
    await using me = await person(rig.server.url, store, {
      policy: { stableAfterMs: 1 },
      // As inspectors do: what was sent, and the snapshot that came of it.
      inspect: (told) => {
        const { type, event, snapshot }: Record<string, unknown> = { ...told }
        said.push(JSON.stringify({ type, event, snapshot }, unrolled()), inspect(event, { depth: 5 }))
      },
    })
    const { connection } = me
    connection.incidents$.subscribe((incident) => said.push(inspect(incident, { depth: 9 })))
    connection.status$.subscribe((status) => said.push(status))
    const isStable = () => connection.actor.getSnapshot().context.authorizations === 0
    await connection.connect()
    rig.authority.expireAccessTokens()
    await call(connection, 'read', 'this')
    await until(isStable, 'a stable connection')
    rig.authority.revokeRefreshTokens()
    rig.authority.expireAccessTokens()
    await call(connection, 'read', 'that')
    await until(isStable, 'a stable connection')
    await call(connection, 'write', 'a line')
    // What a person may print: the handle, its actor, its records, and an error of a login that does not fit.
    const error = await failure(
      connection.authorize('http://127.0.0.1/callback?code=a-forged-code&state=a-forged-state'),
    )
    secrets.add('a-forged-code').add('a-forged-state')
    for (const shown of [connection, connection.actor.getSnapshot(), connection.checkpoint(), connection.fault, error])
      said.push(JSON.stringify(shown, unrolled()), inspect(shown, { depth: 8 }))
    said.push(String(error), Object(error).stack)
  }
  // Access tokens, refresh tokens, verifiers and states of three logins and a refresh.
  expect(secrets.size).toBeGreaterThanOrEqual(12)
  const text = said.join('\n')
  expect(text.length).toBeGreaterThan(10_000)
  expect([...secrets].filter((secret) => text.includes(secret))).toEqual([])
})

/** JSON of things that hold each other. */
function unrolled() {
  const seen = new WeakSet<object>()
  return (_key: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return '(again)'
    seen.add(value)
    return value
  }
}
