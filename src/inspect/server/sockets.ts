import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../../clock.js'
import type { Charts } from '../chart/index.js'
import type { Chart } from '../messages.js'
import { type Registry, RemoteProgram } from '../model/index.js'
import type { Gate, Refusal } from './gate.js'
import { PageClient } from './page-client.js'

const MOST_PAGES = 16
const MOST_PROGRAMS = 16
/** Bytes of one message: pages say little, a program sends its whole chart. */
const MOST_SAID = 4_096
const MOST_FED = 1_048_576

const phrases: Readonly<Record<Refusal | 404 | 503, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  421: 'Misdirected Request',
  503: 'Service Unavailable',
}

/** The two WebSocket endpoints: `/live` for pages, `/feed` for what other programs send of their actors. */
export class Sockets {
  readonly #gate: Gate
  readonly #registry: Registry
  readonly #charts: Charts
  readonly #clock: Clock
  readonly #pages = new Set<PageClient>()
  readonly #programs = new Set<WebSocket>()
  readonly #live = new WebSocketServer({ noServer: true, maxPayload: MOST_SAID, clientTracking: false })
  readonly #feed = new WebSocketServer({ noServer: true, maxPayload: MOST_FED, clientTracking: false })
  #fed = 0

  constructor(server: Server, gate: Gate, registry: Registry, charts: Charts, clock: Clock) {
    this.#gate = gate
    this.#registry = registry
    this.#charts = charts
    this.#clock = clock
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  showChart(chart: Chart): void {
    for (const page of this.#pages) page.showChart(chart)
  }

  end(): void {
    for (const page of [...this.#pages]) page.end()
    for (const program of this.#programs) program.terminate()
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const [path] = (request.url ?? '').split('?')
    if (path === '/live') {
      const refusal = this.#gate.refusePage(request) ?? (this.#pages.size >= MOST_PAGES ? 503 : undefined)
      if (refusal) refuse(socket, refusal)
      else this.#live.handleUpgrade(request, socket, head, (page) => this.#welcomePage(page))
    } else if (path === '/feed') {
      const refusal = this.#gate.refuseFeed(request) ?? (this.#programs.size >= MOST_PROGRAMS ? 503 : undefined)
      if (refusal) refuse(socket, refusal)
      else this.#feed.handleUpgrade(request, socket, head, (program) => this.#welcomeProgram(program))
    } else refuse(socket, 404)
  }

  #welcomePage(socket: WebSocket): void {
    const page = new PageClient(socket, this.#registry, this.#charts, this.#clock)
    this.#pages.add(page)
    socket.on('close', () => this.#pages.delete(page))
  }

  #welcomeProgram(socket: WebSocket): void {
    this.#programs.add(socket)
    const program = new RemoteProgram(`program-${++this.#fed}`, this.#registry, this.#charts, () => this.#clock.now())
    socket.on('message', (data) => {
      try {
        program.take(JSON.parse(String(data)))
      } catch {
        // No JSON, or so deep that it cannot be walked through: not a frame of an inspector.
        socket.terminate()
      }
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      this.#programs.delete(socket)
      program.end()
    })
  }
}

function refuse(socket: Duplex, status: Refusal | 404 | 503): void {
  // Who never closes its own end would otherwise hold the server open.
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${phrases[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}
