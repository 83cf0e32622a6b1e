import type { Response } from 'express'
import { escapeMarkup, isJsonType, unwrapJson } from '../http/json'
import type { AnswerConversion } from '../types'

/** What `res.send`, `res.write` and `res.end` take. */
export type Body = string | Uint8Array

/** Whether a value is a body that may be read as text. */
export function isBody(value: unknown): value is Body {
  return typeof value === 'string' || value instanceof Uint8Array
}

/**
 * The older shape of what `res.json` or `res.jsonp` has made.
 *
 * @returns `undefined` for what has no JSON in it: it stays as it is.
 * @throws {Error} what a step that fails comes to.
 */
export function olderJson(text: unknown, conversion: AnswerConversion, { app }: Response): Converted | undefined {
  if (typeof text !== 'string') return undefined
  const { json, wrap } = unwrapJson(text)
  if (json === '') return undefined
  const older = olderText(json, conversion, app)
  return { json: older, text: wrap(older) }
}

/** A converted answer. */
interface Converted {
  readonly json: string
  /** With what stands around the JSON. */
  readonly text: string
}

/**
 * The older shape of a body that was sent as text or as bytes.
 *
 * @returns `undefined` for one that stays as it is: it is not of JSON by its type, or empty.
 * @throws {Error} what a step that fails comes to; for a body that is no JSON, though its type says so, too.
 */
export function olderBody(body: Body, conversion: AnswerConversion, res: Response): Body | undefined {
  if (body.length === 0) return undefined
  const type = res.getHeader('Content-Type')
  if (isJsonType(type)) {
    const older = olderText(body, conversion, res.app)
    return typeof body === 'string' ? older : Buffer.from(older)
  }
  if (type !== undefined || typeof body !== 'string' || !looksLikeJson(body)) return undefined
  return olderText(body, conversion, res.app)
}

/** Whether a text is an object or a list in JSON. */
function looksLikeJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function olderText(body: Body, conversion: AnswerConversion, app: Response['app']): string {
  let value: unknown
  try {
    value = JSON.parse(typeof body === 'string' ? body : UTF_8.decode(body))
  } catch (cause) {
    throw conversion.unreadable(cause)
  }
  const older = conversion.runToJson(value, app.get('json spaces'))
  return app.get('json escape') ? escapeMarkup(older) : older
}

/** JSON is UTF-8 (RFC 8259, section 8.1). What is not cannot be read, and is not guessed at. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true })
