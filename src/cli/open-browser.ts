/** Opens an address in the person's browser, by the program that each system has for it. */
import spawn from 'cross-spawn'

const openers: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  // Without a shell: an address is full of characters that mean something to one.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Resolves with whether a program took the address. The browser is not waited for.
 *
 * Only web addresses are opened: this one comes from a server, and other schemes start programs.
 */
export function openBrowser(url: URL, platform = process.platform): Promise<boolean> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return Promise.resolve(false)
  const [command, ...args] = openers[platform] ?? ['xdg-open']
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url.href], { stdio: 'ignore', detached: true })
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
    child.unref()
  })
}
