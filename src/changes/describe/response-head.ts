// The changes of statuses and header fields.
import type { OutgoingHttpHeader } from 'node:http'
import type { Response } from 'express'
import { isToken } from '../../http/fields'
import { kindOf, shown } from '../../util/options'
import { isThenable } from '../../util/thenable'
import { ChangeFailure, type RunContext } from '../convert/steps'
import type { HeaderContext, HeaderStep, OperationHead } from '../types/operations'

/** The keys of an operation for the heads of its responses. */
export const HEAD_KEYS: readonly (keyof OperationHead)[] = ['status', 'headers']

/** One header field of a change. */
export interface HeaderChange {
  readonly name: string
  readonly step: HeaderStep | null
  /** The operation as the change names it. */
  readonly operation: string
  readonly description: string
}

/** The checked head changes of an operation. */
export interface CompiledHead {
  /** The older status by the newer one. */
  readonly status: ReadonlyMap<number, number>
  /** The header fields by name in lower case. */
  readonly headers: ReadonlyMap<string, HeaderChange>
}

/**
 * Checks the head changes of an operation.
 *
 * @returns `undefined` if there are no such changes.
 * @throws {TypeError} for invalid statuses, names and values.
 */
export function compileHead(
  owner: string,
  operation: string,
  description: string,
  { status, headers }: OperationHead,
): CompiledHead | undefined {
  const compiled = {
    status: new Map(entriesOf(owner, operation, 'status', status).map(([key, to]) => [Number(key), to as number])),
    headers: new Map<string, HeaderChange>(),
  }
  for (const [from, to] of compiled.status) {
    for (const each of [from, to]) {
      if (Number.isInteger(each) && each >= 100 && each <= 599) continue
      throw new TypeError(
        `${owner}: "status" of "${operation}" takes statuses from 100 to 599, such as { 201: 200 }; got ${shown(each)}.`,
      )
    }
  }
  for (const [name, step] of entriesOf(owner, operation, 'headers', headers)) {
    if (!isToken(name)) {
      throw new TypeError(`${owner}: "headers" of "${operation}" takes names of header fields; got ${shown(name)}.`)
    }
    if (step !== null && typeof step !== 'function') {
      throw new TypeError(
        `${owner}: "headers" of "${operation}" takes a function or null for "${name}"; got ${shown(step)}.`,
      )
    }
    compiled.headers.set(name.toLowerCase(), { name, step: step as HeaderStep | null, operation, description })
  }
  return compiled.status.size + compiled.headers.size === 0 ? undefined : compiled
}

function entriesOf(owner: string, operation: string, key: string, given: unknown): [string, unknown][] {
  if (given === undefined) return []
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
    return Object.entries(given).filter(([, value]) => value !== undefined)
  }
  throw new TypeError(`${owner}: "${key}" of "${operation}" takes an object; got ${shown(given)}.`)
}

/** Merges the head changes of an operation over those of all operations. */
export function mergedHead(own: CompiledHead | undefined, all: CompiledHead | undefined): CompiledHead | undefined {
  if (own === undefined || all === undefined) return own ?? all
  return {
    status: new Map([...all.status, ...own.status]),
    headers: new Map([...all.headers, ...own.headers]),
  }
}

/**
 * Sets a header field of a response to its older value.
 *
 * @param status the status on the older side.
 * @throws {ChangeFailure} if the function throws or returns an invalid value.
 */
export function changeHeader(
  { name, step, operation, description }: HeaderChange,
  res: Response,
  status: number,
  context: RunContext,
): void {
  if (step !== null || res.hasHeader(name)) context.met?.add(description)
  if (step === null) {
    res.removeHeader(name)
    return
  }
  const failed = (how: string, options?: ErrorOptions) =>
    new ChangeFailure({ kind: `headers: ${name}`, operation, description }, how, context, options)
  let value: unknown
  try {
    value = step(asRead(res.getHeader(name)), { ...context, status } as HeaderContext)
  } catch (cause) {
    throw failed('threw', { cause })
  }
  if (value === undefined) {
    res.removeHeader(name)
    return
  }
  if (typeof value !== 'string' && typeof value !== 'number' && !Array.isArray(value)) {
    if (isThenable(value)) Promise.resolve(value).catch(() => {})
    throw failed(`returned ${kindOf(value)}, which is not a value of a header field`)
  }
  try {
    res.setHeader(name, value)
  } catch (cause) {
    throw failed('returned a value that no header field can have', { cause })
  }
}

function asRead(value: OutgoingHttpHeader | undefined): string | readonly string[] | undefined {
  return typeof value === 'number' ? String(value) : value
}
