// The JSON bodies of answers, and their conversion as text.
import type { Response } from 'express'
import { escapeMarkup, isJsonType, unwrapJson } from '../http/json'
import { dropRepresentation } from '../http/representation'
import type { Conversion } from './steps'

/** The bodies that `res.send`, `res.write` and `res.end` take. */
export type Body = string | Uint8Array

/** Tells whether a value is a body that can be read as text. */
export function isBody(value: unknown): value is Body {
  return typeof value === 'string' || value instanceof Uint8Array
}

/**
 * Converts the text that `res.json` or `res.jsonp` has made.
 *
 * @returns `undefined` for a text without JSON, which stays as it is.
 * @throws {Error} if a step fails.
 */
export function olderJson(text: unknown, conversion: Conversion, { app }: Response): Converted | undefined {
  if (typeof text !== 'string') return undefined
  const { json, wrap } = unwrapJson(text)
  if (json === '') return undefined
  const older = olderText(json, conversion, app)
  return { json: older, text: wrap(older) }
}

/** A converted answer. */
interface Converted {
  readonly json: string
  /** The JSON with the text around it. */
  readonly text: string
}

/**
 * Converts a body that was sent as text or as bytes.
 *
 * @returns `undefined` for a body that stays as it is: it is empty, or its type is not JSON.
 * @throws {Error} if a step fails, and for a body of a JSON type that is not JSON.
 */
export function olderBody(body: Body, conversion: Conversion, res: Response): Body | undefined {
  if (body.length === 0) return undefined
  const type = res.getHeader('Content-Type')
  if (isJsonType(type)) {
    const older = olderText(body, conversion, res.app)
    return typeof body === 'string' ? older : Buffer.from(older)
  }
  if (type !== undefined || typeof body !== 'string' || !looksLikeJson(body)) return undefined
  return olderText(body, conversion, res.app)
}

/** Makes the JSON of an answer without a body, and sets its type. */
export function madeText(made: Conversion, res: Response): string {
  const text = textOf(made, undefined, res.app)
  dropRepresentation(res)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  return text
}

/** Tells whether a text is an object or a list in JSON. */
function looksLikeJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function olderText(body: Body, conversion: Conversion, app: Response['app']): string {
  let value: unknown
  try {
    value = JSON.parse(typeof body === 'string' ? body : UTF_8.decode(body))
  } catch (cause) {
    throw conversion.unreadable(cause)
  }
  return textOf(conversion, value, app)
}

function textOf(conversion: Conversion, value: unknown, app: Response['app']): string {
  const older = conversion.runToJson(value, app.get('json spaces'))
  return app.get('json escape') ? escapeMarkup(older) : older
}

/** The decoder of bodies. JSON is UTF-8 (RFC 8259, section 8.1); other encodings are errors, not guesses. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true })
