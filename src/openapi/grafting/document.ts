// The document of a version that is made of given ones: each is copied, and what the version has otherwise is replaced.

import { isContent } from '../../schemas/check'
import { DescribedNames, NO_DEFINITIONS } from '../../schemas/definitions'
import { isObject, type JsonSchema } from '../../schemas/model'
import { byStatus } from '../../schemas/responses'
import type { Operation, Survey, Surveyor } from '../../survey/survey'
import type { SurveyedVersion } from '../../survey/versions'
import type { GivenDocument, OperationDescription, PathPart, RouteFacts, Schema } from '../../types'
import { addOperation, checkCarried, type DocumentSettings, isByHost, planOf, sharedBy, stateOf } from '../document'
import { below } from '../given/references'
import type { OpenApiDocument } from '../model'
import { DocumentPaths, templateOf } from '../paths'
import { DocumentSchemas } from '../schemas'
import { Joined } from './joined'
import type { GivenOperation } from './model'
import { graftedOperation, pathParametersOf } from './operation'
import { GivenParts, located, METHODS } from './parts'
import { GivenInVersion } from './schemas'
import { serversIn } from './servers'

/** Makes the document of one version of given documents, and of the operations that their tables have beside them. */
export function graftedDocument(
  surveyor: Surveyor,
  survey: Survey,
  version: SurveyedVersion,
  settings: DocumentSettings,
  documents: readonly GivenDocument[],
): OpenApiDocument {
  const { options, routes } = surveyor
  checkCarried(survey, version, options.scheme)
  const table = new GivenTable(routes.facts(), survey.operations, version.version)
  const used = documents.filter((document) => table.hasAny(document))
  const joined = new Joined(used.length === 0 ? documents.slice(0, 1) : used)
  const { first } = joined
  const definitions = options.changes?.documents.definitionsIn(version.version) ?? NO_DEFINITIONS
  const names = new DescribedNames()
  const given = new GivenInVersion(joined.documents, joined.openapi, definitions, names)
  const schemas = new DocumentSchemas(definitions, names, given)
  table.tell(schemas)
  const shared = sharedBy(options, version, schemas, settings.problemDetails)
  const parts = new GivenParts(given)
  const paths = new DocumentPaths()
  const mount = surveyor.mountIn(version.version)
  const hasServers = Array.isArray(first.document.servers) && first.document.servers.length > 0
  // Without servers, only the paths can have the version.
  const start = surveyor.isVersioned && !hasServers ? mount : []

  for (const document of joined.documents) {
    const { template, parameters } = templateOf([...start, ...surveyor.prefixIn(version.version, document.prefix)])
    const prefix = template === '/' ? '' : template
    for (const [path, value] of Object.entries(isObject(document.document.paths) ? document.document.paths : {})) {
      if (path.startsWith('x-') || !isObject(value)) {
        paths.items[path] = value as object
        continue
      }
      const pointer = below('/paths', path)
      const target = located(value, pointer, document)
      const { $ref: _reference, ...beside } = value
      const item: Record<string, unknown> = { ...target.value, ...beside }
      const operations = table.operationsOf(document, path, target.value, target.pointer)
      const before = operations.length
      const there = operations.filter(({ one }) => one.operation === undefined || table.isThere(one.operation))
      if (before > 0 && there.length === 0) continue
      for (const { field } of operations) delete item[field]
      const known = there.flatMap(({ one }) => (one.operation === undefined ? [] : [one as GivenOperation]))
      const { moved, kept } = pathParametersOf(item, `${target.pointer}/parameters`, document, known, version.version)
      const use = { document, pointer: target.pointer, isReversed: false, isResponse: false, neutral: false }
      const own = [...(parts.all('parameter', kept, { ...use, pointer: moved.pointer }) as unknown[]), ...parameters]
      if (own.length > 0 || Array.isArray(item.parameters)) item.parameters = own
      if (own.length === 0 && kept.length < ((item.parameters as unknown[] | undefined) ?? []).length)
        delete item.parameters
      for (const { field, one } of there) {
        item[field] =
          one.operation === undefined
            ? parts.part('operation', one.value, one.use)
            : joined.own(document, graftedOperation(one as GivenOperation, moved, parts, shared))
      }
      paths.add(path === '/' && prefix !== '' ? prefix : prefix + path, joined.ownPath(document, item))
    }
  }
  const belowMount = (path: readonly PathPart[]) => (start.length > 0 ? path : without(mount, path))
  for (const operation of survey.operations) {
    if (!table.isGiven(operation)) addOperation(operation, belowMount, paths, joined.ids, shared)
  }
  const others = joined.rest(parts)
  const all = schemas.finish()
  const components = {
    ...(others.components as JsonSchema | undefined),
    ...(Object.keys(all).length === 0 ? {} : { schemas: all }),
  }
  const info = { title: 'API', ...(first.document.info as JsonSchema | undefined), ...settings.info }
  const texts = [info.description, ...planOf(version)].filter((text) => typeof text === 'string' && text !== '')
  return {
    ...others,
    ...stateOf(version),
    info: { ...info, ...(texts.length === 0 ? {} : { description: texts.join('\n\n') }), version: version.version },
    ...(hasServers
      ? { servers: serversIn(surveyor, first.document.servers, version.version, isByHost(survey, version)) }
      : {}),
    paths: paths.items,
    ...(Object.keys(components).length === 0 ? {} : { components }),
  } as OpenApiDocument
}

/** Returns a whole path below a mount. */
function without(mount: readonly PathPart[], path: readonly PathPart[]): readonly PathPart[] {
  const last = mount.at(-1)
  if (last === undefined || mount.join('') === '') return path
  const rest = path.slice(typeof last === 'string' ? mount.length - 1 : mount.length)
  if (typeof last !== 'string') return rest.length === 0 ? ['/'] : rest
  const [text, ...others] = rest as [string, ...PathPart[]]
  return [text.slice(last.length) || '/', ...others]
}

/** The operations of given documents, as the table has them. */
class GivenTable {
  readonly #operations = new Map<string, Operation>()
  readonly #routes = new Map<string, RouteFacts>()

  constructor(
    facts: readonly RouteFacts[],
    operations: readonly Operation[],
    private readonly version: string,
  ) {
    for (const operation of operations) {
      const key = `${operation.method} ${operation.viewName}`
      if (!this.#operations.has(key)) this.#operations.set(key, operation)
    }
    for (const route of facts) if (route.givenAs !== undefined) this.#routes.set(route.viewName, route)
  }

  /** Tells whether an operation is one of a document. */
  isGiven({ viewName, method }: Operation): boolean {
    return this.#routes.get(viewName)?.givenFor(method) !== undefined
  }

  /** Tells whether the version has an operation. Those that a change removed stay, because they are there for older versions. */
  isThere({ served, removed }: Operation): boolean {
    return served.has(this.version) || removed.has(this.version) || served.size + removed.size === 0
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
        const given = givenFor(method)
        for (const schema of given === undefined ? [] : schemasOf(given)) schemas.know(schema, `${method} ${viewName}`)
      }
    }
  }

  /** Lists the operations of a path, each with the field that has it. */
  operationsOf(document: GivenDocument, path: string, item: JsonSchema, pointer: string) {
    const viewName = nameOf(document, path)
    const route = this.#routes.get(viewName)
    return Object.entries(item).flatMap(([field, value]) => {
      if (!METHODS.has(field) || !isObject(value)) return []
      const method = field.toUpperCase()
      const given = route?.givenFor(method)
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
    one === null ? [] : isContent(one) ? Object.values(one.content) : [one],
  )
  return [body, query, ...bodies].filter((schema) => schema !== undefined && schema !== null) as Schema[]
}
