/** Stands in for decoding.ts where a bundler builds for browsers (`browser` in package.json). */

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export class Decoder {
  readonly #decoder = new TextDecoder()

  write(chunk: Uint8Array): string {
    return this.#decoder.decode(chunk, { stream: true })
  }

  end(): string {
    return this.#decoder.decode()
  }
}
