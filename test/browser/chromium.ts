import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where Debian puts it (`apt-get install --no-install-recommends chromium`), and others theirs. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * Chromium of this machine, headless and without a life of its own: it asks nothing of the network but what a page does.
 *
 * @throws Error that says how to get it, where there is none
 */
export async function launch(): Promise<Browser> {
  const executablePath = places.find((place) => existsSync(place))
  if (executablePath === undefined) {
    throw new Error('There is no Chromium here. On Debian: apt-get install --no-install-recommends chromium')
  }
  return chromium.launch({
    executablePath,
    // Root in a container has no user namespaces for the sandbox; the pages are our own.
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
  })
}
