/** What every server over Streamable HTTP has to go through. */
import { describe, expect, it } from 'vitest'
import { type Connection, OutcomeUnknownError } from '../../src/index.js'
import { failure, until as reaches } from '../connection/rig.js'
import { HttpServer, incidentsOf, openSockets, type Program, patient, toolsOf, until, versionOf } from './rig.js'
import { Tap } from './tap.js'

export interface Case extends Program {
  /** The package. */
  readonly of: string
  /**
   * How a request under an unknown session is answered: status and words. `served`: like any other. `none`: there are
   * no sessions, and it is served too.
   */
  readonly unknown: readonly [status: number, words: string] | 'served' | 'none'
  /** A session can be ended and the next one begun without a restart. */
  readonly many?: boolean
  /** No listening stream is offered: that the server was away between two calls is not noticed, and does no harm. */
  readonly postOnly?: boolean
}

const stranger = '11111111-1111-4111-8111-111111111111'

export function losesAndComesBack(of: Case): void {
  const isEverything = of.program === 'everything'
  const answer = typeof of.unknown === 'string' ? of.unknown : of.unknown.join(' ')
  const name = [of.of, versionOf(of.of), ...(of.mode ? [`(${of.mode})`] : [])].join(' ')

  describe(`${name}, unknown session: ${answer}`, () => {
    it('is killed while calls come, and answers them when it is back', async () => {
      await using run = await Run.begin(of)
      const { server, connection, tap, incidents } = run
      await run.call('before')
      await server.kill()
      await until(() => openSockets() === 0 || connection.status !== 'ready', 'dead sockets to be noticed')
      const calls = Promise.all([run.call('one'), run.call('two'), run.call('three')])
      await reaches(connection, 'backoff')
      await server.comeBack()
      await calls
      expect(run.effects().sort()).toEqual(['before', 'one', 'three', 'two'])
      expect(incidents).toMatchObject([{ kind: 'loss', outcome: 'recovered', resumed: of.unknown === 'served' }])
      expect(tap.handshakes).toBe(of.unknown === 'served' ? 1 : 2)
      await run.listsAreNew()
      await run.end()
    })

    it('is restarted between two calls', async () => {
      await using run = await Run.begin(of)
      const { server, connection, tap, incidents } = run
      await run.call('before')
      await server.kill()
      await server.comeBack()
      await run.call('after')
      expect(run.effects()).toEqual(['before', 'after'])
      expect(incidents.filter(({ outcome }) => outcome !== 'recovered')).toEqual([])
      expect(tap.handshakes - 1).toBe(incidents.filter(({ resumed }) => !resumed).length)
      if (typeof of.unknown === 'string') {
        const { status, body } = await server.ask('POST', stranger, 'tools/list')
        expect({ status, body }).toEqual({ status: 200, body: expect.stringContaining('"echo"') })
      } else {
        const [status, words] = of.unknown
        const refused = tap.exchanges.find(
          (exchange) => exchange.verb === 'POST' && exchange.status !== undefined && exchange.status >= 400,
        )
        expect(refused).toMatchObject({ status, body: expect.stringContaining(words) })
        expect(tap.handshakes).toBe(2)
      }
      if (!of.postOnly) await run.listsAreNew()
      expect(connection.status).toBe('ready')
      await run.end()
    })

    it('is killed while a call runs: its outcome is unknown, it is not sent again, the next one is answered', async () => {
      await using run = await Run.begin(of)
      const { server } = run
      const hanging = failure(run.hang())
      await until(() => run.effects().length === 1, 'the call to run')
      await server.kill()
      expect(await hanging).toBeInstanceOf(OutcomeUnknownError)
      await server.comeBack()
      await run.call('after')
      expect(run.effects()).toEqual(['hang', 'after'])
      expect(run.incidents.length).toBeLessThanOrEqual(1)
      await run.end()
    })

    if (!of.many) return
    it('ends the session without a word: the call makes a new one and runs once', async () => {
      await using run = await Run.begin(of)
      const { server, tap, incidents } = run
      await run.call('before')
      expect((await server.ask('DELETE', tap.session ?? '')).status).toBeLessThan(300)
      await run.call('after')
      expect(run.effects()).toEqual(['before', 'after'])
      expect(tap.handshakes).toBe(2)
      expect(incidents).toMatchObject([{ kind: 'loss', outcome: 'recovered', resumed: false }])
      await run.end()
    })
  })

  class Run {
    readonly server: HttpServer
    readonly tap: Tap
    readonly connection: Connection
    readonly incidents

    private constructor(server: HttpServer) {
      this.server = server
      this.tap = new Tap(server.url)
      this.connection = patient({ url: server.url })
      this.incidents = incidentsOf(this.connection)
    }

    static async begin(program: Program): Promise<Run> {
      expect(openSockets()).toBe(0)
      const run = new Run(await HttpServer.start(program))
      try {
        await run.connection.connect()
        expect(toolsOf(run.connection)).toContain(isEverything ? 'get-env' : run.server.generation)
      } catch (error) {
        await run[Symbol.asyncDispose]()
        throw error
      }
      return run
    }

    async call(text: string): Promise<void> {
      const params = { name: 'echo', arguments: isEverything ? { message: text } : { text } }
      expect(JSON.stringify(await this.connection.callTool(params))).toContain(`cho: ${text}`)
    }

    hang(): Promise<unknown> {
      if (!isEverything) return this.call('hang')
      return this.connection.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 60, steps: 1 } })
    }

    /** What ran, in order: by the server's own log, or, where it keeps none, by what it answered. */
    effects(): string[] {
      if (!isEverything) return this.server.effects.read()
      return this.tap
        .of('tools/call')
        .filter(({ status }) => status === 200)
        .map(({ params }) => (params as { arguments: { message?: string } }).arguments.message ?? 'hang')
    }

    async listsAreNew(): Promise<void> {
      if (isEverything) return
      await until(() => toolsOf(this.connection).includes(this.server.generation), 'the lists of the new process')
      expect(toolsOf(this.connection)).not.toContain('generation_0')
    }

    /** Closes, and looks for what is left: a session on the server, a socket here. */
    async end(): Promise<void> {
      const { server, tap, connection } = this
      await connection.close()
      await until(() => openSockets() === 0, 'all sockets to be closed')
      const { session } = tap
      expect(session === undefined).toBe(of.unknown === 'none')
      expect(tap.of('DELETE').map((exchange) => exchange.session)).toEqual(session === undefined ? [] : [session])
      if (typeof of.unknown === 'string' || session === undefined) return
      expect((await server.ask('POST', session, 'tools/list')).status).toBeGreaterThanOrEqual(400)
    }

    async [Symbol.asyncDispose](): Promise<void> {
      await this.connection.close()
      this.tap[Symbol.dispose]()
      await this.server[Symbol.asyncDispose]()
    }
  }
}
