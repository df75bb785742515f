import type { Adapter, AdapterPayload } from 'oidc-provider'

/** Everything that the authorization server remembers, by kind and id, so that tests can take something away. */
export class Records {
  readonly #kinds = new Map<string, Map<string, AdapterPayload>>()

  readonly adapter = (kind: string): Adapter => ({
    upsert: async (id, payload) => {
      this.of(kind).set(id, payload)
    },
    find: async (id) => this.of(kind).get(id),
    findByUid: async (uid) => [...this.of(kind).values()].find((payload) => payload.uid === uid),
    findByUserCode: async (code) => [...this.of(kind).values()].find(({ userCode }) => userCode === code),
    consume: async (id) => {
      const payload = this.of(kind).get(id)
      if (payload) payload.consumed = Math.floor(Date.now() / 1000)
    },
    destroy: async (id) => {
      this.of(kind).delete(id)
    },
    revokeByGrantId: async (grantId) => {
      for (const records of this.#kinds.values())
        for (const [id, payload] of records) if (payload.grantId === grantId) records.delete(id)
    },
  })

  of(kind: string): Map<string, AdapterPayload> {
    const known = this.#kinds.get(kind) ?? new Map<string, AdapterPayload>()
    this.#kinds.set(kind, known)
    return known
  }
}
