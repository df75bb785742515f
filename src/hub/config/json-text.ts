import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { ConfigError } from '../../errors.js'

/** Objects and lists within each other. No configuration needs more, and what walks through it must not run out of stack. */
const MOST_DEPTH = 100

/** Where something stands in a text; both count from 1, as editors do. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A part of a parsed text: a value, with where it stands. */
export type JsonNode = Node

/** A text in JSON, also with comments and trailing commas, that knows where everything stands. */
export class JsonText {
  readonly root: JsonNode
  readonly #file: string
  readonly #text: string

  /** @throws ConfigError with the position of the first thing that is wrong; nothing of the text is repeated in it */
  constructor(text: string, file: string) {
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text
    this.#file = file
    const errors: ParseError[] = []
    this.#refuseDepth()
    const root = parseTree(this.#text, errors, { allowTrailingComma: true })
    const [first] = errors
    if (root && !first) this.root = root
    else if (this.#text.trim() === '') throw new ConfigError(`${file} is empty.`, { at: { file } })
    else throw this.#malformed(first)
  }

  positionOf({ offset }: Pick<JsonNode, 'offset'>): Position {
    const before = this.#text.slice(0, offset)
    return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
  }

  /** By the tokens: the parser itself calls itself for each level. */
  #refuseDepth(): void {
    const scanner = createScanner(this.#text, true)
    let depth = 0
    while (scanner.getPosition() < this.#text.length) {
      scanner.scan()
      // A text that is a bracket has quotes around it.
      const bracket = scanner.getTokenLength() === 1 ? this.#text[scanner.getTokenOffset()] : ''
      if (bracket === '{' || bracket === '[') depth++
      else if (bracket === '}' || bracket === ']') depth--
      if (depth > MOST_DEPTH) throw this.#error(scanner.getTokenOffset(), `more than ${MOST_DEPTH} levels`)
    }
  }

  #malformed(error: ParseError | undefined): ConfigError {
    const what = error ? wordsOf(printParseErrorCode(error.error)) : 'a value is expected'
    return this.#error(error?.offset ?? 0, `this is not JSON: ${what}`)
  }

  #error(offset: number, what: string): ConfigError {
    const at = { file: this.#file, ...this.positionOf({ offset }) }
    return new ConfigError(`${at.file}:${at.line}:${at.column}: ${what}.`, { at })
  }
}

/** `CommaExpected` as `comma expected`. */
const wordsOf = (code: string): string => code.replaceAll(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
