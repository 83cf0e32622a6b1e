// The parts of documents that a history does not change: where they differ, older documents show them as today's has them.
import { hasItems, isUrlencoded } from '../../openapi/given/operations'
import { differencesOf } from '../../openapi/meaning/documents'
import { resolved } from '../../openapi/meaning/schemas'
import { isObject, type JsonSchema } from '../../schemas/model'
import { mayBeJson } from '../../schemas/responses'
import { inlined } from './inlined'
import { namesOf } from './names'
import { matchedStatuses } from './operations'
import type { DocumentView, OperationView } from './view'

/** The ends of messages about a part. */
const ENDS = [' has changed', ' was removed', ' is new']

/** Lists the differences of two documents in the parts that the draft does not read. */
export function restDifferences(older: DocumentView, newer: DocumentView): string[] {
  const [before, after] = [new Map<string, JsonSchema>(), new Map<string, JsonSchema>()]
  for (const [place, operation] of older.operations) {
    const rival = newer.operations.get(place)
    if (rival === undefined) continue
    const key = `${rival.method} ${rival.path}`
    const { matched } = matchedStatuses(operation, rival)
    const isOneSided = (operation.body === null) !== (rival.body === null)
    const one = operationRest(operation, older, new Map(matched.map(([to, from]) => [from, to])), isOneSided)
    const other = operationRest(rival, newer, new Map(matched.map(([to]) => [to, to])), isOneSided)
    before.set(key, { ...one, 'x-styles': shared(one['x-styles'], other['x-styles']) })
    after.set(key, { ...other, 'x-styles': shared(other['x-styles'], one['x-styles']) })
  }
  const all = differencesOf(documentRest(older, before), documentRest(newer, after))
  const groups = new Map<string, string[]>()
  for (const one of all) {
    const what = one.slice(Math.max(...ENDS.map((end) => one.lastIndexOf(end))))
    groups.set(what, [...(groups.get(what) ?? []), one])
  }
  return [...groups].map(([what, lines]) => namesOf(lines.map((line) => line.slice(0, -what.length))) + what)
}

/** Returns the entries whose names another object has too. */
function shared(one: unknown, other: unknown): JsonSchema {
  return Object.fromEntries(Object.entries(objectOf(one)).filter(([name]) => Object.hasOwn(objectOf(other), name)))
}

/**
 * Returns a document without what the draft reads. The keys of its operations are those of the newer one. Webhooks have the shapes of
 * their version; the proof finds what else changed in them.
 */
function documentRest({ document }: DocumentView, operations: ReadonlyMap<string, JsonSchema>): JsonSchema {
  const { paths: _paths, webhooks: _webhooks, components, info, openapi, ...rest } = document
  const { version: _version, ...about } = objectOf(info)
  const { schemas, securitySchemes } = objectOf(components)
  const paths = new Map<string, Record<string, JsonSchema>>()
  for (const [key, operation] of operations) {
    const [method, path] = key.split(' ', 2) as [string, string]
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: operation })
  }
  return {
    ...rest,
    // Patches of the specification mean the same.
    openapi: String(openapi).split('.').slice(0, 2).join('.'),
    info: about,
    paths: Object.fromEntries(paths),
    components: { schemas, ...(securitySchemes === undefined ? {} : { securitySchemes }) },
  }
}

/**
 * Returns an operation without what the draft reads.
 *
 * @param statuses the newer statuses of responses that both documents have.
 * @param isOneSided `true` if only one document has a body.
 */
function operationRest(
  { method, path, responses: read }: OperationView,
  view: DocumentView,
  statuses: ReadonlyMap<string, string>,
  isOneSided: boolean,
): JsonSchema {
  const at = (value: unknown) => objectOf(resolved(value, view.document))
  const item = at(objectOf(view.document.paths)[path])
  const operation = objectOf(item[method.toLowerCase()] ?? objectOf(item.additionalOperations)[method])
  const { parameters, requestBody, responses, ...rest } = operation
  // An operation's own parameter replaces that of its path.
  const known = new Map(
    [...listOf(item.parameters), ...listOf(parameters)].map(at).map((one) => [`${one.in} ${one.name}`, one]),
  )
  const kept = [...known.values()].filter((one) => one.in !== 'query')
  const queries = [...known.values()].filter((one) => one.in === 'query')
  const byStatus = Object.entries(objectOf(responses)).flatMap(([key, response]) => {
    const status = key === 'default' ? key : key.toUpperCase()
    const newer = statuses.get(status)
    if (newer === undefined && read.has(status)) return []
    return [[newer ?? status, withoutJson(at(response), () => undefined)]]
  })
  const told = {
    ...rest,
    parameters: kept,
    // How query parameters are written. The draft reads which there are.
    'x-styles': Object.fromEntries(
      queries.map(({ name, style, explode, allowReserved }) => [name, { style, explode, allowReserved }]),
    ),
    ...(isOneSided ? {} : { requestBody: withoutJson(at(requestBody), () => ({})) }),
    responses: Object.fromEntries(byStatus),
  }
  return objectOf(inlined(told, view))
}

/** Returns a body or response without the schemas that the draft reads. */
function withoutJson({ content, ...rest }: JsonSchema, instead: () => unknown): JsonSchema {
  const types = Object.entries(objectOf(content))
  const hasJson = types.some(([type]) => mayBeJson(type))
  const isRead = (type: string, media: unknown) =>
    mayBeJson(type) || (!hasJson && isUrlencoded(type)) || hasItems(type, objectOf(media))
  const kept = types.map(([type, media]) => [type, isRead(type, media) ? instead() : media])
  return { ...rest, content: Object.fromEntries(kept.filter(([, media]) => media !== undefined)) }
}

function objectOf(value: unknown): JsonSchema {
  return isObject(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
