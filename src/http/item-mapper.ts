// The items of one stream, mapped as they flow.
import { type Framing, Held, NO_BYTES, type Splitter } from './framing'

/** The settings of a mapper. */
interface Settings {
  readonly framing: Framing
  /** The highest number of bytes of one item. Default: any. */
  readonly limit?: number
  /** Returns the bytes in the place of an item's; none for an item that is left out. */
  map(piece: Buffer): Buffer
  /** Makes the error for a stream that cannot be mapped. */
  reject?(what: string): Error
}

const BOM = [0xef, 0xbb, 0xbf] as const

/** The mapper of one stream. Each item leaves when its end arrives; the bytes between items stay. */
export class ItemMapper {
  readonly #settings: Required<Settings>
  readonly #splitter: Splitter
  /** The first bytes, while they may be a byte order mark, which is no part of the first item. */
  #first: Held | undefined = new Held()
  /** `true` if the last piece was left out. */
  #hasDropped = false

  constructor(settings: Settings) {
    this.#settings = { limit: Number.POSITIVE_INFINITY, reject: (what) => new Error(what), ...settings }
    this.#splitter = settings.framing.split()
  }

  /**
   * Takes the next bytes.
   *
   * @returns the bytes that may leave now.
   * @throws {Error} for an item that is too large, and the errors of `map`.
   */
  add(bytes: Buffer): Buffer {
    const mapped: Buffer[] = []
    for (const { bytes: piece, kind } of this.#splitter.push(this.#behindMark(bytes, mapped))) {
      this.#check(piece.length)
      if (kind === 'tail') {
        if (!this.#hasDropped) mapped.push(piece)
        continue
      }
      const made = kind === 'item' ? this.#settings.map(piece) : piece
      this.#hasDropped = made.length === 0
      mapped.push(made)
    }
    this.#check(this.#splitter.rest.size)
    return mapped.length === 1 ? (mapped[0] as Buffer) : Buffer.concat(mapped)
  }

  /**
   * Ends the stream.
   *
   * @returns the last bytes.
   * @throws {Error} for an item without its end.
   */
  end(): Buffer {
    const { framing, reject } = this.#settings
    const rest = this.rest()
    if (framing.isCut(rest)) throw reject('an item without its end')
    return rest
  }

  /** Ends the stream, and returns the last bytes, whatever they are. */
  rest(): Buffer {
    return Buffer.concat([this.#first?.take() ?? NO_BYTES, this.#splitter.rest.take()])
  }

  #check(size: number): void {
    const { limit, reject } = this.#settings
    if (size > limit) throw reject(`an item of more than ${limit} bytes (option "maxCollected" of versioning())`)
  }

  /** Passes on a byte order mark, and returns the bytes behind it. */
  #behindMark(bytes: Buffer, passed: Buffer[]): Buffer {
    if (this.#first === undefined) return bytes
    const first = this.#first.take(bytes)
    const isMark = BOM.every((byte, at) => at >= first.length || first[at] === byte)
    if (isMark && first.length < BOM.length) {
      this.#first.add(first)
      return NO_BYTES
    }
    this.#first = undefined
    if (!isMark) return first
    passed.push(first.subarray(0, BOM.length))
    return first.subarray(BOM.length)
  }
}
