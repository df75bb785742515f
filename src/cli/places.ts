/** Where hosts keep their configuration of servers. */
import { homedir } from 'node:os'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

export interface Places {
  /** Came with the folder, as a clone or an archive brings it: whoever made that decides what they run. */
  readonly project: readonly string[]
  /** The person's own. */
  readonly personal: readonly string[]
}

/** Each in the order in which it is looked at. */
export function usualPlaces(env: Environment, folder = process.cwd(), platform = process.platform): Places {
  const home = env.HOME ?? env.USERPROFILE ?? homedir()
  const settings = {
    darwin: join(home, 'Library', 'Application Support'),
    win32: env.APPDATA ?? join(home, 'AppData', 'Roaming'),
  }[platform as string]
  const app = settings ?? env.XDG_CONFIG_HOME ?? join(home, '.config')
  const personal = [
    join(app, 'lifeline', 'mcp.json'),
    join(home, '.claude.json'),
    join(app, 'Claude', 'claude_desktop_config.json'),
    join(home, '.cursor', 'mcp.json'),
    join(app, 'Code', 'User', 'mcp.json'),
    join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    join(home, '.gemini', 'settings.json'),
  ]
  const within = ['.mcp.json', 'mcp.json', '.cursor/mcp.json', '.vscode/mcp.json', '.gemini/settings.json']
  // In the home folder, some of them are the person's own.
  const project = within.map((file) => join(folder, ...file.split('/'))).filter((file) => !personal.includes(file))
  return { project, personal }
}
