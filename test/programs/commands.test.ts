/** `list`, `call`, `doctor`, `report`: as programs, through pipes. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { alive } from '../../src/cli/demo/processes.js'
import { childServer } from '../../src/testing/child/index.js'
import { startFaultServer, status } from '../../src/testing/fault-server/index.js'
import { configOf, folder } from '../cli/files.js'
import { written } from '../hub/rig.js'
import { example, inTerminal, piped } from './rig.js'

vi.setConfig({ testTimeout: 60_000 })

const child = written(childServer())
const stubborn = written(childServer({ onEof: [], onSigterm: [] }))
const typo = { command: 'no-such-command-anywhere' }
const crashing = { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(3)'] }

/** What a program that reads stdout sees. */
const json = async (run: ReturnType<typeof piped>) => {
  const code = await run.ended
  return { code, value: JSON.parse(run.output) }
}

describe('list', () => {
  test('every server with its tools, the bad ones with why; 1 if there are any', async () => {
    const run = piped(
      'list',
      '--config',
      configOf({ good: child, typo, broken: {}, off: { ...child, disabled: true } }),
    )
    expect(await run.ended, run.text).toBe(1)
    expect(run.text).toMatch(/good {2}ready {2}\d+ tools, 1 resource, 1 prompt {2}stdio node\n {2}good__echo/)
    expect(run.text).toMatch(/typo {2}failed {2}0 tools.*\n {2}spawn\.ENOENT: command no-such-command-anywhere/)
    expect(run.text).toMatch(
      /broken {2}failed.*\n {2}config: .*servers\.json:1:\d+: server 'broken': needs either a command or a url/,
    )
    expect(run.text).toMatch(/off {2}disabled/)
  })

  test('as JSON, also of servers that are served on this machine', async () => {
    const { code, value } = await json(piped('list', '--json', '-c', example))
    expect(code).toBe(0)
    expect(value.servers).toMatchObject([
      {
        name: 'everything-stdio',
        status: 'ready',
        tools: expect.arrayContaining([expect.objectContaining({ name: 'everything-stdio__echo' })]),
      },
      { name: 'everything-http', status: 'ready' },
    ])
  })
})

describe('call', () => {
  test('the result is the output; nothing is left behind', async () => {
    const run = piped('call', 'good__echo', 'text=hello there', '-c', configOf({ good: child, typo }))
    expect(await run.ended, run.text).toBe(0)
    expect(run.output).toBe('hello there\n')
  })

  test('server/tool, arguments as JSON, result as JSON; only that server is started', async () => {
    const file = configOf({
      good: child,
      other: written(childServer({ log: join(folder(), 'log'), onStart: [{ hang: true }] })),
    })
    const { code, value } = await json(piped('call', 'good/echo', '{"text": "a=b"}', '--json', '--config', file))
    expect([code, value]).toEqual([0, { content: [{ type: 'text', text: 'a=b' }] }])
  })

  test.each([
    ['a tool that fails', ['good__fail', 'text=not today'], 3, /not today/],
    ['a tool that nobody has', ['good__nothing'], 2, /Tool 'good__nothing': no server of the hub offers it/],
    ['a server that nobody has', ['nobody/x'], 2, /Tool 'nobody\/x'/],
    ['a server that cannot start', ['typo__x'], 1, /spawn\.ENOENT/],
    ['a server that dies under the call', ['good__die'], 5, /outcome is unknown/],
    ['no answer in time', ['good__slow', '--timeout', '3'], 5, /no answer within 3000 ms/],
    ['arguments that are none', ['good__echo', 'text'], 2, /JSON object or name=value/],
  ])('%s', async (_, words, code, said) => {
    const run = piped('call', ...words, '-c', configOf({ good: child, typo }))
    expect(await run.ended, run.text).toBe(code)
    expect(run.text).toMatch(said)
    const asJson = piped('call', ...words, '--json', '-c', configOf({ good: child, typo }))
    expect(await asJson.ended).toBe(code)
    if (code !== 2 || !/JSON object/.test(String(said))) expect(JSON.parse(asJson.output)).toBeTypeOf('object')
  })

  test('a long call on a terminal shows a bar, and leaves the result alone', async () => {
    const run = inTerminal('cols 90 rows 30', `call good__progress steps=4 ms=400 -c ${configOf({ good: child })}`)
    await run.until(/█{12}░{12} 2 of 4/)
    expect(await run.ended).toBe(0)
    expect(run.text).toContain('\u001b[Kdone\r\n')
    expect(run.text).toContain('code=0')
  })

  test('Ctrl-C cancels it and ends with 130', async () => {
    const run = piped('call', 'good__slow', '-c', configOf({ good: child }))
    await expect.poll(() => run.below().length, { timeout: 20_000 }).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const left = run.below()
    run.process.kill('SIGINT')
    expect(await run.ended).toBe(130)
    await expect.poll(() => alive(left), { timeout: 5_000 }).toEqual([])
  })
})

describe('doctor and report', () => {
  test('tell what is wrong with each server and what to do', async () => {
    await using gone = await startFaultServer()
    gone.answer('initialize', status(403))
    const file = configOf({ good: child, typo, crashing, refused: { url: gone.url }, odd: { ...child, comand: 'x' } })
    const run = piped('doctor', '--config', file)
    expect(await run.ended, run.text).toBe(1)
    expect(run.text).toMatch(/✓ good {2}ready {2}stdio node\n {2}scripted-child 1\.0\.0, protocol 20/)
    expect(run.text).toMatch(/✗ typo: failed .*\n.*\n\nCause\n {2}✗ .*\n.*was not found.*\n {6}→ \w+/)
    expect(run.text).toMatch(/✗ crashing: [\s\S]*\nWhat happened\n[\s\S]*process\.exited[\s\S]*\| no licence/)
    expect(run.text).toMatch(/✗ refused: failed [\s\S]*http\.403/)
    expect(run.text).toMatch(/✓ odd[\s\S]*! .*comand: is not known here/)
    expect(run.text).not.toContain('Looked at as well')
    expect(run.text).toMatch(/3 of 5 servers cannot be used now\.\n$/)
  })

  test('as JSON, of one server', async () => {
    const { code, value } = await json(piped('doctor', 'typo', '--json', '-c', configOf({ good: child, typo })))
    expect([code, value.servers]).toEqual([
      1,
      [
        expect.objectContaining({
          name: 'typo',
          isWell: false,
          error: expect.objectContaining({ code: 'spawn.ENOENT', advice: expect.any(String) }),
          explanation: expect.objectContaining({ cause: expect.objectContaining({ id: 'command', verdict: 'bad' }) }),
        }),
      ],
    ])
  })

  test('a report is Markdown and holds no secret', async () => {
    const print = 'console.error("Authorization: Bearer canary-canary " + process.env.API_KEY); process.exit(3)'
    const leaking = { command: process.execPath, args: ['-e', print], env: { API_KEY: 'canary-key' } }
    const run = piped('report', 'leaking', '-c', configOf({ leaking }))
    expect(await run.ended).toBe(0)
    expect(run.output).toMatch(/^# MCP connection leaking: \w+\n\n[\s\S]*## Cause\n/)
    expect(run.output).toMatch(/## Last words of the server\n\n```text\n.*\[redacted\]/)
    expect(run.text).not.toContain('canary')
  })

  test('a report of a server whose configuration cannot be used', async () => {
    const run = piped('report', 'broken', '-c', configOf({ broken: {} }))
    expect(await run.ended, run.text).toBe(0)
    expect(run.output).toMatch(/^# MCP server `broken`: failed\n\n- `config: .*needs either a command or a url/)
  })

  test('a server that is asked for by its name is told in full, also one that is well', async () => {
    const run = piped('doctor', 'good', '-c', configOf({ good: child, typo }))
    expect(await run.ended, run.text).toBe(0)
    expect(run.text).toMatch(/✓ good: ready [\s\S]*Looked at as well\n[\s\S]*Facts\n/)
    expect(run.text).not.toContain('typo:')
  })

  test('of a server that is not there', async () => {
    const run = piped('report', 'nobody', '-c', configOf({ good: child }))
    expect([await run.ended, run.text]).toEqual([2, expect.stringContaining("has no server 'nobody'")])
  })
})

describe('without --config', () => {
  const home = () => {
    const dir = folder()
    mkdirSync(join(dir, '.cursor'))
    writeFileSync(join(dir, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: { good: child } }))
    return dir
  }
  /** What a clone brings, below a home with servers of its own. */
  const project = (dir: string, args: string[]) => {
    const within = join(dir, 'clone')
    mkdirSync(within)
    const theirs = { command: process.execPath, args: ['-e', 'require("fs").writeFileSync("ran", "")', ...args] }
    writeFileSync(join(within, '.mcp.json'), JSON.stringify({ mcpServers: { theirs } }))
    return within
  }

  test('the first usual place is used, and it is said which', async () => {
    const dir = home()
    writeFileSync(join(dir, '.mcp.json'), '{ "mcpServers": {} }')
    const run = piped.in(dir, {}, 'list', '--json')
    expect(await run.ended, run.text).toBe(0)
    expect(JSON.parse(run.output).config).toBe(join(dir, '.cursor', 'mcp.json'))
    expect(run.text).toContain(`the configuration is ${join(dir, '.cursor', 'mcp.json')}`)
  })

  test('programs that came with a folder are not run, and it is said how they would be', async () => {
    const dir = home()
    const within = project(dir, [])
    const run = piped.in(within, { HOME: dir }, 'list')
    expect(await run.ended, run.text).toBe(2)
    expect(run.text).toMatch(/clone\/\.mcp\.json came with this folder, .*name it: --config \S+clone\/\.mcp\.json\n/)
    expect(run.text).toMatch(/For your own servers: --config \S+\.cursor\/mcp\.json\n/)
    expect(existsSync(join(within, 'ran'))).toBe(false)
    const named = piped.in(within, { HOME: dir }, 'list', '--config', '.mcp.json')
    expect(await named.ended).toBe(1)
    expect(existsSync(join(within, 'ran'))).toBe(true)
  })

  test.each([
    ['n', 'cursor', false],
    ['', 'cursor', false],
    ['y', 'clone', true],
  ])('a person who answers %j has the configuration of %s', async (answer, place, ran) => {
    const dir = home()
    const within = project(dir, ['--', '--api-key=canary-key'])
    const run = inTerminal('cols 240 rows 30', 'list', 'true', { cwd: within, env: { HOME: dir } })
    await run.until(/It names:\r\n {2}theirs {2}\S+node -e .*--api-key=\[redacted\]\r\nRun that\? \[y\/N\] /)
    expect(existsSync(join(within, 'ran'))).toBe(false)
    run.process.stdin?.write(`${answer}\r`)
    await run.until(new RegExp(`the configuration is \\S+${place}`))
    await run.ended
    expect(existsSync(join(within, 'ran'))).toBe(ran)
    expect(run.text).not.toContain('canary')
  })

  test('one that is broken is not passed over', async () => {
    const dir = folder()
    writeFileSync(join(dir, '.mcp.json'), '{ "mcpServers": {')
    const run = piped.in(dir, {}, 'list')
    expect([await run.ended, run.text]).toEqual([2, expect.stringMatching(/\.mcp\.json:1:18: this is not JSON/)])
  })

  test('none anywhere: where they were looked for', async () => {
    const run = piped.in(folder(), {}, 'list')
    expect(await run.ended).toBe(2)
    expect(run.text).toMatch(/Name one with --config FILE\.[\s\S]*\n {2}\S+claude_desktop_config\.json\n/)
  })
})

describe('ends', () => {
  test('02.06: killed by SIGKILL it leaves nothing for more than a second, neither servers that end by nothing else nor those it serves', async () => {
    const deaf = 'process.on("SIGTERM", () => {}); require("node:http").createServer().listen(Number(process.argv[1]))'
    const served = {
      url: 'http://127.0.0.1:{port}/mcp',
      serve: { command: process.execPath, args: ['-e', deaf, '{port}'] },
    }
    const run = piped('watch', '-c', configOf({ stubborn, served }))
    await Promise.all([run.until(/stubborn +linked\.ready/), run.until(/served +its local server runs/)])
    const left = run.below()
    expect(left.length).toBeGreaterThanOrEqual(3)
    const killedAt = performance.now()
    run.process.kill('SIGKILL')
    await expect.poll(() => alive(left), { timeout: 5_000, interval: 20 }).toEqual([])
    // A second on a machine that has nothing else to do.
    expect(performance.now() - killedAt).toBeLessThan(1_500)
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)('%s closes all, within a bound, however stubborn', async (signal) => {
    const run = piped('watch', '-c', configOf({ stubborn, good: child }))
    await Promise.all([run.until(/stubborn +linked\.ready/), run.until(/good +linked\.ready/)])
    const left = run.below()
    const askedAt = performance.now()
    run.process.kill(signal)
    expect(await run.ended).toBe(0)
    expect(performance.now() - askedAt).toBeLessThan(9_000)
    await expect.poll(() => alive(left), { timeout: 5_000 }).toEqual([])
    expect(run.text).toMatch(/Closed 2 connections/)
  })
})
