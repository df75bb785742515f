import { sep } from 'node:path'
import { expect, test } from 'vitest'
import { usualPlaces } from '../../src/cli/places.js'

const places = (platform: NodeJS.Platform, env: Record<string, string>, folder = '/project') => {
  const { project, personal } = usualPlaces(env, folder, platform)
  const named = (all: readonly string[]) => all.map((place) => place.replaceAll(sep, '/'))
  return { project: named(project), personal: named(personal) }
}

test('what came with the folder is kept apart from what is the person’s own', () => {
  const { project, personal } = places('linux', { HOME: '/home/me' })
  expect(project).toEqual([
    '/project/.mcp.json',
    '/project/mcp.json',
    '/project/.cursor/mcp.json',
    '/project/.vscode/mcp.json',
    '/project/.gemini/settings.json',
  ])
  expect(personal).toContain('/home/me/.claude.json')
  expect(personal).toContain('/home/me/.config/Claude/claude_desktop_config.json')
})

test('at home, the settings of hosts are the person’s own', () => {
  const { project, personal } = places('linux', { HOME: '/home/me' }, '/home/me')
  expect(project).toEqual(['/home/me/.mcp.json', '/home/me/mcp.json', '/home/me/.vscode/mcp.json'])
  expect(personal).toEqual(expect.arrayContaining(['/home/me/.cursor/mcp.json', '/home/me/.gemini/settings.json']))
})

test.each<[NodeJS.Platform, Record<string, string>, string]>([
  ['linux', { HOME: '/home/me', XDG_CONFIG_HOME: '/cfg' }, '/cfg/Claude/claude_desktop_config.json'],
  ['darwin', { HOME: '/Users/me' }, '/Users/me/Library/Application Support/Claude/claude_desktop_config.json'],
  [
    'win32',
    { USERPROFILE: '/Users/me', APPDATA: '/Users/me/Roaming' },
    '/Users/me/Roaming/Claude/claude_desktop_config.json',
  ],
])('settings of applications on %s', (platform, env, place) => {
  expect(places(platform, env).personal).toContain(place)
})
