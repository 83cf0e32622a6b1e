// The JSON bodies of responses, and their conversion as text.
import type { Response } from 'express'
import { decode } from '../../http/encoding'
import { escapeMarkup, isJsonType, unwrapJson } from '../../http/json'
import { losesNumber } from '../../http/numbers'
import { dropRepresentation } from '../../http/representation'
import type { Body } from '../../http/response-calls'
import type { Conversion } from '../convert/steps'

/**
 * Converts the text that `res.json` or `res.jsonp` has made.
 *
 * @returns `undefined` for a string without JSON, which stays as it is.
 * @throws {Error} if a step fails.
 */
export function olderJson(text: unknown, conversion: Conversion, { app }: Response): Converted | undefined {
  if (typeof text !== 'string') return undefined
  const { json, wrap } = unwrapJson(text)
  if (json === '') return undefined
  const older = olderText(parsed(json, conversion), conversion, app)
  return { json: older, text: wrap(older) }
}

/** A converted response. */
interface Converted {
  readonly json: string
  /** The JSON with the text around it. */
  readonly text: string
}

/**
 * Converts a body that was sent as text or as bytes. An encoded one is decoded.
 *
 * @param limit the highest number of bytes that a body may have.
 * @returns `undefined` for a body that stays as it is: it is empty, or its type is not JSON.
 * @throws {Error} if a step fails, and for a body of a JSON type that is not readable or has a number that JavaScript cannot hold.
 */
export function olderBody(body: Body, conversion: Conversion, res: Response, limit: number): Body | undefined {
  if (body.length === 0) return undefined
  const type = res.getHeader('Content-Type')
  const isJson = isJsonType(type) || (type === undefined && typeof body === 'string' && looksLikeJson(body))
  if (!isJson) return undefined
  const json = textOf(body, conversion, res, limit)
  const value = parsed(json, conversion)
  if (losesNumber(json)) throw conversion.unusable('a number that JavaScript cannot hold')
  const older = olderText(value, conversion, res.app)
  res.removeHeader('Content-Encoding')
  return typeof body === 'string' ? older : Buffer.from(older)
}

/** Makes the error for a response with more bytes than are held at once. */
export function tooLarge(conversion: Conversion, limit: number): Error {
  return conversion.unusable(`a body of more than ${limit} bytes (option "maxCollected" of versioning())`)
}

/** Reads a body as text, and removes the encoding that it had. */
function textOf(body: Body, conversion: Conversion, res: Response, limit: number): string {
  const encoding = res.getHeader('Content-Encoding')
  if (encoding === undefined && typeof body === 'string') return body
  let decoded: Uint8Array | undefined
  try {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    decoded = decode(bytes, String(encoding ?? ''), limit)
    if (decoded !== undefined) return UTF_8.decode(decoded)
  } catch (cause) {
    throw unreadable(conversion, cause)
  }
  throw tooLarge(conversion, limit)
}

/** Makes the JSON of a response without a body, and sets its type. */
export function madeText(made: Conversion, res: Response): string {
  const text = olderText(undefined, made, res.app)
  dropRepresentation(res)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  return text
}

/** Tells whether a string is an object or a list in JSON. */
function looksLikeJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parsed(json: string, conversion: Conversion): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw unreadable(conversion, cause)
  }
}

function unreadable(conversion: Conversion, cause: unknown): Error {
  return conversion.unusable('a body that is not JSON, though its type says so', cause)
}

function olderText(value: unknown, conversion: Conversion, app: Response['app']): string {
  const older = conversion.runToJson(value, app.get('json spaces'))
  return app.get('json escape') ? escapeMarkup(older) : older
}

/** The decoder of bodies. JSON is UTF-8 (RFC 8259, section 8.1); other encodings are errors, not guesses. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true })
