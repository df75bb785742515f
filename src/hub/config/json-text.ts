import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { ConfigError } from '../../errors.js'

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

  #malformed(error: ParseError | undefined): ConfigError {
    const at = { file: this.#file, ...this.positionOf(error ?? { offset: 0 }) }
    const what = error ? wordsOf(printParseErrorCode(error.error)) : 'a value is expected'
    return new ConfigError(`${at.file}:${at.line}:${at.column}: this is not JSON: ${what}.`, { at })
  }
}

/** `CommaExpected` as `comma expected`. */
const wordsOf = (code: string): string => code.replaceAll(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
