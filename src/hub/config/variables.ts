/** `${NAME}`, `${env:NAME}`, `${NAME:-default}`, `${input:id}`, `${workspaceFolder}` … in the texts of a configuration. */

/** What stands between `${` and `}`. */
export interface Variable {
  /** `env`, `input`, or the name of another kind. */
  readonly kind: string
  readonly name: string
  /** What stands after `:-`; it may hold variables itself. */
  readonly fallback?: string
}

/** Gives the value, or nothing where there is none. */
export type Lookup = (variable: Variable) => string | undefined

/** A variable has no value, or is none that is known. */
export class UnsetVariable {
  readonly variable: Variable
  constructor(variable: Variable) {
    this.variable = variable
  }
}

/** Defaults within defaults are filled in so deep; what is nested deeper is no variable anybody wrote. */
const MOST_NESTED = 20

const named = /^(?:([a-z]\w*):(?!-))?([\w./ -]+?)(?::-([\s\S]*))?$/i

/**
 * The text with every variable filled in. What a variable holds is taken as it is: a `$` in it means nothing. `$${`
 * stands for the characters `${`; and what has not the form of a variable, such as code, stands for itself.
 *
 * @throws UnsetVariable for the first one without a value and without a default
 */
export function expand(text: string, lookup: Lookup): string {
  let expanded = ''
  for (const part of partsOf(text)) {
    if (typeof part === 'string') {
      expanded += part
      continue
    }
    const value = lookup(part)
    // As in a shell, the default also stands in for a value that is empty.
    if (value !== undefined && (value !== '' || part.fallback === undefined)) expanded += value
    else if (part.fallback !== undefined) expanded += expand(part.fallback, lookup)
    else throw new UnsetVariable(part)
  }
  return expanded
}

/** The variables in a text, also those in defaults. */
export function variablesIn(text: string): Variable[] {
  return partsOf(text).flatMap((part) =>
    typeof part === 'string' ? [] : [part, ...(part.fallback === undefined ? [] : variablesIn(part.fallback))],
  )
}

function partsOf(text: string): (string | Variable)[] {
  const parts: (string | Variable)[] = []
  let at = 0
  while (at < text.length) {
    const start = text.indexOf('${', at)
    const end = start === -1 ? -1 : closing(text, start + 2)
    if (end === -1) break
    const isEscaped = text[start - 1] === '$' && start > at
    const inner = text.slice(start + 2, end)
    const variable = isEscaped || isTooDeep(inner) ? undefined : variableOf(inner)
    parts.push(text.slice(at, isEscaped ? start - 1 : start), variable ?? text.slice(start, end + 1))
    at = end + 1
  }
  return [...parts, text.slice(at)]
}

/** The bracket that closes the one before `from`; brackets within are balanced. */
function closing(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth++
    else if (text[at] === '}' && --depth === 0) return at
  }
  return -1
}

function isTooDeep(text: string): boolean {
  let depth = 0
  for (const character of text) {
    if (character === '{' && ++depth > MOST_NESTED) return true
    if (character === '}') depth -= 1
  }
  return false
}

function variableOf(inner: string): Variable | undefined {
  const [, kind = 'env', name, fallback] = named.exec(inner) ?? []
  return name === undefined ? undefined : { kind, name, ...(fallback !== undefined && { fallback }) }
}

/** As it stands in the text, without its default: that may be a secret. */
export const nameOf = ({ kind, name }: Variable): string => (kind === 'env' ? `\${${name}}` : `\${${kind}:${name}}`)
