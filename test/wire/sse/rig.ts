import { SseWire, type SseWireOptions } from '../../../src/wire/sse/index.js'
import { connected, WireRig } from '../web-rig.js'

export { evidenceIn, ManualClock, quiet, until } from '../web-rig.js'

/** A started wire; initialized unless told otherwise. */
export async function rig(options: SseWireOptions, { initialize = true } = {}): Promise<WireRig<SseWire>> {
  const made = new WireRig(new SseWire(options))
  await made.wire.start()
  if (initialize) await made.initialize('2024-11-05')
  return made
}

/** The SDK's own client over a wire. */
export function sdkClient(options: SseWireOptions) {
  return connected(new SseWire(options))
}
