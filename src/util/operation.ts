// The names of operations, such as `GET user-list`.
import { METHODS } from 'node:http'
import type { RouteFacts } from '../types'
import { shown } from './options'

/** One operation of an API: a method of a named route. */
export interface Operation {
  readonly method: string
  readonly viewName: string
}

/** The key of a change that stands for all operations. */
export const ALL = '*'

/** The methods that `.all()` stands for. */
export const ALL_METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const TAKES = "an operation, such as 'GET user-detail': a method in capitals, a space, and a view name"

/**
 * Reads `'GET user-detail'`.
 *
 * @throws {TypeError} for other strings, and for `HEAD`, which `GET` covers.
 */
export function parseOperation(owner: string, key: unknown): Operation {
  const space = typeof key === 'string' ? key.indexOf(' ') : -1
  const operation = { method: String(key).slice(0, space), viewName: String(key).slice(space + 1) }
  if (space === -1 || !METHODS.includes(operation.method) || operation.viewName === '') {
    throw new TypeError(`${owner} takes ${TAKES}; got ${shown(key)}.`)
  }
  if (operation.method === 'HEAD') {
    throw new TypeError(`${owner}: GET covers HEAD; write 'GET ${operation.viewName}' instead of ${shown(key)}.`)
  }
  return operation
}

/**
 * Lists the methods that a route serves. Beside others, handlers of `.all()` are usually middleware: they serve the methods
 * that are described.
 */
export function servedMethods({
  methods,
  describedAs,
}: Pick<RouteFacts, 'methods' | 'describedAs'>): readonly string[] {
  const own = methods.filter((method) => method !== 'ALL')
  if (own.length === methods.length) return own
  if (own.length === 0) return ALL_METHODS
  return [...own, ...ALL_METHODS.filter((method) => !own.includes(method) && describedAs(method) !== undefined)]
}

/** Lists the methods of a route that are operations: HEAD is that of GET. */
export function operationMethods({
  methods,
  describedAs,
}: Pick<RouteFacts, 'methods' | 'describedAs'>): readonly string[] {
  return servedMethods({ methods: methods.filter((method) => method !== 'HEAD'), describedAs })
}

/** Returns the method of the operation that serves a request's method. */
export function operationMethod(method: string): string {
  return method === 'HEAD' ? 'GET' : method
}

/**
 * Splits a full name into its namespaces, the outermost first, and its own name. The colons in a name that is a path
 * (`v1:/users/{id}:activate`) are its own.
 */
export function partsOf(viewName: string): [...namespaces: string[], name: string] {
  const start = viewName.startsWith('/') ? 0 : viewName.indexOf(':/') + 1
  if (start === 0 && !viewName.startsWith('/')) return viewName.split(':') as [string]
  const namespaces = viewName.slice(0, start).split(':').slice(0, -1)
  return [...namespaces, viewName.slice(start)]
}

/** Lists a full name and its ends without the outer namespaces, longest first. */
export function tails(viewName: string): string[] {
  const parts = partsOf(viewName)
  return parts.map((_, index) => parts.slice(index).join(':'))
}
