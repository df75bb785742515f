/** A Markdown table. Bars inside cells are escaped, also in code, as GitHub wants it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``)

export const codes = (texts: readonly string[]): string => texts.map(code).join(', ')

export const fence = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``

/** Parts with an empty line between them, ended by a line break. */
export const page = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`

/** 500 ms, 1.5 s, 2 min. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  return ms < 120_000 ? `${ms / 1_000} s` : `${ms / 60_000} min`
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
