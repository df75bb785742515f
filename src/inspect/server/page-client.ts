import type { WebSocket } from 'ws'
import type { Clock } from '../../clock.js'
import type { Charts } from '../chart/index.js'
import type { Chart, Command, FromPage, Summary, ToPage } from '../messages.js'
import type { Registry, RegistryChange } from '../model/index.js'

/** Changes are gathered for so long: ten pictures a second, however much happens. */
const GATHER_MS = 100
/** A page that reads slower than this is sent nothing new until it has caught up. */
const MOST_UNREAD = 1_048_576

/**
 * One open page. What changes is only marked; it is looked at when it is sent, so that a hundred events between two
 * sendings cost one picture.
 */
export class PageClient {
  readonly #socket: WebSocket
  readonly #registry: Registry
  readonly #clock: Clock
  readonly #changed = new Set<string>()
  readonly #gone = new Set<string>()
  readonly #introduced = new Set<string>()
  readonly #unlisten: () => void
  #selected: string | undefined
  #detailDue = false
  #timer: unknown

  constructor(socket: WebSocket, registry: Registry, charts: Charts, clock: Clock) {
    this.#socket = socket
    this.#registry = registry
    this.#clock = clock
    const actors = registry.all.map((shown) => shown.summary())
    for (const { id } of actors) this.#introduced.add(id)
    this.#send({ type: 'hello', actors, charts: charts.ready })
    this.#unlisten = registry.listen((change) => this.#mark(change))
    socket.on('message', (data) => this.#hear(String(data)))
    socket.on('close', () => this.end())
    socket.on('error', () => this.end())
  }

  showChart(chart: Chart): void {
    this.#send({ type: 'chart', chart })
  }

  end(): void {
    this.#unlisten()
    this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
    this.#socket.terminate()
  }

  #mark({ changed, gone }: RegistryChange): void {
    if (changed !== undefined) {
      this.#changed.add(changed)
      if (changed === this.#selected) this.#detailDue = true
    }
    if (gone !== undefined) {
      this.#gone.add(gone)
      this.#changed.delete(gone)
      this.#introduced.delete(gone)
    }
    this.#wake()
  }

  #wake(): void {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = undefined
      this.#flush()
    }, GATHER_MS)
  }

  #flush(): void {
    if (this.#socket.bufferedAmount > MOST_UNREAD) {
      this.#wake()
      return
    }
    const actors = [...this.#changed].flatMap((id) => {
      const shown = this.#registry.get(id)
      return shown ? [this.#news(shown.summary())] : []
    })
    const gone = [...this.#gone]
    this.#changed.clear()
    this.#gone.clear()
    if (actors.length > 0 || gone.length > 0) this.#send({ type: 'actors', actors, gone })
    if (this.#detailDue) this.#sendDetail()
  }

  /** The page keeps the history itself once it knows one. */
  #news(summary: Summary): Summary {
    if (this.#introduced.has(summary.id)) return { ...summary, history: undefined }
    this.#introduced.add(summary.id)
    return summary
  }

  #sendDetail(): void {
    this.#detailDue = false
    const shown = this.#selected === undefined ? undefined : this.#registry.get(this.#selected)
    if (shown) this.#send({ type: 'detail', detail: shown.detail() })
  }

  #hear(text: string): void {
    const message = messageOf(text)
    if (message?.type === 'select') {
      this.#selected = message.id
      this.#sendDetail()
    } else if (message?.type === 'command') {
      this.#command(message.id, message.command).catch(() => undefined)
    }
  }

  async #command(id: string, command: Command): Promise<void> {
    const shown = this.#registry.get(id)
    const reason = await (shown?.command(command) ?? Promise.resolve('It is not there any more.')).catch(
      () => 'It could not be done.',
    )
    if (reason !== undefined) this.#send({ type: 'refused', reason })
  }

  #send(message: ToPage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message))
  }
}

const commands: ReadonlySet<unknown> = new Set<Command>(['connect', 'retry', 'disconnect', 'break'])

/** What a page said, when it is something a page says. */
function messageOf(text: string): FromPage | undefined {
  try {
    const { type, id, command } = Object(JSON.parse(text))
    if (typeof id !== 'string') return undefined
    if (type === 'select') return { type, id }
    return type === 'command' && commands.has(command) ? { type, id, command } : undefined
  } catch {
    return undefined
  }
}
