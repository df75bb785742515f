/**
 * What happened in a simulation, in order, boiled down to one number. The lines themselves are kept only when asked for:
 * they are many, and only those of a failing seed are read.
 */
export class Trace {
  readonly lines: string[] | undefined
  readonly #elapsed: () => number
  #a = 0xdeadbeef
  #b = 0x41c6ce57
  #count = 0

  constructor(elapsed: () => number, keep: boolean) {
    this.#elapsed = elapsed
    this.lines = keep ? [] : undefined
  }

  note(text: string): void {
    const line = `${this.#elapsed()} ${text}`
    this.lines?.push(line)
    this.#count += 1
    for (let i = 0; i < line.length; i++) {
      const char = line.charCodeAt(i)
      this.#a = Math.imul(this.#a ^ char, 2654435761)
      this.#b = Math.imul(this.#b ^ char, 1597334677)
    }
  }

  /** Two runs that differ in anything that was noted differ in this. */
  get hash(): string {
    const part = (n: number) => (n >>> 0).toString(16).padStart(8, '0')
    return `${part(this.#a)}${part(this.#b)}-${this.#count}`
  }
}
