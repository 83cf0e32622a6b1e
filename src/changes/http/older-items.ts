// The items of a stream, and their conversion as bytes.
import type { Framing, StreamEvent } from '../../http/framing'
import { ItemMapper } from '../../http/item-mapper'
import { losesNumber } from '../../http/numbers'
import type { Conversion } from '../convert/steps'

/**
 * Makes the converter of the items of one stream. It takes its bytes, and throws what a step throws, and for an item that cannot be
 * converted.
 *
 * @param limit the highest number of bytes of one item.
 */
export function olderItems(framing: Framing, conversion: Conversion, limit: number): ItemMapper {
  return new ItemMapper({
    framing,
    limit,
    map: (piece) => olderPiece(piece, framing, conversion),
    reject: (what) => conversion.unusable(what),
  })
}

/** Converts one item. Data that is not JSON stays: a string holds no shape. */
function olderPiece(piece: Buffer, framing: Framing, conversion: Conversion): Buffer {
  const frame = read(piece, framing, conversion)
  if (frame === undefined) return piece
  const older = conversion.run(frame.item)
  if (conversion.hasDropped) return frame.without()
  const { data, event } = framing.items === 'events' ? eventIn(older, conversion) : { data: older }
  const json = conversion.toJson(data)
  if (json !== frame.json && losesNumber(frame.json)) {
    throw conversion.unusable('a number that JavaScript cannot hold')
  }
  return frame.with(json, event)
}

function read(piece: Buffer, framing: Framing, conversion: Conversion): ReturnType<Framing['read']> {
  try {
    return framing.read(piece)
  } catch (cause) {
    throw conversion.unusable('an item that is not UTF-8', cause)
  }
}

/** Checks that a step has returned an event. */
function eventIn(value: unknown, conversion: Conversion): Pick<StreamEvent, 'data' | 'event'> {
  const { data, event } = Object(value) as Record<string, unknown>
  if (data === undefined) throw conversion.failed('returned no event: { data, event }, or null for none')
  if (event === undefined || event === '') return { data }
  if (typeof event === 'string' && !/[\r\n\0]/.test(event)) return { data, event }
  throw conversion.failed('returned an event whose name is not a line of text')
}
