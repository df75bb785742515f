/** A host process for the tests: starts a wire and ends, or lives on, as its first argument says. */
import { childServer } from '../../../src/testing/child/index.js'
import { StdioWire } from '../../../src/wire/stdio/index.js'

const [mode, log, watchdog] = process.argv.slice(2)
const stubborn = mode === 'live-and-close' || mode === 'empties' ? {} : { onEof: [], onSigterm: [] }
const wire = new StdioWire({ ...childServer({ log, ...stubborn }), watchdog: watchdog === 'watchdog' })
const answered = new Promise<void>((resolve) => {
  wire.onmessage = () => resolve()
})
// Before it says that it is ready, as the signal may come right then.
if (mode === 'live-and-close') {
  process.on('SIGINT', () => process.stdout.write('interrupted\n'))
  process.on('SIGTERM', () => void wire.close())
}
await wire.start()
await wire.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
await answered
process.stdout.write('ready\n')
if (mode === 'exit') process.exit(0)
if (mode === 'throw') throw new Error('host failed')
if (mode === 'empties') await wire.close()
