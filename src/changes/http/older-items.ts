// The items of a stream, and their conversion as bytes.
import type { Response } from 'express'
import { decode } from '../../http/encoding'
import type { Framing, StreamEvent } from '../../http/framing'
import { framingOf, isUtf8Type } from '../../http/framings'
import { ItemMapper } from '../../http/item-mapper'
import { losesNumber } from '../../http/numbers'
import type { Body } from '../../http/response-calls'
import type { Conversion } from '../convert/steps'
import { tooLarge } from './json-bodies'
import type { PlannedResponse } from './response-phase'

/**
 * Makes the converter of the items of one stream. It takes its bytes, and throws what a step throws, and for an item that cannot be
 * converted.
 *
 * @param type the `Content-Type`.
 * @param limit the highest number of bytes of one item.
 * @throws {Error} for a charset other than UTF-8. Event streams have none.
 */
export function olderItems(framing: Framing, type: unknown, conversion: Conversion, limit: number): ItemMapper {
  if (framing.items === 'lines' && !isUtf8Type(type)) throw conversion.unusable('a stream that is not UTF-8')
  return new ItemMapper({
    framing,
    limit,
    map: (piece) => olderPiece(piece, framing, conversion),
    reject: (what) => conversion.unusable(what),
  })
}

/**
 * Converts a stream that was sent as a whole. An encoded one is decoded.
 *
 * @param limit the highest number of bytes.
 * @returns `undefined` for a body that stays as it is, because its type is no stream whose items are converted.
 * @throws {Error} as a stream that is written in pieces.
 */
export function olderStream(
  body: Body,
  older: PlannedResponse | undefined,
  res: Response,
  limit: number,
): Body | undefined {
  const type = res.getHeader('Content-Type')
  const framing = framingOf(type)
  const conversion = framing && older?.itemsIn(framing)
  if (framing === undefined || conversion === undefined) return undefined
  const items = olderItems(framing, type, conversion, limit)
  const made = Buffer.concat([items.add(decoded(body, conversion, res, limit)), items.end()])
  res.removeHeader('Content-Encoding')
  return typeof body === 'string' ? made.toString() : made
}

/** Decodes a body that was sent as a whole. */
function decoded(body: Body, conversion: Conversion, res: Response, limit: number): Buffer {
  const bytes = Buffer.from(body as string)
  const encoding = res.getHeader('Content-Encoding')
  if (encoding === undefined) return bytes
  let plain: Uint8Array | undefined
  try {
    plain = decode(bytes, String(encoding), limit)
  } catch (cause) {
    throw conversion.unusable('a body that is not in its encoding', cause)
  }
  if (plain === undefined) throw tooLarge(conversion, limit)
  return Buffer.from(plain)
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
