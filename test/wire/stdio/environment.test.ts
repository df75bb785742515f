import { describe, expect, it } from 'vitest'
import { childEnvironment } from '../../../src/wire/stdio/environment.js'

const from = {
  PATH: '/bin',
  HOME: '/home/u',
  AWS_SECRET_ACCESS_KEY: 'secret',
  NODE_EXTRA_CA_CERTS: '/ca.pem',
  SSL_CERT_FILE: '/cert.pem',
  HTTPS_PROXY: 'http://proxy',
  no_proxy: 'localhost',
  TERM: '() { :; }; echo hacked',
  EXTRA: 'extra',
}

describe('the environment of a child', () => {
  it('holds what is safe, TLS and proxy variables in both cases, and nothing else', () => {
    expect(childEnvironment({ from, platform: 'linux' })).toEqual({
      PATH: '/bin',
      HOME: '/home/u',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      SSL_CERT_FILE: '/cert.pem',
      HTTPS_PROXY: 'http://proxy',
      no_proxy: 'localhost',
    })
  })
  it('holds further variables by name, and never a shell function', () => {
    const made = childEnvironment({
      from: { ...from, FN: '() { :; }' },
      inherit: ['EXTRA', 'FN', 'GONE'],
      platform: 'linux',
    })
    expect(made).toMatchObject({ EXTRA: 'extra' })
    expect(made).not.toHaveProperty('FN')
    expect(made).not.toHaveProperty('TERM')
    expect(made).not.toHaveProperty('GONE')
  })
  it("is overridden by the server's own, where undefined takes away", () => {
    const made = childEnvironment({ from, own: { PATH: '/opt', HTTPS_PROXY: undefined, NEW: '1' }, platform: 'linux' })
    expect(made).toMatchObject({ PATH: '/opt', NEW: '1' })
    expect(made).not.toHaveProperty('HTTPS_PROXY')
    expect(Object.values(made)).not.toContain(undefined)
  })
  it('knows no case of names on Windows', () => {
    const made = childEnvironment({
      from: { Path: 'C:\\a', SystemRoot: 'C:\\W' },
      own: { PATH: 'C:\\b' },
      platform: 'win32',
    })
    expect(made).toEqual({ PATH: 'C:\\b', SystemRoot: 'C:\\W' })
  })
})
