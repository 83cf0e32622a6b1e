// The operations that today's document does not have, to put them into it again: older clients still reach them.
import { isObject, type JsonSchema } from '../../schemas/model'
import { inlined, namesIn } from './inlined'
import { quoted, Spread, textOf } from './literal'
import type { DocumentView } from './view'

/** The operations and named schemas that today's document lacks. */
export interface RemovedParts {
  /** The operations by path and field of the path item. */
  readonly paths: ReadonlyMap<string, ReadonlyMap<string, JsonSchema>>
  readonly schemas: ReadonlyMap<string, JsonSchema>
}

/** Collects the operations that the last of some documents lacks, each as the last document that has it writes it. */
export function removedParts(views: readonly DocumentView[]): RemovedParts {
  const newest = views.at(-1) as DocumentView
  const paths = new Map<string, Map<string, JsonSchema>>()
  const schemas = new Map<string, JsonSchema>()
  const known = schemasOf(newest)
  const done = new Set(newest.operations.keys())
  for (const view of [...views].reverse()) {
    for (const [key, { method, path }] of view.operations) {
      if (done.has(key)) continue
      done.add(key)
      const item = objectIn(view.document, 'paths')[path]
      const operation = wholeOperation(item, method.toLowerCase(), view)
      paths.set(path, (paths.get(path) ?? new Map()).set(method.toLowerCase(), operation))
      for (const name of namesIn(operation)) {
        // The set also visits the names that it adds.
        const wanted = new Set([name])
        for (const one of wanted) {
          if (known.has(one) || schemas.has(one)) continue
          const last = views.findLast((other) => schemasOf(other).has(one)) as DocumentView
          const schema = schemasOf(last).get(one) as JsonSchema
          schemas.set(one, schema)
          for (const inner of namesIn(schema)) wanted.add(inner)
        }
      }
    }
  }
  return { paths, schemas }
}

/** Puts the operations into a document. */
export function withParts(document: JsonSchema, { paths, schemas }: RemovedParts): JsonSchema {
  if (paths.size === 0) return document
  const items = Object.fromEntries(
    [...paths].map(([path, item]) => [
      path,
      { ...(objectIn(document, 'paths')[path] as object), ...Object.fromEntries(item) },
    ]),
  )
  const components = objectIn(document, 'components')
  return {
    ...document,
    paths: { ...objectIn(document, 'paths'), ...items },
    ...(schemas.size === 0
      ? {}
      : {
          components: { ...components, schemas: { ...(components.schemas as object), ...Object.fromEntries(schemas) } },
        }),
  }
}

/** Writes the function that puts the operations into a document. */
export function partsText({ paths, schemas }: RemovedParts): string {
  const items = [...paths].map(([path, item]) => {
    return [path, new Spread(`document.paths?.[${quoted(path)}]`, Object.fromEntries(item))]
  })
  const components = new Spread('document.components', {
    schemas: new Spread('document.components?.schemas', Object.fromEntries(schemas)),
  })
  const whole = new Spread('document', {
    paths: new Spread('document.paths', Object.fromEntries(items)),
    ...(schemas.size === 0 ? {} : { components }),
  })
  return `/** Today's document with the operations that it no longer has. Clients of older versions still use them. */
export const withRemoved = (document) => (${textOf(whole)})
`
}

/** Returns an operation with all that it refers to but schemas, and with the parameters of its path. */
function wholeOperation(item: unknown, field: string, view: DocumentView): JsonSchema {
  const whole = inlined(item, view) as JsonSchema
  const { parameters, additionalOperations } = whole
  const operation = (whole[field] ?? (additionalOperations as JsonSchema)[field.toUpperCase()]) as JsonSchema
  const own = Array.isArray(operation.parameters) ? operation.parameters : []
  const isOwn = (one: JsonSchema) => own.some((other) => other.name === one.name && other.in === one.in)
  const shared = Array.isArray(parameters) ? parameters.filter((one) => !isOwn(one)) : []
  const all = [...shared, ...own]
  return all.length === 0 ? operation : { ...operation, parameters: all }
}

function objectIn(document: JsonSchema, name: string): JsonSchema {
  const value = document[name]
  return isObject(value) ? value : {}
}

function schemasOf({ document }: DocumentView): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(objectIn(objectIn(document, 'components'), 'schemas')))
}
