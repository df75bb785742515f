import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InspectionEvent } from 'xstate'
import { type Clock, systemClock } from '../../clock.js'
import { ConfigError } from '../../errors.js'
import { Charts, ElkLayout } from '../chart/index.js'
import { type BreakWire, LocalConnections, Registry } from '../model/index.js'
import { serveFile } from './files.js'
import { Gate } from './gate.js'
import { Sockets } from './sockets.js'

export interface InspectorOptions {
  /** Port to listen on. Default 0: any that is free. */
  readonly port?: number
  /** Loopback address to listen on: `127.0.0.1` (the default), `::1` or `localhost`. There is no other: the page shows what connections do. */
  readonly host?: string
  /**
   * Origins of browser pages whose XState inspector may send here, such as `http://localhost:5173`. Default: none.
   * Programs outside of browsers need the token only.
   */
  readonly feedOrigins?: readonly string[]
  /** For demonstrations: breaks what a connection stands on. Where it is given, the page has a button for it. */
  readonly breakWire?: BreakWire
  /** Where time comes from. Default: the system's clock. */
  readonly clock?: Clock
}

/** A page on this machine that shows connections live. */
export interface Inspector extends AsyncDisposable {
  /** Where the page is, with the token that lets in. It is a secret: whoever has it can watch and stop connections. */
  readonly url: string
  /** For stock inspectors of other programs: `createWebSocketInspector({ url })`. Holds the token, too. */
  readonly feedUrl: string
  /** For `createConnection({ inspect })`, a hub, or `createActor`; one for any number of them. */
  readonly inspect: (event: InspectionEvent) => void
  /** Ends the page and everything that was started for it. Connections go on. */
  close(): Promise<void>
}

/** Pages, programs and the files they load; what is more is let go at once. */
const MOST_CONNECTIONS = 128

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

/**
 * Serves a page that shows connections live: the statechart with its active states, what happened, why, and when the
 * next attempt is due. Works offline; with `elkjs` installed the charts are laid out with lines.
 *
 * @throws TypeError for a host that is not loopback
 * @throws ConfigError when the port cannot be had
 */
export async function startInspector(options: InspectorOptions = {}): Promise<Inspector> {
  const { port = 0, host = '127.0.0.1', feedOrigins = [], breakWire, clock = systemClock } = options
  if (!loopback.has(host)) throw new TypeError(`host may be 127.0.0.1, ::1 or localhost, not '${host}'.`)
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 })
  server.maxConnections = MOST_CONNECTIONS
  const at = await listen(server, port, host)
  const gate = new Gate(at.port, feedOrigins)
  const elk = new ElkLayout()
  const registry = new Registry()
  const charts = new Charts(
    (graph) => elk.layout(graph),
    (chart) => sockets.showChart(chart),
  )
  const sockets = new Sockets(server, gate, registry, charts, clock)
  const local = new LocalConnections(registry, charts, breakWire)
  server.on('request', (request, response) => {
    serveFile(request, response, gate, at.port).catch(() => response.destroy())
  })
  const authority = `${host.includes(':') ? `[${host}]` : host}:${at.port}`
  let isOver = false
  let ended: Promise<void> | undefined
  const close = () => {
    isOver = true
    local.end()
    ended ??= end(server, sockets, elk)
    return ended
  }
  return {
    // Browsers do not send what stands behind the #, so that it is in no log and no history of a proxy.
    url: `http://${authority}/#token=${gate.token}`,
    feedUrl: `ws://${authority}/feed?token=${gate.token}`,
    inspect: (event) => {
      if (isOver) return
      try {
        local.take(event)
      } catch {
        // XState would rethrow it on a later tick and take the process down. Looking on must not break what is looked at.
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new ConfigError(`The inspector cannot listen on ${host}, port ${port} (${code}). Give another port, or 0.`)
  }
  return server.address() as AddressInfo
}

async function end(server: Server, sockets: Sockets, elk: ElkLayout): Promise<void> {
  sockets.end()
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await Promise.all([closed, elk.stop()])
}
