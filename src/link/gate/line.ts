import type { Visitor } from './door.js'

/** Who is inside and who waits, in order. */
export class Line {
  readonly inside = new Set<Visitor>()
  readonly waiting = new Set<Visitor>()

  get isEmpty(): boolean {
    return this.inside.size + this.waiting.size === 0
  }

  /** Lets the visitor in if there is room for it and for all before it; otherwise it keeps, or takes, its place. */
  enter(visitor: Visitor, room: number): boolean {
    let before = 0
    for (const other of this.waiting) {
      if (other === visitor || before >= room) break
      before += 1
    }
    if (before >= room) {
      this.waiting.add(visitor)
      return false
    }
    this.waiting.delete(visitor)
    this.inside.add(visitor)
    return true
  }

  leave(visitor: Visitor): boolean {
    this.waiting.delete(visitor)
    return this.inside.delete(visitor)
  }

  /** Calls as many as there is room for; each asks again. Who goes away then leaves the room to the next. */
  call(room: number): void {
    let left = room
    for (const visitor of [...this.waiting]) {
      if (left <= 0) return
      visitor.called()
      if (this.inside.has(visitor) || this.waiting.has(visitor)) left -= 1
    }
  }
}
