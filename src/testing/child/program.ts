import type { ChildScript, Step } from './script.js'

interface Incoming {
  id?: string | number
  method?: string
  params?: Record<string, unknown>
}

/**
 * The child itself. Its source text is what runs (`node -e`), so it needs no file and no loader and starts as fast as
 * bare Node; in return it may use nothing from outside itself but Node's globals.
 */
export function program(given: ChildScript): void {
  const fs = process.getBuiltinModule('node:fs')
  const { spawn } = process.getBuiltinModule('node:child_process')
  let locked: string | undefined
  let counter = 0
  let stdoutClosed = false

  const log = (event: string, more: Record<string, unknown> = {}) => {
    if (!given.log) return
    fs.appendFileSync(given.log, `${JSON.stringify({ event, pid: process.pid, at: Date.now(), ...more })}\n`)
  }
  const earlierStarts = () => {
    if (!given.log || !fs.existsSync(given.log)) return 0
    return fs.readFileSync(given.log, 'utf8').split('{"event":"start"').length - 1
  }
  const script: ChildScript = { ...given, ...given.starts?.[earlierStarts()] }

  // ---- output

  const writeAll = (to: 'stdout' | 'stderr', bytes: Buffer) =>
    new Promise<void>((resolve) => {
      if (to === 'stdout' && stdoutClosed) return resolve()
      process[to].write(bytes, () => resolve())
    })
  const chunked = async (bytes: Buffer) => {
    const size = script.output?.chunkBytes ?? bytes.length
    for (let at = 0; at < bytes.length; at += size) await writeAll('stdout', bytes.subarray(at, at + size))
  }
  let writing: Promise<void> = Promise.resolve()
  const put = (bytes: Buffer) => {
    writing = writing.then(() => chunked(bytes))
    return writing
  }
  const send = (message: Record<string, unknown>) => {
    const bom = script.output?.bom ? '\uFEFF' : ''
    return put(Buffer.from(`${bom}${JSON.stringify({ jsonrpc: '2.0', ...message })}${script.output?.lineEnd ?? '\n'}`))
  }
  const flood = async (total: number, to: 'stdout' | 'stderr') => {
    const line = 'a line that a server logs all the time, to whoever may listen\n'
    const block = Buffer.from(line.repeat(1000))
    for (let left = Math.ceil(total / line.length) * line.length; left > 0; left -= block.length) {
      await writeAll(to, block.subarray(0, left))
    }
  }

  // ---- steps

  const leave = (code: number) => {
    log('exit', { code })
    if (locked) fs.rmSync(locked, { force: true })
    process.exit(code)
  }
  const hang = () => new Promise<never>(() => setInterval(() => {}, 1 << 30))
  const takeLock = (file: string) => {
    const holder = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : undefined
    if (holder !== undefined && isAlive(holder)) {
      fs.writeSync(2, 'locked\n')
      leave(1)
    }
    fs.writeFileSync(file, String(process.pid))
    locked = file
  }
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  const grandchild = (step: { ignoreSigterm?: boolean; session?: boolean; holdStdin?: boolean }) => {
    const source = `${step.ignoreSigterm ? "process.on('SIGTERM',()=>{});" : ''}setTimeout(()=>{},60000)`
    const child = spawn(process.execPath, ['-e', source], {
      stdio: [step.holdStdin ? 'inherit' : 'ignore', 'inherit', 'inherit'],
      detached: step.session === true,
    })
    child.unref()
    log('grandchild', { pid: child.pid })
    return child.pid
  }
  const close = (pipe: 'stdin' | 'stdout' | 'stderr') => {
    if (pipe === 'stdin') process.stdin.destroy()
    if (pipe === 'stdout') stdoutClosed = true
    fs.closeSync({ stdin: 0, stdout: 1, stderr: 2 }[pipe])
    // What is closed must not end the process too.
    setInterval(() => {}, 1 << 30)
  }
  const run = async (steps: Step[], request?: Incoming) => {
    for (const step of steps) {
      if ('exit' in step) await writing.then(() => leave(step.exit))
      else if ('die' in step) process.kill(process.pid, step.die)
      else if ('wait' in step) await new Promise((resolve) => setTimeout(resolve, step.wait))
      else if ('hang' in step) await hang()
      else if ('print' in step) {
        for (let n = 0; n < (step.times ?? 1); n++) await writeAll(step.to ?? 'stdout', Buffer.from(step.print))
      } else if ('bytes' in step) await writeAll(step.to ?? 'stdout', Buffer.from(step.bytes, 'hex'))
      else if ('flood' in step) await flood(step.flood, step.to ?? 'stdout')
      else if ('notify' in step) {
        for (let n = 0; n < (step.times ?? 1); n++) await send({ method: step.notify, params: step.params })
      } else if ('result' in step) await send({ id: request?.id, result: step.result })
      else if ('error' in step) await send({ id: request?.id, error: step.error })
      else if ('answer' in step) await answer(request ?? {})
      else if ('close' in step) close(step.close)
      else if ('stopReading' in step) process.stdin.pause()
      else if ('grandchild' in step) grandchild(step)
      else if ('lock' in step) takeLock(step.lock)
    }
  }

  // ---- what it serves

  const text = (value: unknown) => ({ content: [{ type: 'text', text: String(value) }] })
  type Tool = (args: Record<string, unknown>, request: Incoming) => unknown
  const tools: Record<string, Tool> = {
    echo: (args) => text(args.text ?? ''),
    slow: async (args) => {
      if (args.ms === undefined) await hang()
      await new Promise((resolve) => setTimeout(resolve, Number(args.ms)))
      return text(`slept ${args.ms} ms`)
    },
    die: (args) => (args.code === undefined ? run([{ die: 'SIGKILL' }]) : leave(Number(args.code))),
    counter: () => text(++counter),
    big: (args) => text(String(args.char ?? 'x').repeat(Number(args.count ?? 1))),
    burst: async (args) => {
      await run([
        { notify: String(args.method ?? 'notifications/tools/list_changed'), times: Number(args.times ?? 10) },
      ])
      return text('done')
    },
    progress: async (args, request) => {
      const meta = request.params?._meta as { progressToken?: unknown } | undefined
      const total = Number(args.steps ?? 3)
      for (let progress = 1; progress <= total; progress++) {
        const params = { progressToken: meta?.progressToken, progress, total }
        await run([{ wait: Number(args.ms ?? 10) }, { notify: 'notifications/progress', params }])
      }
      return text('done')
    },
    env: (args) => text(process.env[String(args.name)] ?? ''),
    about: () => text(JSON.stringify({ pid: process.pid, cwd: process.cwd(), env: Object.keys(process.env).sort() })),
    spawn: (args) => text(grandchild(args)),
    run: async (args) => {
      await run((args.steps as Step[]) ?? [])
      return text('done')
    },
    fail: (args) => ({ ...text(args.text ?? 'failed'), isError: true }),
  }
  const offered = () => (script.tools ?? Object.keys(tools)).map((name) => ({ name, inputSchema: { type: 'object' } }))
  const resources = script.resources ?? [{ uri: 'test://one', name: 'one', text: 'first' }]
  const prompts = script.prompts ?? [{ name: 'greet', text: 'Say hello' }]
  const resultOf = (request: Incoming): unknown => {
    const params = request.params ?? {}
    switch (request.method) {
      case 'initialize':
        return {
          protocolVersion: script.protocolVersion ?? params.protocolVersion,
          capabilities: script.capabilities ?? {
            tools: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
            prompts: { listChanged: true },
            logging: {},
          },
          serverInfo: script.serverInfo ?? { name: 'scripted-child', version: '1.0.0' },
          instructions: script.instructions,
        }
      case 'ping':
      case 'logging/setLevel':
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return {}
      case 'tools/list':
        return { tools: offered() }
      case 'tools/call':
        return tools[String(params.name)]?.((params.arguments ?? {}) as Record<string, unknown>, request)
      case 'resources/list':
        return { resources: resources.map(({ uri, name }) => ({ uri, name })) }
      case 'resources/templates/list':
        return { resourceTemplates: [] }
      case 'resources/read':
        return { contents: resources.filter(({ uri }) => uri === params.uri) }
      case 'prompts/list':
        return { prompts: prompts.map(({ name }) => ({ name })) }
      case 'prompts/get':
        return {
          messages: prompts
            .filter(({ name }) => name === params.name)
            .map((prompt) => ({ role: 'user', content: { type: 'text', text: prompt.text } })),
        }
      default:
        return undefined
    }
  }
  const answer = async (request: Incoming) => {
    if (request.id === undefined) return
    const result = await resultOf(request)
    if (result !== undefined) await send({ id: request.id, result })
    else await send({ id: request.id, error: { code: -32601, message: `no such thing: ${request.method}` } })
  }
  const receive = (message: Incoming) => {
    log('message', { message: { id: message.id, method: message.method, params: message.params } })
    if (message.method === undefined) return
    const tool = message.method === 'tools/call' ? `tools/call:${message.params?.name}` : ''
    const steps = script.on?.[tool] ?? script.on?.[message.method]
    void (steps ? run(steps, message) : answer(message))
  }

  // ---- life

  const serve = () => {
    let rest = ''
    process.stdin.setEncoding('utf8')
    process.stdin.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim() !== '') receive(JSON.parse(line))
    })
    process.stdin.on('end', () => {
      log('eof')
      if (script.onEof) setInterval(() => {}, 1 << 30)
      void run(script.onEof ?? [{ exit: 0 }])
    })
    void run(script.meanwhile ?? [])
  }
  // A host that is gone is no reason to print a stack trace.
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on('error', () => {})
  const { onSigterm } = script
  if (onSigterm) {
    process.on('SIGTERM', () => {
      log('signal', { signal: 'SIGTERM' })
      void run(onSigterm)
    })
  }
  log('start')
  void run(script.onStart ?? []).then(serve)
}
