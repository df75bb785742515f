/** Lines as pieces with a meaning each; colour is given to them last, when it is known where they are shown. */
import { clip, widthOf } from './text.js'

export type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'busy' | 'bad'

export interface Piece {
  readonly text: string
  readonly tone: Tone
}

export type Line = readonly Piece[]

export const piece = (text: string, tone: Tone = 'plain'): Piece => ({ text, tone })

/** Select Graphic Rendition codes. Only the sixteen colours that every theme makes readable. */
const codes: Record<Tone, string> = { plain: '', strong: '1', faint: '2', good: '32', busy: '33', bad: '31' }

/** A line as it goes to the stream: cut to the width, with or without colour. */
export function paint(line: Line, { colour, width = Number.POSITIVE_INFINITY }: { colour: boolean; width?: number }) {
  let left = width
  let painted = ''
  for (const { text, tone } of line) {
    const shown = clip(text, left)
    left -= widthOf(shown)
    painted += colour && codes[tone] && shown ? `\u001b[${codes[tone]}m${shown}\u001b[0m` : shown
    if (shown !== text) break
  }
  return painted.trimEnd()
}

/** Where output goes, as far as its looks are concerned. */
export interface Looks {
  readonly isTTY?: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** The output can be drawn over in place. */
export const isScreen = (out: Looks, env: Environment): boolean => out.isTTY === true && env.TERM !== 'dumb'

/** Colours are for screens, and for those who did not say no (https://no-color.org). */
export const wantsColour = (out: Looks, env: Environment): boolean => isScreen(out, env) && !env.NO_COLOR
