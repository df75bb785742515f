import { sep } from 'node:path'
import { expect, test } from 'vitest'
import { usualPlaces } from '../../src/cli/places.js'

const places = (platform: NodeJS.Platform, env: Record<string, string>) =>
  usualPlaces(env, '/project', platform).map((place) => place.replaceAll(sep, '/'))

test('what belongs to the project comes before what belongs to the person', () => {
  const all = places('linux', { HOME: '/home/me' })
  expect(all.slice(0, 4)).toEqual([
    '/project/.mcp.json',
    '/project/mcp.json',
    '/project/.cursor/mcp.json',
    '/project/.vscode/mcp.json',
  ])
  expect(all).toContain('/home/me/.claude.json')
  expect(all).toContain('/home/me/.config/Claude/claude_desktop_config.json')
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
  expect(places(platform, env)).toContain(place)
})
