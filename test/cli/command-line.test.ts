import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCommand } from '../../src/cli/command-line.js'
import type { Io } from '../../src/cli/io.js'
import { systemClock } from '../../src/clock.js'
import { configOf } from './files.js'

/** Runs it without a process of its own: its exit code, and what it said. */
async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const said: Record<'out' | 'err', string[]> = { out: [], err: [] }
  const stdout = { write: (text: string) => said.out.push(text) }
  const stderr = { write: (text: string) => said.err.push(text) }
  const io = { stdin: process.stdin, stdout, stderr, env: {}, clock: systemClock } as unknown as Io
  const code = await runCommand(words, io)
  return { code, out: said.out.join(''), err: said.err.join('') }
}

test('--help and --version', async () => {
  const help = await run('--help')
  expect(help).toMatchObject({ code: 0, err: '' })
  expect(help.out).toMatch(/lifeline watch.*lifeline call TOOL.*--config FILE.*Exit codes/s)
  expect((await run('--version')).out.trim()).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version)
})

test.each([
  ['no word', [], /needs a command/],
  ['an unknown word', ['wach'], /does not know 'wach'/],
  ['a word of every object', ['toString'], /does not know 'toString'/],
  [
    'a file without --config',
    ['watch', 'servers.json'],
    /takes options only, not 'servers.json'. A file is named with/,
  ],
  ['an unknown option', ['list', '--jsn'], /--jsn/],
  ['no value', ['list', '--config'], /--config/],
  ['a wrong time', ['call', 'x', '--timeout', 'soon'], /--timeout is a number of seconds/],
  ['no tool', ['call'], /needs the name of a tool/],
  ['no server', ['report'], /needs the name of one server/],
])('%s is told, with where help is, and ends with 2', async (_, words, said) => {
  const { code, out, err } = await run(...words)
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(said)
  expect(err).toContain('See lifeline --help.')
})

test.each(['watch', 'list', 'doctor', 'demo'])(
  '%s: a file that cannot be used is named, and it ends with 2',
  async (word) => {
    const missing = await run(word, '--config', 'nowhere.json')
    expect([missing.code, missing.err]).toEqual([2, 'lifeline: nowhere.json cannot be read.\n'])
    const empty = await run(word, '-c', configOf({}))
    expect([empty.code, empty.err]).toEqual([2, expect.stringMatching(/servers\.json names no server\.\n$/)])
  },
)

test('a demo without a server that can be killed says so', async () => {
  const nothingToKill = await run('demo', '--config', configOf({ far: { url: 'http://127.0.0.1:9/mcp' } }))
  expect(nothingToKill.code).toBe(2)
  expect(nothingToKill.err).toMatch(/the demo kills servers/)
})
