/**
 * Plays the browser of a person who agrees to everything: opens the URL, keeps cookies, follows redirects within the
 * authorization server, and resolves with the URL that the client is sent back to. Nothing is fetched there.
 */
export async function browse(authorizationUrl: string | URL): Promise<URL> {
  const { origin } = new URL(authorizationUrl)
  const jar = new Map<string, string>()
  let at = new URL(authorizationUrl)
  for (let step = 0; step < 20; step++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`the login stops at ${at.pathname} with ${response.status}`)
    await response.body?.cancel()
    at = new URL(location, at)
    if (at.origin !== origin) return at
  }
  throw new Error('the login goes round in circles')
}
