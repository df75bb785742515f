import { expect, test } from 'vitest'
import type { Authorizer } from '../../src/auth/index.js'
import { withDefaults } from '../../src/hub/defaults.js'
import type { ServerOptions } from '../../src/index.js'

const authorizer: Authorizer = { attach: () => expect.fail('nothing is attached here') }
const other: Authorizer = { attach: () => expect.fail('nothing is attached here') }
const url = 'https://a.test/mcp'

test.each<[string, ServerOptions, Authorizer | undefined]>([
  ['a server with a url', { target: { url } }, authorizer],
  ['one with other headers', { target: { url, headers: { 'x-tenant': 'a' } } }, authorizer],
  ['one with an authorizer of its own', { target: { url }, authorizer: other }, other],
  ['one with a credential in a header', { target: { url, headers: { AUTHORIZATION: 'Bearer x' } } }, undefined],
  ['one whose headers are made', { target: { url, headers: () => ({}) } }, undefined],
  ['a program', { target: { command: 'node' } }, undefined],
])('a common authorizer and %s', (_, given, expected) => {
  expect(withDefaults(given, { authorizer }).authorizer).toBe(expected)
})
