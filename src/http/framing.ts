// The framing of streams: the model that each framing implements.

/** The kind of items: events, whose JSON is their `data`, or lines, which are JSON as a whole. */
export type ItemKind = 'events' | 'lines'

export const ITEM_KINDS: readonly ItemKind[] = ['events', 'lines']

/** The framing of a stream of items: where an item ends, and where its JSON is. */
export interface Framing {
  /** The kind of its items. */
  readonly items: ItemKind
  /** Makes the splitter of one stream. */
  split(): Splitter
  /**
   * Reads a piece.
   *
   * @returns undefined for a piece without JSON.
   * @throws {TypeError} for bytes that are not UTF-8.
   */
  read(piece: Buffer): Frame | undefined
  /** Tells whether the bytes behind the last piece are a part of an item. */
  isCut(rest: Buffer): boolean
}

/** A splitter of bytes into pieces. It takes each byte once. */
export interface Splitter {
  /** Takes the next bytes, and returns the pieces that end in them. All pieces and the rest together are all bytes. */
  push(bytes: Buffer): Piece[]
  /** The bytes that wait for the end of their piece. */
  readonly rest: Held
}

/** Bytes of a stream: one item with its end, or bytes between items. */
export interface Piece {
  readonly bytes: Buffer
  /** `tail` for the second half of a line end whose first half ended the piece before. */
  readonly kind: 'item' | 'between' | 'tail'
}

/** An item in its bytes. */
export interface Frame {
  /** The item: its JSON as a value, or an event with such `data`. */
  readonly item: unknown
  /** Its JSON. */
  readonly json: string
  /** Returns the bytes with other JSON, and with another name of the event. Everything else stays. */
  with(json: string, event?: string): Buffer
  /** Returns the bytes without the item: what else is in them, if it means anything alone. */
  without(): Buffer
}

/** An item of an event stream. */
export interface StreamEvent {
  readonly data: unknown
  /** The name; absent for `message`, which is that of events without one. */
  readonly event?: string
  readonly id?: string
  readonly retry?: number
}

/** Bytes that wait for more. They are joined once. */
export class Held {
  #parts: Buffer[] = []
  size = 0

  add(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#parts.push(bytes)
    this.size += bytes.length
  }

  /** Returns all bytes, with the last ones, and holds none. */
  take(last: Buffer = NO_BYTES): Buffer {
    const parts = this.#parts
    if (parts.length === 0) return last
    this.#parts = []
    this.size = 0
    return Buffer.concat([...parts, last])
  }
}

export const NO_BYTES = Buffer.alloc(0)
