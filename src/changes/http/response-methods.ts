// The methods of a response that convert what they send: `res.json()`, `res.jsonp()` and `res.send()` of Express, and Node's own.
import { ServerResponse } from 'node:http'
import type { Response } from 'express'
import { framingOf } from '../../http/framings'
import type { ItemStream } from '../../http/item-stream'
import { jsonCopy } from '../../http/json'
import { dropNamesOfBytes, isBodyless, statusIn, toStatus, withoutNamesOfBytes } from '../../http/representation'
import { type Body, bytesOf, callbackOf, isBody, noteHead, readRaw } from '../../http/response-calls'
import { TextStart } from '../../http/untyped-text'
import type { Conversion } from '../convert/steps'
import { beginItems, olderStream } from './older-items'
import { Collected, madeText, type OlderResponse, olderBody, olderJson, type Phase, readingOf } from './older-response'
import type { Converters, Methods, OutgoingResponse } from './outgoing-response'

type JsonMethod = 'json' | 'jsonp'

/** The conversion of the calls that send a response: by the methods of Express; or by those of Node, as streams and proxies do. */
export const RESPONSE_METHODS: Converters = {
  json,
  jsonp: (response, args) => byExpress(response, 'jsonp', args),
  send,
  writeHead,
  flushHeaders,
  write,
  end,
}

function json(response: OutgoingResponse, args: readonly unknown[]): unknown {
  // A replacer, and middleware behind `versioning()`, get the newest shape.
  if (args.length !== 1 || !mayConvertValues(response)) return byExpress(response, 'json', args)
  return sendValue(response, 'json', args, 0, statusIn(response.res))
}

/** Tells whether no other middleware must get a value before it is converted. */
function mayConvertValues({ res, own }: OutgoingResponse): boolean {
  return res.send === own?.send && !res.app.get('json replacer')
}

/** Converts the value itself, if that gives the same: its text is then made once and never parsed. */
function sendValue(
  response: OutgoingResponse,
  name: 'json' | 'send',
  args: readonly unknown[],
  at: number,
  status: number,
): unknown {
  const isStraight = name === 'json' && isExpress(response, 'json')
  let older: OlderResponse | undefined
  try {
    older = response.older(status)
  } catch (error) {
    return response.fail(error, status)
  }
  const conversion = older?.conversion
  // Errors of `jsonCopy` are the handler's, as with Express.
  const copy = conversion === undefined ? undefined : jsonCopy(args[at])
  if (conversion === undefined || copy === undefined) return response.handOn(older, name, args)
  let value: unknown
  try {
    value = isStraight ? conversion.run(copy) : JSON.parse(conversion.runToJson(copy, undefined))
  } catch (error) {
    return response.fail(error, status)
  }
  if (isStraight) return byExpress(response, 'json', [value], older)
  dropNamesOfBytes(response.res)
  return response.handOn(older, name, args.with(at, value), true)
}

/** Tells whether a method of the response is Express's: of no middleware, and of none of the apps that the response passes. */
function isExpress({ res, others }: OutgoingResponse, name: 'json' | 'send'): boolean {
  if (others?.[name] !== undefined) return false
  let owner: object = Object.getPrototypeOf(res)
  while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
  return Object.getPrototypeOf(owner) === ServerResponse.prototype
}

function send(response: OutgoingResponse, args: readonly unknown[]): unknown {
  const { res, phase } = response
  const { at, status } = readArguments(res, args)
  const body = args[at]
  if (phase.name !== 'stringified' && !isBody(body) && body !== undefined && body !== null) {
    // Express sends it with `res.json`.
    if (isExpress(response, 'send') || typeof body !== 'object') return response.call('send', args)
    // Middleware in front gets the older value.
    if (res.json === response.own?.json && mayConvertValues(response)) {
      return sendValue(response, 'send', args, at, status)
    }
    return res.status(status).json(body)
  }
  let older: OlderResponse | undefined
  let converted: Body | JsonValue | undefined
  try {
    older = (phase.name === 'stringified' ? phase.made : undefined) ?? response.older(status)
    converted = older?.conversion && convertedBody(response, body, older.conversion, phase)
    if (converted === undefined && isBody(body)) converted = olderStream(body, older, res, response.limit)
  } catch (error) {
    return response.fail(error, status)
  }
  if (converted === undefined) return response.handOn(older, 'send', args)
  dropNamesOfBytes(res)
  if (isBody(converted)) return response.handOn(older, 'send', args.with(at, converted), true)
  // Middleware in front gets the value. That behind `versioning()` has had its turn.
  res.send = response.own?.send as Response['send']
  return response.handOn(older, converted.name, [converted.value], true)
}

/** Lets Express make the text, which then reaches `send`. */
function byExpress(
  response: OutgoingResponse,
  by: JsonMethod,
  args: readonly unknown[],
  made?: OlderResponse,
): unknown {
  const methods: Methods = Object.getPrototypeOf(response.res)
  const before = response.phase
  const phase: Phase = { name: 'stringified', by, made }
  response.phase = phase
  try {
    return Reflect.apply(methods[by], response.res, args)
  } catch (error) {
    const isSent = response.phase !== phase
    if (!isSent) response.phase = before
    if (made === undefined || isSent) throw error
    return response.fail((made.conversion as Conversion).unsayable(error), statusIn(response.res))
  }
}

/** Converts a body of `send`; `undefined` if it stays as it is. */
function convertedBody(
  response: OutgoingResponse,
  body: unknown,
  conversion: Conversion,
  phase: Phase,
): Body | JsonValue | undefined {
  const { res, others } = response
  if (phase.name !== 'stringified') {
    const reading = readingOf(res, phase)
    // Express gives bytes a type.
    const isOther = reading === undefined || (reading === 'text' && typeof body !== 'string')
    return isOther || !isBody(body) ? undefined : olderBody(body, reading, conversion, res, response.limit)
  }
  const { by, made } = phase
  if (made !== undefined) return verified(conversion, body)
  const older = olderJson(body, conversion, res)
  if (older === undefined || others?.[by] === undefined) return older?.text
  return { name: by, value: JSON.parse(older.json) }
}

/** A converted value for a method that other middleware has put on the response. */
interface JsonValue {
  readonly name: JsonMethod
  readonly value: unknown
}

/** Checks the text that Express made of a converted value. */
function verified(conversion: Conversion, text: unknown): string {
  if (typeof text !== 'string') throw conversion.unsayable()
  conversion.verify(text)
  return text
}

/** Finds body and status among the arguments of `res.send`. Express 4 takes both, in either order. */
function readArguments(res: Response, args: readonly unknown[]): { at: number; status: number } {
  const [first, second] = args
  if (args.length !== 2 || !('sendfile' in res)) return { at: 0, status: statusIn(res) }
  if (typeof first !== 'number' && typeof second === 'number') return { at: 0, status: toStatus(second) }
  return { at: 1, status: toStatus(first) }
}

// Node's own methods. The pieces of a JSON response wait for its end.

function write(response: OutgoingResponse, args: readonly unknown[]): unknown {
  const { chunk, encoding } = readRaw(args)
  const items = itemsOf(response)
  if (items !== undefined) return items.write(args)
  const collected = isBody(chunk) ? collectedOf(response) : undefined
  if (collected === undefined) return response.handOnRaw('write', args)
  const isFirst = collected.isEmpty
  collected.add(bytesOf(chunk as Body, encoding))
  if (collected.error !== undefined) return response.failRaw(collected.error, collected.status, 'write')
  if (collected.isOther) return response.handOnRaw('write', isFirst ? args : [collected.bytes, ...callbackOf(args)])
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
  const isFirst = collected.isEmpty
  if (isBody(chunk)) collected.add(bytesOf(chunk, encoding))
  const { bytes, reading, error } = collected
  if (error === undefined && collected.isOther) return response.handOnRaw('end', isFirst ? args : [bytes, ...rest])
  let older: Body | undefined
  try {
    if (error !== undefined) throw error
    const { conversion, made } = response.older(collected.status) ?? {}
    if (conversion !== undefined) older = olderBody(bytes, reading, conversion, res, response.limit)
    // The handler has changed the version since.
    else if (made === undefined) older = bytes
    else {
      older = Buffer.from(madeText(made, res))
      res.setHeader('Content-Length', older.length)
    }
  } catch (error) {
    for (const callback of rest) res.once('finish', callback)
    return response.failRaw(error, collected.status)
  }
  // The older bytes of a response to HEAD are unknown, if it is sent without a body.
  const isUnknown = collected.isEmpty && req.method === 'HEAD'
  if (older !== undefined || isUnknown) dropNamesOfBytes(res)
  // The older body would not be encoded.
  if (older === undefined && isUnknown)
    for (const name of ['Content-Length', 'Content-Encoding']) res.removeHeader(name)
  if (older !== undefined && res.hasHeader('Content-Length')) res.setHeader('Content-Length', older.length)
  if (older !== undefined) response.noteConverted()
  const body = older ?? bytes
  if (!collected.hasTrailers) return response.handOnRaw('end', body.length === 0 ? rest : [body, ...rest])
  // Node sends trailers only behind chunks.
  response.handOnRaw('write', [body])
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
  if (framingOf(res.getHeader('Content-Type')) !== undefined) res.writeHead(statusIn(res))
  const items = itemsOf(response)
  return items === undefined ? response.call('flushHeaders', args) : items.flushHeaders()
}

/** Returns the stream of a response whose items are converted one by one. It begins here. */
function itemsOf(response: OutgoingResponse): ItemStream | undefined {
  const { res, phase } = response
  const status = statusIn(res)
  if (phase.name === 'items' && phase.status === status) return phase.stream
  const framing = framingOf(res.getHeader('Content-Type'))
  if (framing === undefined) return undefined
  const older = olderOf(response, status)
  const items = older?.itemsIn(framing)
  if (older === undefined || items === undefined) return undefined
  const begun = beginItems(response, framing, older, items)
  response.phase = begun
  return begun.stream
}

/** Returns the pieces written so far, if the response is converted as a whole. Drops those of another response before. */
function collectedOf(response: OutgoingResponse): Collected | undefined {
  const { res, phase } = response
  const status = statusIn(res)
  const type = String(res.getHeader('Content-Type'))
  if (phase.name === 'collecting') {
    const { collected } = phase
    if (collected.status === status) {
      if (!isBodyless(status)) collected.check(type)
      return collected
    }
  }
  const older = olderOf(response, status)
  const reading = older?.made === undefined ? readingOf(res, phase) : 'typed'
  const conversion = older?.made ?? older?.conversion
  if (conversion === undefined || reading === undefined) return undefined
  const start = reading === 'text' && !res.hasHeader('Content-Encoding') ? new TextStart() : undefined
  const collected = new Collected(status, type, reading, conversion, response.limit, start)
  response.phase = { name: 'collecting', collected }
  const { addTrailers } = res
  res.addTrailers = (trailers) => {
    collected.hasTrailers = true
    addTrailers.call(res, collected.isOther ? trailers : withoutNamesOfBytes(trailers))
  }
  return collected
}

function olderOf(response: OutgoingResponse, status: number): OlderResponse | undefined {
  try {
    return response.older(status)
  } catch {
    // The error is reported when the response is passed on.
    return undefined
  }
}
