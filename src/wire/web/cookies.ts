/** One origin's cookies never weigh more than this in a request, in characters: servers refuse a head over 8 or 16 KiB. */
const MOST_CHARS = 4_096

/**
 * A small cookie jar for load balancers that pin a client to one replica by a cookie (report 13.01). Cookies go back to
 * the origin that set them and to no other. `Max-Age` of zero and `Expires` in the past delete; `Path`, `Domain` and
 * later expiry are not looked at: an affinity cookie that has run out is replaced by the balancer that set it.
 */
export class CookieJar {
  readonly #origins = new Map<string, Map<string, string>>()

  /** `dateHeader`: the answer's own `Date`, by which `Expires` is judged, so that no clock is needed. */
  store(origin: string, setCookies: readonly string[], dateHeader?: string): void {
    for (const line of setCookies) {
      const [pair = '', ...attributes] = line.split(';')
      const equals = pair.indexOf('=')
      const name = pair.slice(0, equals).trim()
      if (equals < 1 || name === '' || !isPlain(pair)) continue
      const cookies = this.#origins.get(origin) ?? new Map<string, string>()
      this.#origins.set(origin, cookies)
      // The one that was set last is the last to go.
      cookies.delete(name)
      if (!deletes(attributes, dateHeader)) cookies.set(name, pair.slice(equals + 1).trim())
      for (const oldest of cookies.keys()) {
        if (written(cookies).length <= MOST_CHARS) break
        cookies.delete(oldest)
      }
    }
  }

  /** The value of a `cookie` header for this origin, the caller's own cookies first; `undefined` when there is none. */
  header(origin: string, own?: string): string | undefined {
    const cookies = this.#origins.get(origin)
    if (cookies === undefined || cookies.size === 0) return own
    return [...(own ? [own] : []), written(cookies)].join('; ')
  }
}

const written = (cookies: ReadonlyMap<string, string>): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** What a header can hold; anything else would make every later request fail. */
const isPlain = (pair: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(pair)

function deletes(attributes: readonly string[], dateHeader: string | undefined): boolean {
  const attribute = (name: string) => {
    const found = attributes.find((one) => one.trim().toLowerCase().startsWith(`${name}=`))
    return found?.slice(found.indexOf('=') + 1).trim()
  }
  const maxAge = attribute('max-age')
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0
  const expires = Date.parse(attribute('expires') ?? '')
  // Without a Date of the answer only the usual sign of deletion counts: the beginning of time.
  const now = Date.parse(dateHeader ?? '')
  return expires <= (Number.isNaN(now) ? 86_400_000 : now)
}
