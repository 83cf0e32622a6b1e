// The framing of streams: the model that each framing implements.

/** The kind of items: events, whose JSON is their `data`, or lines, which are JSON as a whole. */
export type ItemKind = 'events' | 'lines'

export const ITEM_KINDS: readonly ItemKind[] = ['events', 'lines']

/** The framing of a stream of items: where an item ends, and where its JSON is. */
export interface Framing {
  /** The kind of its items. */
  readonly items: ItemKind
  /** `true` if the last item needs no end. */
  readonly endsOpen: boolean
  /** Makes the search for the ends of pieces in one stream. */
  scan(): Scan
  /**
   * Reads a piece.
   *
   * @returns undefined for a piece without an item.
   * @throws {TypeError} for bytes that are not UTF-8.
   */
  read(piece: Buffer): Frame | undefined
  /** Tells whether bytes have an item, or a part of one. */
  hasItem(bytes: Buffer): boolean
}

/**
 * Finds the end of the piece that goes on at an index of the next bytes of a stream; undefined if it does not end in them. It passes
 * each byte once.
 */
export type Scan = (bytes: Buffer, from: number) => End | undefined

/** The end of a piece of a stream. */
export interface End {
  /** The index behind it. */
  readonly at: number
  /** Tells what ends: an item, bytes between items, or the second half of a line end whose first half ended the piece before. */
  readonly kind: 'item' | 'between' | 'tail'
}

/** An item in its bytes. */
export interface Frame {
  /** The item: its JSON as a value, or an event with such `data`; the text instead if it is not JSON. */
  readonly item: unknown
  /** Its JSON; undefined if it is not JSON. */
  readonly json: string | undefined
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

export const NO_BYTES = Buffer.alloc(0)

/** Bytes that wait for more. They take at most twice their memory, however small the pieces. */
export class Held {
  size = 0
  /** The memory. A new block has room for half as many bytes as there are, so none is copied until all leave. */
  #blocks: Buffer[] = []
  /** The free bytes at the end of the last block. */
  #free = 0

  add(bytes: Buffer): void {
    const last = this.#blocks.at(-1)
    const taken = last === undefined ? 0 : bytes.copy(last, last.length - this.#free)
    const rest = bytes.length - taken
    this.#free -= taken
    if (rest > 0) {
      const block = Buffer.allocUnsafeSlow(Math.max(rest, this.size >> 1))
      bytes.copy(block, 0, taken)
      this.#blocks.push(block)
      this.#free = block.length - rest
    }
    this.size += bytes.length
  }

  /** Returns all bytes, with the last ones, and holds none. */
  take(last: Buffer = NO_BYTES): Buffer {
    if (this.size === 0) return last
    this.add(last)
    // What is behind is free.
    const all = Buffer.concat(this.#blocks, this.size)
    this.#blocks = []
    this.#free = 0
    this.size = 0
    return all
  }
}
