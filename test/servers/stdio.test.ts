/** Servers of other makers over stdio are killed, and come back on the same handle. */
import { describe, expect, it } from 'vitest'
import { alive, childrenOf } from '../../src/cli/demo/processes.js'
import { type Connection, OutcomeUnknownError } from '../../src/index.js'
import { failure, until as reaches, record } from '../connection/rig.js'
import { commandOf, Effects, incidentsOf, type Program, patient, toolsOf, until, versionOf } from './rig.js'

interface Case extends Program {
  readonly of: string
}

const cases: Case[] = [
  { program: 'sdk-v1', of: '@modelcontextprotocol/sdk', mode: 'stdio' },
  { program: 'everything', of: '@modelcontextprotocol/server-everything', mode: 'stdio' },
  { program: 'fastmcp', of: 'fastmcp', mode: 'stdio' },
]

describe.each(cases.map((one) => ({ name: `${one.of} ${versionOf(one.of)}`, ...one })))('$name over stdio', (one) => {
  const isEverything = one.program === 'everything'

  async function begin(effects: Effects) {
    const before = childrenOf(process.pid)
    const connection = patient({ ...commandOf(one), env: { MODE: one.mode ?? '', EFFECTS: effects.file } })
    const child = () => {
      const [pid, ...more] = childrenOf(process.pid).filter((living) => !before.includes(living))
      if (pid === undefined || more.length > 0) throw new Error('there is to be one child')
      return pid
    }
    await connection.connect()
    return { connection, child, incidents: incidentsOf(connection) }
  }

  async function call(connection: Connection, text: string): Promise<void> {
    const params = { name: 'echo', arguments: isEverything ? { message: text } : { text } }
    expect(JSON.stringify(await connection.callTool(params))).toContain(`cho: ${text}`)
  }

  function hang(connection: Connection): Promise<unknown> {
    if (!isEverything) return call(connection, 'hang')
    const params = { name: 'trigger-long-running-operation', arguments: { duration: 60, steps: 1 } }
    return connection.callTool(params)
  }

  it('is killed: calls that come then are answered by the next process, each once, and nothing is left', async () => {
    using effects = new Effects()
    const { connection, child, incidents } = await begin(effects)
    const first = child()
    await call(connection, 'before')
    const statuses = record(connection)
    process.kill(first, 'SIGKILL')
    await reaches(connection, 'backoff')
    await Promise.all([call(connection, 'one'), call(connection, 'two')])
    const second = child()
    expect(second).not.toBe(first)
    expect(statuses).toEqual(['ready', 'backoff', 'connecting', 'initializing', 'discovering', 'ready'])
    expect(incidents).toMatchObject([{ kind: 'loss', outcome: 'recovered', reason: { code: 'process.exited' } }])
    if (!isEverything) {
      expect(effects.read().sort()).toEqual(['before', 'one', 'two'])
      expect(toolsOf(connection).sort()).toEqual(['echo', `generation_${second}`])
    }
    await connection.close()
    expect(alive([first, second])).toEqual([])
  })

  it('is killed while a call runs: its outcome is unknown, it does not run again', async () => {
    using effects = new Effects()
    const { connection, child } = await begin(effects)
    const first = child()
    const hanging = failure(hang(connection))
    if (isEverything) await call(connection, 'beside')
    else await until(() => effects.read().length === 1, 'the call to run')
    process.kill(first, 'SIGKILL')
    expect(await hanging).toBeInstanceOf(OutcomeUnknownError)
    await call(connection, 'after')
    if (!isEverything) expect(effects.read()).toEqual(['hang', 'after'])
    const second = child()
    await connection.close()
    expect(alive([first, second])).toEqual([])
  })
})
