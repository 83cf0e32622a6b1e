// Responses sent by Node's own methods, such as `res.write()`.
import { framingOf } from '../../http/framings'
import { isJsonType } from '../../http/json'
import { dropNamesOfBytes, isBodyless, withoutNamesOfBytes } from '../../http/representation'
import { type Body, bytesOf, callbackOf, isBody, noteHead, readRaw } from '../../http/response-calls'
import type { Conversion } from '../convert/steps'
import { ItemStream } from './item-stream'
import { madeText, olderBody } from './json-bodies'
import type { Converters, OutgoingResponse } from './outgoing-response'
import { Collected, type PlannedResponse, type StreamCalls } from './response-phase'

/** The conversion of responses that Node's own methods send, as streams and proxies do. Parts of a JSON response wait for its end. */
export const NODE_METHODS: Converters<'writeHead' | 'flushHeaders' | 'write' | 'end'> = {
  writeHead,
  flushHeaders,
  write,
  end,
}

function write(response: OutgoingResponse, args: readonly unknown[]): unknown {
  const { chunk, encoding } = readRaw(args)
  const items = itemsOf(response)
  if (items !== undefined) return items.write(args)
  const collected = isBody(chunk) ? collectedOf(response) : undefined
  if (collected === undefined) return response.handOnRaw('write', args)
  collected.add(bytesOf(chunk as Body, encoding))
  if (collected.error !== undefined) return response.failRaw(collected.error, collected.status, 'write')
  for (const callback of callbackOf(args)) process.nextTick(callback)
  return true
}

function end(response: OutgoingResponse, args: readonly unknown[]): unknown {
  const { req, res } = response
  const { chunk, encoding } = readRaw(args)
  const rest = callbackOf(args)
  const items = itemsOf(response)
  if (items !== undefined) return items.end(args)
  const collected = !chunk || isBody(chunk) ? collectedOf(response) : undefined
  if (collected === undefined) return response.handOnRaw('end', args)
  if (isBody(chunk)) collected.add(bytesOf(chunk, encoding))
  let older: Body | undefined
  try {
    if (collected.error !== undefined) throw collected.error
    const { conversion, made } = response.older(collected.status) ?? {}
    if (conversion !== undefined) older = olderBody(collected.bytes, conversion, res, response.limit)
    // The handler has changed the version since.
    else if (made === undefined) older = collected.bytes
    else {
      older = Buffer.from(madeText(made, res))
      res.setHeader('Content-Length', older.length)
    }
  } catch (error) {
    for (const callback of rest) res.once('finish', callback)
    return response.failRaw(error, collected.status)
  }
  if (older !== undefined || req.method === 'HEAD') dropNamesOfBytes(res)
  if (older === undefined) {
    // Without a body, the length of the older one is unknown. It would not be encoded.
    if (req.method === 'HEAD') for (const name of ['Content-Length', 'Content-Encoding']) res.removeHeader(name)
    return response.handOnRaw('end', rest)
  }
  if (res.hasHeader('Content-Length')) res.setHeader('Content-Length', older.length)
  if (!collected.hasTrailers) return response.handOnRaw('end', [older, ...rest])
  // Node sends trailers only behind chunks.
  response.handOnRaw('write', [older])
  return response.passOn('end', rest)
}

function writeHead(response: OutgoingResponse, args: readonly unknown[]): unknown {
  noteHead(response.res, args)
  if (itemsOf(response) !== undefined) return response.res
  return collectedOf(response) === undefined ? response.handOnRaw('writeHead', args.slice(0, 1)) : response.res
}

/** Sends the head of a stream now. Node calls `writeHead` for all others. */
function flushHeaders(response: OutgoingResponse, args: readonly unknown[]): unknown {
  const { res } = response
  // Middleware behind waits for this call to choose the encoding.
  if (framingOf(res.getHeader('Content-Type')) !== undefined) res.writeHead(res.statusCode)
  const items = itemsOf(response)
  return items === undefined ? response.call('flushHeaders', args) : items.flushHeaders()
}

/** Returns the stream of a response whose items are converted one by one. It begins here. */
function itemsOf(response: OutgoingResponse): StreamCalls | undefined {
  const { res, phase } = response
  const { statusCode } = res
  if (phase.name === 'items' && phase.stream.status === statusCode) return phase.stream
  const framing = framingOf(res.getHeader('Content-Type'))
  if (framing === undefined) return undefined
  const older = olderOf(response, statusCode)
  const conversion = older?.itemsIn(framing)
  if (older === undefined || conversion === undefined) return undefined
  const stream = new ItemStream(response, framing, conversion)
  response.phase = { name: 'items', stream, older, passed: undefined }
  return stream
}

/** Returns the pieces written so far, if the response is converted as a whole. Drops those of another response before. */
function collectedOf(response: OutgoingResponse): Collected | undefined {
  const { res, phase } = response
  const { statusCode } = res
  const type = String(res.getHeader('Content-Type'))
  if (phase.name === 'collecting') {
    const { collected } = phase
    if (collected.status === statusCode) {
      if (!isBodyless(statusCode)) collected.check(type)
      return collected
    }
  }
  const conversion = conversionOf(response, statusCode, isJsonType(type))
  if (conversion === undefined) return undefined
  const collected = new Collected(statusCode, type, conversion, response.limit)
  response.phase = { name: 'collecting', collected }
  const { addTrailers } = res
  res.addTrailers = (trailers) => {
    collected.hasTrailers = true
    addTrailers.call(res, withoutNamesOfBytes(trailers))
  }
  return collected
}

function conversionOf(response: OutgoingResponse, status: number, isJson: boolean): Conversion | undefined {
  const older = olderOf(response, status)
  return older?.made ?? (isJson ? older?.conversion : undefined)
}

function olderOf(response: OutgoingResponse, status: number): PlannedResponse | undefined {
  try {
    return response.older(status)
  } catch {
    // The error is reported when the response is passed on.
    return undefined
  }
}
