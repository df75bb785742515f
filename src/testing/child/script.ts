/**
 * What a scripted child does, as data: it travels to the child as JSON.
 *
 * A step is one thing to do; a list of steps is done in order, each awaited.
 */
export type Step =
  /** End at once with this code. Output written before is flushed. */
  | { exit: number }
  /** End by this signal, as if killed from outside. */
  | { die: 'SIGKILL' | 'SIGTERM' | 'SIGSEGV' | 'SIGABRT' | 'SIGINT' }
  /** Do nothing for so many milliseconds. */
  | { wait: number }
  /** Never go on to the next step. */
  | { hang: true }
  /** Write text as it is, so many times (1 by default). */
  | { print: string; times?: number; to?: 'stdout' | 'stderr' }
  /** Write bytes given in hex, as one write. */
  | { bytes: string; to?: 'stdout' | 'stderr' }
  /** Write so many bytes of log lines, as fast as the pipe takes them. */
  | { flood: number; to?: 'stdout' | 'stderr' }
  /** Send notifications, so many times (1 by default). */
  | { notify: string; params?: Record<string, unknown>; times?: number }
  /** Answer the request at hand (within `on`) with this result, this error, or these very characters. */
  | { result: Record<string, unknown> }
  | { error: { code: number; message: string; data?: unknown } }
  /** Answer the request at hand as the child would have without a script. */
  | { answer: true }
  /** Close a pipe and live on. */
  | { close: 'stdin' | 'stdout' | 'stderr' }
  /** Leave stdin unread from now on. */
  | { stopReading: true }
  /**
   * Start a descendant that holds our stdout and stderr (and stdin, if asked) for a minute, or until it is killed.
   * `session`: it leaves our process group. Its pid is in the log as `{ event: 'grandchild', pid }`.
   */
  | { grandchild: true; ignoreSigterm?: boolean; session?: boolean; holdStdin?: boolean }
  /** Take a lock file, or print "locked" to stderr and exit with code 1 while another living child holds it. */
  | { lock: string }

export interface ChildScript {
  /** File to which the child appends a line of JSON for each start, message received, EOF, signal and exit. */
  log?: string
  /** Steps before the first byte is read. */
  onStart?: Step[]
  /** Steps beside the serving: they begin with it and hold nothing up. */
  meanwhile?: Step[]
  /**
   * Steps for a method, or for one tool as `tools/call:name`. For a request they replace the answer, unless one of them
   * is `{ answer: true }`.
   */
  on?: Record<string, Step[]>
  /** Steps when stdin ends. Default: `[{ exit: 0 }]`; `[]` ignores it. */
  onEof?: Step[]
  /** Steps at SIGTERM. Default: death by it; `[]` ignores it. */
  onSigterm?: Step[]
  /** Overrides by number of start, counted in `log`: the first start takes the first, and so on; later ones none. */
  starts?: Omit<ChildScript, 'log' | 'starts'>[]
  /** How messages are written. */
  output?: {
    /** Cut everything into writes of so many bytes, however this splits characters. */
    chunkBytes?: number
    /** Put a byte order mark before each message. */
    bom?: boolean
    /** Default `\n`. */
    lineEnd?: string
  }
  /** Protocol version to answer with. Default: the one asked for. */
  protocolVersion?: string
  serverInfo?: { name: string; version: string }
  capabilities?: Record<string, unknown>
  instructions?: string
  /** Names of the tools to offer, out of the built-in ones. Default: all. */
  tools?: string[]
  resources?: { uri: string; name: string; text: string }[]
  prompts?: { name: string; text: string }[]
}

/** A line of a child's log. */
export interface ChildLogLine {
  readonly event: 'start' | 'message' | 'eof' | 'signal' | 'exit' | 'grandchild'
  /** The child's process id; for `grandchild`, that of the grandchild. */
  readonly pid: number
  /** Date.now() of the child. */
  readonly at: number
  readonly message?: { id?: string | number; method?: string; params?: Record<string, unknown> }
}
