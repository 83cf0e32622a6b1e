// The operations that today's document does not have any more: older clients still reach them.
import { propertyOf, resolved } from '../../openapi/meaning/schemas'
import { stepsOf } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'
import type { DocumentView, OperationView } from './view'

/** The parts of documents that the last one lacks, oldest first: operations as the last document that has them writes them. */
export function removedIn(views: readonly DocumentView[]): JsonSchema[] {
  const known = new Set<string>()
  const parts = views.toReversed().map((view) => {
    const gone = [...view.operations].filter(([key]) => !known.has(key)).map(([, operation]) => operation)
    for (const key of view.operations.keys()) known.add(key)
    return view === views.at(-1) || gone.length === 0 ? [] : partOf(view, gone)
  })
  return parts.reverse().flat()
}

/** Returns a document with some of its operations, and with what they refer to. */
function partOf({ document }: DocumentView, operations: readonly OperationView[]): JsonSchema {
  const components = new Map<string, Map<string, unknown>>()
  const copyOf = (value: unknown, around: readonly string[] = []): unknown => {
    if (Array.isArray(value)) return value.map((one) => copyOf(one, around))
    if (typeof value === 'string') addComponent(value)
    if (!isObject(value)) return value
    const { $ref } = value
    // Places outside of components are those of other operations.
    if (typeof $ref === 'string' && /^#\/(?!components\/)/.test($ref) && !around.includes($ref)) {
      return copyOf(stepsOf($ref).reduce<unknown>(propertyOf, document), [...around, $ref])
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner, around)]))
  }
  const addComponent = (reference: string) => {
    const [, kind = '', name = ''] = reference.startsWith('#/components/') ? stepsOf(reference) : []
    const target = propertyOf(propertyOf(document.components, kind), name)
    const known = components.get(kind) ?? new Map<string, unknown>()
    if (target === undefined || known.has(name)) return
    components.set(kind, known.set(name, {}))
    known.set(name, copyOf(target))
  }
  const paths = new Map<string, JsonSchema>()
  for (const { path, method } of operations) {
    const { parameters, additionalOperations, ...item } = resolved(
      propertyOf(document.paths, path),
      document,
    ) as JsonSchema
    const field = method.toLowerCase()
    const own =
      item[field] === undefined
        ? {
            additionalOperations: {
              ...objectIn(paths.get(path), 'additionalOperations'),
              [method]: propertyOf(additionalOperations, method),
            },
          }
        : { [field]: item[field] }
    paths.set(path, { ...paths.get(path), ...(parameters === undefined ? {} : { parameters }), ...own })
  }
  const copied = copyOf(Object.fromEntries(paths))
  const named = Object.fromEntries([...components].map(([kind, all]) => [kind, Object.fromEntries(all)]))
  const { openapi, info } = document
  return { openapi, info, paths: copied, ...(components.size === 0 ? {} : { components: named }) }
}

function objectIn(holder: unknown, name: string): JsonSchema {
  return Object(propertyOf(holder, name))
}

/** Puts removed operations into a document. */
export function withParts(document: JsonSchema, removed: readonly JsonSchema[]): JsonSchema {
  let whole = document
  for (const { paths, components } of removed) {
    const items = Object.entries(paths as JsonSchema).map(([path, item]) => [
      path,
      {
        ...objectIn(whole.paths, path),
        ...(item as JsonSchema),
        additionalOperations: {
          ...objectIn(objectIn(whole.paths, path), 'additionalOperations'),
          ...objectIn(item, 'additionalOperations'),
        },
      },
    ])
    const kinds = Object.entries(Object(components)).map(([kind, all]) => [
      kind,
      { ...(all as JsonSchema), ...objectIn(whole.components, kind) },
    ])
    whole = {
      ...whole,
      paths: { ...(whole.paths as JsonSchema), ...Object.fromEntries(items) },
      ...(kinds.length === 0
        ? {}
        : { components: { ...(whole.components as JsonSchema), ...Object.fromEntries(kinds) } }),
    }
  }
  return whole
}
