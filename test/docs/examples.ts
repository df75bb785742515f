/** What each example says, in this order; it may say more. */
export const said: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'authorization.ts': [/^log in at http:.*\/authorize$/, 'You are known here.', 'with a key: ready'],
  'call-errors.ts': [/^unknown: .+/, 'error -32601', 'ordered 1 time, the shop is ready again'],
  'embed-actor.ts': ['ready on link 1', 'Echo: hello', 'closed'],
  'embed-handle.ts': [
    'everything is idle',
    'everything is connecting',
    'everything is initializing',
    'everything is discovering',
    'everything is ready',
    'The sum of 2 and 3 is 5.',
    'everything is closing',
    'everything is closed',
  ],
  'embed-parent.ts': ['working', 'The sum of 20 and 22 is 42.'],
  'embedding/chat.ts': [
    'stock (of 2 tools): 3',
    /^order \(of 2 tools\): It is not known/,
    'stock (of 2 tools): 3',
    /^There were 3;/,
  ],
  'embedding/two-servers.ts': [
    'notes is ready',
    'clock is ready',
    'buy milk',
    'notes is lost: wire.closed',
    'notes is ready',
  ],
  'extending/run.ts': ['answer 1', /^provider\.quota: /, 'answer 3', 'in maintenance: true, backoff', 'answer 4'],
  'hub-config.ts': [
    /^remote: headers\.Authorization needs \$\{NO_SUCH_TOKEN\}$/,
    'line 1: the file is not taken up',
    'removed remote, left alone everything',
  ],
  'hub.ts': [
    'everything is idle',
    /^typo is failed: spawn\.ENOENT$/,
    'everything is ready',
    'tools: everything__echo, …',
    'The sum of 2 and 3 is 5.',
    'Echo: awake',
    'everything is closed',
  ],
  'inspect-other.ts': ['ws://127.0.0.1:PORT/feed?token=…'],
  'inspect-page.ts': [/^Open http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}$/, 'everything is ready'],
  'inspect-stately.ts': ['@xstate.actor ', '@xstate.event connect', '@xstate.event link.opened'],
  'own-rule.ts': ['server 2 did it'],
  'server-requests.ts': [/Current MCP Roots \(1 total\)/, '1. demo'],
  'simulated-time.ts': ['after 499 ms: backoff', 'after 500 ms: ready'],
  'target-custom.ts': ['It is Monday.'],
  'target-http.ts': [/^tools, protocol \d{4}-\d{2}-\d{2}$/],
  'telemetry.ts': [
    '{"level":30,"event":"connection.ready","connection":"clock","generation":1,"resumed":false,"msg":"ready"}',
  ],
  'watch.ts': [
    'now ready',
    'tools: day',
    'now backoff',
    'now connecting',
    'now ready',
    'loss by wire.closed, recovered after 0 failed attempts',
    'now closed',
  ],
  'why.ts': [
    /^Given up .* ago\. The variable WEATHER_API_KEY is missing\.$/,
    'Has the server the variables and keys that it asks for? the variable WEATHER_API_KEY is missing',
    /^Give it to the server: `env: \{ WEATHER_API_KEY: … \}`/,
    /✗ Does the server's process live\?/,
  ],
  'wrong-config.ts': [/^spawn\.ENOENT: .*Check that it is installed/, 'typo is ready'],
}

/** Parts of the extended chart, which `extending/run.ts` runs; it is explored by test/extension. */
export const extensions = ['extending/explore.ts', 'extending/limits.ts', 'extending/machine.ts', 'extending/upkeep.ts']

/** Parts of other examples. The server and the page are run in a browser (test/browser). */
export const parts = [
  ...extensions,
  'embedding/cors-server.ts',
  'embedding/memory-server.ts',
  'embedding/scripted-model.ts',
  'embedding/page/vite.config.ts',
]
