/** Where hosts keep their configuration of servers. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../errors.js'
import { namesServers, readText } from '../hub/index.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Looked at in this order: what belongs to the project comes first. */
export function usualPlaces(env: Environment, folder = process.cwd(), platform = process.platform): string[] {
  const home = env.HOME ?? env.USERPROFILE ?? homedir()
  const settings = {
    darwin: join(home, 'Library', 'Application Support'),
    win32: env.APPDATA ?? join(home, 'AppData', 'Roaming'),
  }[platform as string]
  const app = settings ?? env.XDG_CONFIG_HOME ?? join(home, '.config')
  return [
    ...['.mcp.json', 'mcp.json', '.cursor/mcp.json', '.vscode/mcp.json', '.gemini/settings.json'].map((file) =>
      join(folder, ...file.split('/')),
    ),
    join(app, 'lifeline', 'mcp.json'),
    join(home, '.claude.json'),
    join(app, 'Claude', 'claude_desktop_config.json'),
    join(home, '.cursor', 'mcp.json'),
    join(app, 'Code', 'User', 'mcp.json'),
    join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    join(home, '.gemini', 'settings.json'),
  ]
}

/**
 * The first usual place with a file that names a server.
 *
 * @throws ConfigError when there is none, or when one that stands before it cannot be read: it may be the one meant
 */
export function discover(env: Environment, folder?: string): string {
  const places = usualPlaces(env, folder)
  const found = places.find((file) => existsSync(file) && namesServers(readText(file), file))
  if (found !== undefined) return found
  const looked = places.map((place) => `\n  ${place}`).join('')
  throw new ConfigError(
    `No configuration was found. Name one with --config FILE. These files were looked for:${looked}`,
  )
}
