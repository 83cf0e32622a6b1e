// The streams whose items are converted one by one, as they are written or as a whole.
import type { Response } from 'express'
import { decoderOf } from '../../http/encoding'
import type { Framing, StreamEvent } from '../../http/framing'
import { framingOf, isUtf8Type } from '../../http/framings'
import { ItemMapper } from '../../http/item-mapper'
import { ItemStream, type StreamedResponse } from '../../http/item-stream'
import { losesNumber } from '../../http/numbers'
import { statusIn, withoutNamesOfBytes } from '../../http/representation'
import type { Body } from '../../http/response-calls'
import type { Conversion } from '../convert/steps'
import { decoded, type Items, type OlderItems, type OlderResponse } from './older-response'
import type { OutgoingResponse } from './outgoing-response'

const NOT_ENCODED = 'a body that is not in its encoding'

/** Begins a response that is converted item by item. */
export function beginItems(
  response: OutgoingResponse,
  framing: Framing,
  older: OlderResponse,
  items: OlderItems,
): Items {
  const { req, res, on } = response
  const { conversion } = items
  const status = statusIn(res)
  const type = res.getHeader('Content-Type')
  let decoder: ReturnType<typeof decoderOf>
  let unknown: unknown
  try {
    decoder = decoderOf(String(res.getHeader('Content-Encoding') ?? ''))
  } catch (cause) {
    unknown = conversion.unusable('a body in an unknown encoding', cause)
  }
  let mapper: ItemMapper | undefined
  const settings = {
    isHead: req.method === 'HEAD',
    decoder,
    notEncoded: (cause: unknown) => conversion.unusable(NOT_ENCODED, cause),
    items: () => {
      mapper ??= olderItems(framing, type, items, response.limit)
      if (unknown !== undefined) throw unknown
      if (phase.passed === undefined && res.getHeader('Content-Type') !== type) {
        throw conversion.unusable('another "Content-Type" after the response had begun')
      }
      return mapper
    },
  }
  const streamed: StreamedResponse = {
    res,
    on,
    isStream: () => response.phase === phase,
    pass: (name, args) => response.passItems(phase, name, args),
    fail: (error, name) => response.failItems(error, status, name),
  }
  const stream = new ItemStream(streamed, settings)
  const isEncoded = decoder !== undefined
  const phase: Items = { name: 'items', status, stream, older, isEncoded, isPassing: false, passed: undefined }
  const { addTrailers } = res
  res.addTrailers = (trailers) => addTrailers.call(res, withoutNamesOfBytes(trailers))
  return phase
}

/**
 * Makes the converter of the items of one stream. It takes its bytes, and throws what a step throws, and for an item that cannot be
 * converted.
 *
 * @param type the `Content-Type`.
 * @param size the highest number of bytes of one item.
 * @throws {Error} for a success whose items nobody described, and for a charset other than UTF-8. Event streams have none.
 */
function olderItems(framing: Framing, type: unknown, items: OlderItems, size: number): ItemMapper {
  const { conversion, plan } = items
  // Its step rejects each item. The head must not leave before that.
  if (plan.isUnknown) conversion.run(undefined)
  if (framing.items === 'lines' && !isUtf8Type(type)) throw conversion.unusable('a stream that is not UTF-8')
  return new ItemMapper({
    framing,
    map: (piece) => olderPiece(piece, framing, items),
    limits: { size, reject: (what) => conversion.unusable(what) },
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
  older: OlderResponse | undefined,
  res: Response,
  limit: number,
): Body | undefined {
  const type = res.getHeader('Content-Type')
  const framing = framingOf(type)
  const converted = framing && older?.itemsIn(framing)
  if (framing === undefined || converted === undefined) return undefined
  const items = olderItems(framing, type, converted, limit)
  const made = Buffer.concat([items.add(decoded(body, converted.conversion, res, limit, NOT_ENCODED)), items.end()])
  res.removeHeader('Content-Encoding')
  return typeof body === 'string' ? made.toString() : made
}

/** Converts one item. Data of events that is not JSON stays if it can hold no shape. */
function olderPiece(piece: Buffer, framing: Framing, { conversion, plan }: OlderItems): Buffer {
  const frame = read(piece, framing, conversion)
  if (frame === undefined || plan.passes(frame.item, frame.json !== undefined)) return piece
  if (frame.json === undefined) throw conversion.unusable('an item that is not JSON')
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
