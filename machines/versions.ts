/** Protocol versions this library speaks, best first. */
export const supportedVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

/** The best version that both sides speak, from whatever the server put its list into; not the one it just refused. */
export function mutualVersion(offer: unknown, refused?: string): string | undefined {
  const theirs = new Set(namedVersions(offer))
  return supportedVersions.find((version) => theirs.has(version) && version !== refused)
}

export function namedVersions(offer: unknown): string[] {
  return typeof offer === 'string' ? (offer.match(/\d{4}-\d{2}-\d{2}/g) ?? []) : listed(offer)
}

/** The best version that is older than this one. */
export function olderVersion(than: string): string | undefined {
  return supportedVersions.find((version) => version < than)
}

function listed(offer: unknown): string[] {
  if (typeof offer !== 'object' || offer === null || !('supported' in offer)) return []
  const { supported } = offer
  return Array.isArray(supported) ? supported.filter((v) => typeof v === 'string') : []
}
