import type { Request } from 'express'
import { isPlainJsonType } from '../http/json'
import { jsonCopy } from '../http/json-copy'
import type { Plan } from './composing'
import { type CompiledStep, Conversion, type RunContext, type ShapePass, unfit } from './steps'

/**
 * Gives a request the body and the query of the newest version.
 *
 * @returns what gives back those that were sent; `undefined` where nothing was converted.
 * @throws {Error} what a step that fails comes to, and for JSON that no parser has read.
 */
export function convertRequest(
  { query, request }: Plan,
  context: RunContext & { readonly req: Request },
): (() => void) | undefined {
  const { req } = context
  const newer: { query?: unknown; body?: unknown } = {}
  // Both are made before either is put in place.
  if (query.length > 0) newer.query = converted(query, req.query, context)
  if (request.length > 0 && isBodyRead(req, request)) newer.body = converted(request, req.body, context)
  const names = Object.keys(newer) as (keyof typeof newer)[]
  if (names.length === 0) return undefined
  const sent = names.map((name) => ({ name, descriptor: Object.getOwnPropertyDescriptor(req, name) }))
  // Defined, because the query of Express 5 is a getter of the prototype, which cannot be assigned.
  for (const name of names) {
    Object.defineProperty(req, name, { value: newer[name], writable: true, configurable: true, enumerable: true })
  }
  return () => {
    for (const { name, descriptor } of sent) {
      if (descriptor === undefined) Reflect.deleteProperty(req, name)
      else Object.defineProperty(req, name, descriptor)
    }
  }
}

/** What steps make of a copy: what was sent is needed again when the route is left. */
function converted(steps: readonly (CompiledStep | ShapePass)[], value: unknown, context: RunContext): unknown {
  try {
    return JSON.parse(new Conversion(steps, context).runToJson(jsonCopy(value)))
  } catch (error) {
    const { cause } = Object(error) as { cause?: unknown }
    // Nested deeper than the stack allows, as nobody but a stranger sends it.
    if (error instanceof RangeError || cause instanceof RangeError) throw unfit(context, error)
    throw error
  }
}

/**
 * Whether a parser has read the body of a request; there may be none to read. A type that parsers of JSON may pass by is the
 * client's choice: such a body is no error of the program, and its handlers get what the newest version's get.
 *
 * @throws {TypeError} for JSON that no parser has read: a handler would get it in its own version's shape or not at all.
 */
function isBodyRead(req: Request, [step]: readonly (CompiledStep | ShapePass)[]): boolean {
  const { body, headers, readableEnded } = req as Omit<Request, 'body'> & { body: unknown }
  const length = headers['content-length']
  if (length === undefined && headers['transfer-encoding'] === undefined) return false
  const isThere = body !== undefined && !ArrayBuffer.isView(body)
  if (isThere && (readableEnded || !isBlank(body))) return true
  if (Number(length) === 0 || !isPlainJsonType(headers['content-type'])) return false
  throw new TypeError(
    `The changes of "${step?.operation}" need the body of the request, which no parser has read as JSON: put express.json() in front.`,
  )
}

/** Whether it is what Express 4 leaves where no parser has read anything. */
function isBlank(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0
}
