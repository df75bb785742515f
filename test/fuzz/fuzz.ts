/** What the fuzz tests share: how long they run, and how bytes come in pieces. */
import fc from 'fast-check'

/** Runs of each property: few in `npm test`, many in `npm run fuzz` (FUZZ_RUNS). */
export const runs = { numRuns: Number(process.env.FUZZ_RUNS ?? 200) }

/** One input may take so long, in milliseconds, on a busy machine too; what hangs takes for ever. */
export const PATIENCE_MS = 2_000

const places = fc.array(fc.nat(), { maxLength: 30 })

/** Bytes, and where they are cut. */
export const chunked = (bytes: fc.Arbitrary<Uint8Array>) =>
  fc.tuple(bytes, places).map(([whole, cuts]) => cut(Buffer.from(whole), cuts))

/** The same text, cut in two ways. */
export const chunkedTwice = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, places, places)
    .map(([whole, a, b]) => [cut(Buffer.from(whole), a), cut(Buffer.from(whole), b)] as const)

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, n) => bytes.subarray(n === 0 ? 0 : ends[n - 1], end))
}

/** Whatever a server might send in the place of a message, from well-formed to hostile. */
export const json = fc.oneof(
  fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      id: fc.oneof(fc.nat(5), fc.string(), fc.constant(null), fc.double(), fc.constant({})),
      method: fc.oneof(fc.constantFrom('ping', 'notifications/progress'), fc.string(), fc.nat()),
      params: fc.anything(),
      result: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
      error: fc.oneof(fc.record({ code: fc.integer(), message: fc.string() }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
)

export const written = json.map((value) => {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '{'
  }
})
