import { describe, expect, it, vi } from 'vitest'
import * as errors from '../../src/errors.js'

type ErrorClass = { readonly code: string; readonly name: string; readonly prototype: errors.LifelineError }
const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === 'function' && Object.getPrototypeOf(value) === errors.LifelineError

const classes = Object.values(errors).filter(isErrorClass)

/** Another installed copy of the library. */
async function otherCopy(): Promise<typeof errors> {
  vi.resetModules()
  const copy = await import('../../src/errors.js')
  expect(copy.ConfigError).not.toBe(errors.ConfigError)
  return copy
}

describe('the errors of this library', () => {
  it('each have a stable code of their own, the same on the class and on its errors', () => {
    expect(classes.length).toBeGreaterThanOrEqual(8)
    expect(classes.filter((one) => !Object.hasOwn(one, 'code')).map(({ name }) => name)).toEqual([])
    expect(new Set(classes.map(({ code }) => code)).size).toBe(classes.length)
    const closed = new errors.ConnectionClosedError('test')
    expect([closed.code, closed.name, errors.ConnectionClosedError.code]).toEqual([
      'CONNECTION_CLOSED',
      'ConnectionClosedError',
      'CONNECTION_CLOSED',
    ])
  })

  it('are known by their code across two copies, each as itself and as a LifelineError', async () => {
    const copy = await otherCopy()
    const foreign = new copy.QueueFullError('test', 1)
    expect(foreign instanceof errors.QueueFullError).toBe(true)
    expect(foreign instanceof errors.LifelineError).toBe(true)
    expect(foreign instanceof errors.ConfigError).toBe(false)
    expect(new Error('any') instanceof errors.LifelineError).toBe(false)
  })

  it('are known when a minifier has given all classes the same name, and keep their own name for people', async () => {
    const copy = await otherCopy()
    for (const one of [copy.QueueFullError, copy.ConfigError]) Object.defineProperty(one, 'name', { value: 'a' })
    const foreign = new copy.QueueFullError('test', 1)
    expect(foreign instanceof copy.QueueFullError).toBe(true)
    expect(foreign instanceof copy.ConfigError).toBe(false)
    expect(foreign instanceof errors.QueueFullError).toBe(true)
    expect(foreign.name).toBe('QueueFullError')
  })

  it('may be extended: such a class knows only its own', () => {
    class Mine extends errors.ConfigError {}
    const mine = new Mine('no')
    expect([mine instanceof Mine, mine instanceof errors.ConfigError]).toEqual([true, true])
    expect(new errors.ConfigError('no') instanceof Mine).toBe(false)
  })
})
