import { HttpWire, type HttpWireOptions } from '../../../src/wire/http/index.js'
import { connected, WireRig } from '../web-rig.js'

export { evidenceIn, ManualClock, quiet, until } from '../web-rig.js'

export class Rig extends WireRig<HttpWire> {
  constructor(options: HttpWireOptions) {
    super(new HttpWire(options))
  }
}

/** A started wire; `initialized` unless told otherwise. */
export async function rig(options: HttpWireOptions, { initialize = true } = {}): Promise<Rig> {
  const made = new Rig(options)
  await made.wire.start()
  if (initialize) await made.initialize()
  return made
}

/** The SDK's own client over a wire. */
export function sdkClient(options: HttpWireOptions) {
  return connected(new HttpWire(options))
}
