/** What counts as a message of JSON-RPC, also as serializers write it that leave no member out. */
import { describe, expect, it } from 'vitest'
import { isMessage, withoutNulls } from '../../src/wire/messages.js'

const error = { code: -32603, message: 'no' }

describe('an envelope', () => {
  it.each([
    ['a result', { id: 1, result: {} }],
    ['a result, and no error', { id: 1, result: {}, error: null }],
    ['a result, and an error that is undefined', { id: 1, result: {}, error: undefined }],
    ['an error', { id: 1, error }],
    ['an error, and no result', { id: 1, result: null, error }],
    ['an error of no request', { id: null, result: null, error }],
    ['a notification', { method: 'notifications/progress', id: null, result: null, error: null }],
  ])('holds %s', (_, members) => expect(isMessage({ jsonrpc: '2.0', ...members })).toBe(true))

  it.each([
    ['a result and an error', { id: 1, result: {}, error }],
    ['neither', { id: 1, result: null, error: null }],
    ['a result for nobody', { id: null, result: {}, error: null }],
    ['a result that is a text', { id: 1, result: 'done' }],
    ['an error that is a text', { id: 1, error: 'no' }],
  ])('that holds %s is none', (_, members) => expect(isMessage({ jsonrpc: '2.0', ...members })).toBe(false))

  it('loses what is not there', () => {
    const message = { jsonrpc: '2.0', id: 1, result: { is: null }, error: undefined, method: null } as never
    expect(Object.entries(withoutNulls(message))).toEqual([
      ['jsonrpc', '2.0'],
      ['id', 1],
      ['result', { is: null }],
    ])
  })
})
