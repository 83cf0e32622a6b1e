// The items of one stream, mapped as they flow.
import { type End, type Framing, Held, type Scan } from './framing'

/** The settings of a mapper. */
interface Settings {
  readonly framing: Framing
  /** Returns the bytes in the place of an item's; none for an item that is left out. */
  map(piece: Buffer): Buffer
  /** The limits of the stream. Without them, an item without its end stays as it is. */
  readonly limits?: {
    /** The highest number of bytes of one item. */
    readonly size: number
    /** Makes the error for a stream beyond a limit. */
    reject(what: string): Error
  }
}

/** The mapper of one stream. Each item leaves when its end arrives; the bytes between items stay. */
export class ItemMapper {
  readonly #scan: Scan
  /** The bytes that wait for the end of their piece. */
  readonly #rest = new Held()
  /** `true` if the last piece was left out. */
  #hasDropped = false

  constructor(private readonly settings: Settings) {
    this.#scan = settings.framing.scan()
  }

  /**
   * Takes the next bytes.
   *
   * @returns the bytes that may leave now.
   * @throws {Error} for an item that is too large, and the errors of `map`.
   */
  add(bytes: Buffer): Buffer {
    const mapped: Buffer[] = []
    for (const { bytes: piece, kind } of this.#piecesIn(bytes)) {
      this.#check(piece.length)
      if (kind === 'tail') {
        if (!this.#hasDropped) mapped.push(piece)
        continue
      }
      const made = kind === 'item' ? this.settings.map(piece) : piece
      this.#hasDropped = made.length === 0
      mapped.push(made)
    }
    this.#check(this.#rest.size)
    return mapped.length === 1 ? (mapped[0] as Buffer) : Buffer.concat(mapped)
  }

  /**
   * Ends the stream.
   *
   * @returns the last bytes.
   * @throws {Error} for an item without an end that it needs, and the errors of `map`.
   */
  end(): Buffer {
    const { framing, map, limits } = this.settings
    const rest = this.#rest.take()
    if (framing.endsOpen) return map(rest)
    if (limits !== undefined && framing.hasItem(rest)) throw limits.reject('an item without its end')
    return rest
  }

  #piecesIn(bytes: Buffer): { bytes: Buffer; kind: End['kind'] }[] {
    const pieces: { bytes: Buffer; kind: End['kind'] }[] = []
    let start = 0
    for (let end = this.#scan(bytes, 0); end !== undefined; end = this.#scan(bytes, start)) {
      pieces.push({ bytes: this.#rest.take(bytes.subarray(start, end.at)), kind: end.kind })
      start = end.at
    }
    this.#rest.add(bytes.subarray(start))
    return pieces
  }

  #check(size: number): void {
    const { limits } = this.settings
    if (limits === undefined || size <= limits.size) return
    throw limits.reject(`an item of more than ${limits.size} bytes (option "maxCollected" of versioning())`)
  }
}
