// The items of streams, judged as they flow.
import type { Response } from 'express'
import type { Framing } from '../http/framing'
import { ItemMapper } from '../http/item-mapper'
import { bytesIn, callbackOf } from '../http/response-calls'

type Method = (...args: unknown[]) => unknown

/**
 * Makes the reader of a stream's items. Not a byte changes.
 *
 * @param judge gets each item. Bytes that are no JSON are not judged.
 */
export function itemsOf(framing: Framing, judge: (item: unknown) => void): ItemMapper {
  return new ItemMapper({
    framing,
    map: (piece) => {
      let item: ReturnType<Framing['read']>
      try {
        item = framing.read(piece)
      } catch {
        // The client cannot read it either.
      }
      if (item?.json !== undefined) judge(item.item)
      return piece
    },
  })
}

/** A stream whose items leave when they were judged. */
export class HeldStream {
  #isBroken = false

  /**
   * @param items throws for an item that does not fit.
   * @param calls the previous methods of the response.
   * @param fail passes on the error of such an item.
   */
  constructor(
    private readonly items: ItemMapper,
    private readonly res: Response,
    private readonly calls: Readonly<Record<'write' | 'end', Method>>,
    private readonly fail: (error: unknown, callbacks: (() => void)[]) => void,
  ) {}

  write(args: readonly unknown[]): unknown {
    const callbacks = callbackOf(args)
    const bytes = this.#judged(callbacks, () => this.items.add(bytesIn(args)))
    if (bytes === undefined) return false
    if (bytes.length > 0) return Reflect.apply(this.calls.write, this.res, [bytes, ...callbacks])
    for (const callback of callbacks) process.nextTick(callback)
    return true
  }

  end(args: readonly unknown[]): unknown {
    const callbacks = callbackOf(args)
    const bytes = this.#judged(callbacks, () => Buffer.concat([this.items.add(bytesIn(args)), this.items.end()]))
    if (bytes === undefined) return this.res
    return Reflect.apply(this.calls.end, this.res, bytes.length > 0 ? [bytes, ...callbacks] : callbacks)
  }

  #judged(callbacks: (() => void)[], add: () => Buffer): Buffer | undefined {
    if (this.#isBroken) return undefined
    try {
      return add()
    } catch (error) {
      this.#isBroken = true
      this.fail(error, callbacks)
      return undefined
    }
  }
}
