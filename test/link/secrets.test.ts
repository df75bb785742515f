import { describe, expect, it } from 'vitest'
import { secretsOf } from '../../src/link/secrets.js'

describe('what of a target must not be shown', () => {
  it('the values of its variables, but for those that everybody knows', () => {
    const env = {
      API_KEY: 'abcd',
      GREETING: 'hello world',
      PATH: '/usr/local/bin',
      NODE_ENV: 'production',
      KEYBOARD: 'us',
      TOKEN_AUTH: 'true',
      MODE: 'fast',
    }
    expect(secretsOf({ command: 'x', env: { ...env, GONE: undefined } })).toEqual(['abcd', 'hello world'])
  })

  it('what arguments call a key, a token or a password', () => {
    const args = ['--api-key', 'abcdef', '--token=ghijkl', '--port', '8080', '-k', '--secret', '--verbose', 'pass word']
    expect(secretsOf({ command: 'x', args })).toEqual(['abcdef', 'ghijkl'])
  })

  it('headers and their parts, credentials and the query of an address, as written and as meant', () => {
    const url = 'https://user:pass%20word@host.io/mcp?key=abc%2Fdef&page=2'
    const secrets = secretsOf({ url, headers: { authorization: 'Bearer qwertyui' } })
    expect(secrets).toEqual(
      expect.arrayContaining(['Bearer qwertyui', 'qwertyui', 'pass%20word', 'pass word', 'abc%2Fdef', 'abc/def']),
    )
    expect(secrets).not.toContain('2')
    expect(secretsOf({ url: 'no url' })).toEqual([])
    expect(secretsOf({ open: () => ({}) as never })).toEqual([])
  })
})
