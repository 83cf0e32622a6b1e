// The text of a body, beside the value that a parser makes of it.
import type { IncomingMessage } from 'node:http'
import { decode } from './encoding'
import { parsedJson } from './json'
import { hasNumber, losesNumber } from './numbers'

/** The bytes of a body while a parser reads them. The stream flows only for the parser. */
export class SentText {
  readonly #pieces: Buffer[] = []
  readonly #keep = (piece: Buffer | string): void => {
    this.#pieces.push(Buffer.from(piece as string))
  }

  constructor(private readonly req: IncomingMessage) {
    // Unlike `on()`, this does not start the stream.
    req.prependListener('data', this.#keep)
  }

  stop(): void {
    this.req.removeListener('data', this.#keep)
  }

  /**
   * Tells whether the numbers in the parser's value are those of the text. They are not if nobody can read the text as JSON.
   *
   * @param limit the highest number of decoded bytes.
   */
  holds(value: unknown, limit: number): boolean {
    if (!hasNumber(value)) return true
    const { 'content-encoding': encodings, 'content-type': type } = this.req.headers
    try {
      const bytes = decode(Buffer.concat(this.#pieces), encodings ?? '', limit)
      const [, charset] = /;\s*charset="?([^\s;"]+)/i.exec(String(type)) ?? []
      const text = new TextDecoder(charset, { fatal: true }).decode(bytes)
      return parsedJson(text) !== undefined && !losesNumber(text)
    } catch {
      return false
    }
  }
}
