import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { evidenceOf } from '../../../src/wire/failure.js'
import { StdioWire } from '../../../src/wire/stdio/index.js'
import { isAlive, rig, timed } from './rig.js'

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/package.json')).replace(
  'package.json',
  'dist/index.js',
)

const newClient = () => new Client({ name: 'test', version: '1' })

describe("the SDK's Client over this wire", () => {
  it('takes it as a Transport', () => {
    expectTypeOf<StdioWire>().toExtend<Transport>()
    // Checked by the compiler; there is nothing to run.
    const transport: Transport = new StdioWire({ command: 'unused' })
    expect(transport).toBeInstanceOf(StdioWire)
  })

  it('talks with a real server', async () => {
    const wire = new StdioWire({ command: process.execPath, args: [everything, 'stdio'] })
    const client = newClient()
    await client.connect(wire)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('echo')
    const result = await client.callTool({ name: 'echo', arguments: { message: 'hello' } })
    expect(JSON.stringify(result)).toContain('hello')
    const pid = wire.pid ?? 0
    await client.close()
    expect(isAlive(pid)).toBe(false)
  })

  it('talks with a scripted child about everything it offers', async () => {
    const { wire } = rig()
    const client = newClient()
    await client.connect(wire)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('counter')
    expect((await client.readResource({ uri: 'test://one' })).contents).toMatchObject([{ text: 'first' }])
    expect((await client.getPrompt({ name: 'greet' })).messages).toHaveLength(1)
    await client.ping()
    const progress: number[] = []
    const enough = new AbortController()
    // The Client drops progress that comes in one chunk with the result, over any transport: this result never comes.
    const call = client.callTool({ name: 'progress', arguments: { steps: 1_000, ms: 20 } }, undefined, {
      onprogress: (step) => {
        progress.push(step.progress)
        enough.abort()
      },
      signal: enough.signal,
    })
    await expect(call).rejects.toThrow()
    expect(progress[0]).toBe(1)
    await expect(client.callTool({ name: 'none' })).rejects.toMatchObject({ code: -32601 })
    await client.close()
  })

  it('02.02, trap 20: has its calls rejected with evidence when the child dies, and none left waiting', async () => {
    const { wire } = rig()
    const client = newClient()
    await client.connect(wire)
    const slow = client.callTool({ name: 'slow' }).catch((error: unknown) => error)
    const die = client.callTool({ name: 'die' }).catch((error: unknown) => error)
    const [errors, ms] = await timed(() => Promise.all([slow, die]))
    expect(ms).toBeLessThan(1000)
    for (const error of errors) {
      expect(evidenceOf(error)).toMatchObject({ kind: 'exit', sent: true, exit: { signal: 'SIGKILL' } })
    }
    expect(Reflect.get(client, '_responseHandlers').size).toBe(0)
  })

  it('02.03: has its connect rejected with the exit code when the server dies in the handshake', async () => {
    const { wire } = rig({ on: { initialize: [{ print: 'no licence\n', to: 'stderr' }, { exit: 4 }] } })
    const error = await newClient()
      .connect(wire)
      .catch((error: unknown) => error)
    expect(evidenceOf(error)).toMatchObject({
      kind: 'exit',
      method: 'initialize',
      exit: { code: 4, stderrTail: 'no licence' },
    })
  })

  it('is not wedged by a start that failed', async () => {
    const client = newClient()
    const failed = client.connect(new StdioWire({ command: 'no-such-command-here' }))
    expect(evidenceOf(await failed.catch((error: unknown) => error))).toMatchObject({ kind: 'spawn' })
    const { wire } = rig()
    await client.connect(wire)
    await client.close()
  })

  it('forgets a request that timed out, and its late answer disturbs nobody', async () => {
    const { wire } = rig()
    const errors: Error[] = []
    const client = newClient()
    await client.connect(wire)
    client.onerror = (error) => errors.push(error)
    await expect(
      client.callTool({ name: 'slow', arguments: { ms: 100 } }, undefined, { timeout: 20 }),
    ).rejects.toThrow()
    expect(wire.pending).toBe(0)
    await client.callTool({ name: 'slow', arguments: { ms: 120 } })
    expect(errors).toEqual([])
    await client.close()
  })
})
