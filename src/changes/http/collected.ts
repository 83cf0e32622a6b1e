// The pieces of a response that wait for its end.

import type { Conversion } from '../convert/steps'
import { tooLarge } from './json-bodies'

/** The pieces written so far of a response that is converted as a whole. */
export class Collected {
  hasTrailers = false
  /** The reason why the response cannot be converted. Nothing is held then. */
  error: unknown
  #pieces: Buffer[] = []
  #size = 0

  /**
   * @param type the `Content-Type`, with which it began.
   * @param limit the highest number of bytes.
   */
  constructor(
    readonly status: number,
    private readonly type: string,
    private readonly conversion: Conversion,
    private readonly limit: number,
  ) {}

  /** Compares the `Content-Type` with that at the beginning: the pieces before would pass as another one. */
  check(type: string): void {
    if (type === this.type) return
    this.#reject(this.conversion.unusable('another "Content-Type" after the response had begun'))
  }

  add(piece: Buffer): void {
    this.#size += piece.length
    if (this.#size > this.limit) this.#reject(tooLarge(this.conversion, this.limit))
    else if (this.error === undefined) this.#pieces.push(piece)
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces)
  }

  #reject(error: Error): void {
    this.error ??= error
    this.#pieces = []
  }
}
