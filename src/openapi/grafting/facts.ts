// The operations of given documents, as the table has them.

import type { GivenDocument, RouteFacts } from '../../registry'
import { isContent, schemaIn } from '../../schemas/check'
import { isObject, type JsonSchema } from '../../schemas/model'
import { below } from '../../schemas/pointers'
import { byStatus } from '../../schemas/responses'
import type { Operation } from '../../survey/survey'
import type { OperationDescription, Schema } from '../../types'
import type { DocumentSchemas } from '../user-schemas'
import { FIELDS } from './document-parts'

/** The operations of given documents, as the table has them. */
export class GivenTable {
  readonly #operations = new Map<string, Operation>()
  readonly #routes = new Map<string, RouteFacts>()

  constructor(
    facts: readonly RouteFacts[],
    operations: readonly Operation[],
    private readonly version: string,
  ) {
    for (const operation of operations) this.#operations.set(`${operation.method} ${operation.viewName}`, operation)
    for (const route of facts) if (route.givenAs !== undefined) this.#routes.set(route.viewName, route)
  }

  /** Tells whether an operation is one of a document. */
  isGiven({ viewName, method }: Operation): boolean {
    return this.#routes.get(viewName)?.givenFor(method) !== undefined
  }

  /** Tells whether the version has an operation. One that no request ever reaches stays as it was given. */
  isThere({ served, removed }: Operation): boolean {
    return served.has(this.version) || served.size + removed.size === 0
  }

  /** Returns a document as it was given, unless the version has any of the operations that were taken from older ones. */
  inVersion(document: GivenDocument): GivenDocument {
    const isThere = [...document.removable.keys()].some((operation) => {
      const [method, path] = operation.split(/ (.*)/s) as [string, string]
      const known = this.#operations.get(`${method} ${nameOf(document, path)}`)
      return known !== undefined && this.isThere(known)
    })
    return isThere ? document : { ...document, document: document.today }
  }

  /** Tells whether the version has any operation of a document. */
  hasAny(document: GivenDocument): boolean {
    const paths = Object.keys(isObject(document.document.paths) ? document.document.paths : {})
    return paths.some((path) => {
      const route = this.#routes.get(nameOf(document, path))
      return route?.methods.some((method) => {
        const operation = this.#operations.get(`${method} ${route.viewName}`)
        return operation !== undefined && this.isThere(operation)
      })
    })
  }

  /** Tells the names of all schemas that documents have. The schemas of one document share them, so one is enough. */
  tell(schemas: DocumentSchemas): void {
    for (const { viewName, methods, givenFor } of this.#routes.values()) {
      for (const method of methods) {
        // All methods of such a route are those of the document.
        const given = givenFor(method) as OperationDescription
        for (const schema of schemasOf(given)) schemas.know(schema, `${method} ${viewName}`)
      }
    }
  }

  /** Lists the operations of a path, each with the field that has it. */
  operationsOf(document: GivenDocument, path: string, item: JsonSchema, pointer: string) {
    const viewName = nameOf(document, path)
    const route = this.#routes.get(viewName)
    return Object.entries(item).flatMap(([field, value]) => {
      if (!FIELDS.has(field) || !isObject(value)) return []
      const method = field.toUpperCase()
      const given = route?.givenFor(method)
      if (given === undefined && document.removable.has(`${method} ${path}`)) return []
      const operation = given === undefined ? undefined : this.#operations.get(`${method} ${viewName}`)
      const neutral = operation?.neutral === true
      const use = { document, pointer: below(pointer, field), isReversed: false, isResponse: false, neutral }
      return [{ field, one: { value, use, operation, given } }]
    })
  }
}

function nameOf({ namespaces }: GivenDocument, path: string): string {
  return [...namespaces, path].join(':')
}

function schemasOf({ body, query, response }: OperationDescription): Schema[] {
  const bodies = [...byStatus(response, '200').values()].flatMap((one) =>
    one === null ? [] : isContent(one) ? Object.values(one.content).map(schemaIn) : [one as Schema],
  )
  return [body, query, ...bodies].filter((schema) => schema !== undefined && schema !== null) as Schema[]
}
