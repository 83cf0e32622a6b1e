// The names of operations, such as `GET user-list`.
import { METHODS } from 'node:http'
import type { RouteFacts } from '../registry'
import { shown } from './options'

/** One operation of an API: a method of a named route. */
export interface Operation {
  readonly method: string
  readonly viewName: string
}

/** The key of a change that stands for all operations. */
export const ALL = '*'

/** The methods that are fields of a path item of OpenAPI; the last one from OpenAPI 3.2 on. */
export const METHOD_FIELDS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const

/** A method as the field of a path item. */
export type MethodField = (typeof METHOD_FIELDS)[number]

/** Lists the methods that are fields of a path item in a version of OpenAPI. */
export function methodFieldsIn(openapi: string): readonly MethodField[] {
  return /^3\.[01]/.test(openapi) ? METHOD_FIELDS.slice(0, -1) : METHOD_FIELDS
}

/** The methods of operations: HEAD is that of GET. */
export const OPERATION_METHODS: readonly string[] = METHOD_FIELDS.filter((field) => field !== 'head').map((field) =>
  field.toUpperCase(),
)

/** The methods that `.all()` stands for, described or not. */
export const ALL_METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The methods whose requests usually have a body. */
export const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY'])

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
 * Lists the methods that a route serves. Handlers of `.all()` serve the usual methods, and others that are described. Beside other
 * handlers, they are usually middleware, and serve only what is described.
 */
export function servedMethods({
  methods,
  describedAs,
}: Pick<RouteFacts, 'methods' | 'describedAs'>): readonly string[] {
  const own = methods.filter((method) => method !== 'ALL')
  if (own.length === methods.length) return own
  const described = OPERATION_METHODS.filter((method) => describedAs(method) !== undefined)
  return [...new Set([...(own.length === 0 ? ALL_METHODS : own), ...described])]
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
