// Lays out charts in a thread of its own: the algorithm thinks for a second, and an application must not stand still.
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

const Elk = createRequire(import.meta.url)(workerData)
const elk = new Elk()

parentPort?.on('message', ({ key, graph }) => {
  elk.layout(graph).then(
    (/** @type {unknown} */ laid) => parentPort?.postMessage({ key, laid }),
    () => parentPort?.postMessage({ key }),
  )
})
