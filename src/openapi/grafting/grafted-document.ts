// The document of a version that is made of given ones: each is copied, and what the version has otherwise is replaced.

import type { RequestChanges } from '../../bound-changes'
import type { GivenDocument, PathPart } from '../../registry'
import { DescribedNames, NO_DEFINITIONS } from '../../schemas/definitions'
import { joinedPath } from '../../survey/operation-addresses'
import type { Survey, Surveyor } from '../../survey/survey'
import type { SurveyedVersion } from '../../survey/versions'
import {
  addOperation,
  checkCarried,
  type DocumentSettings,
  isByHost,
  newsOf,
  planOf,
  sharedBy,
  stateOf,
} from '../document'
import { withItemWords } from '../item-words'
import type { OpenApiDocument } from '../openapi-types'
import { DocumentPaths } from '../paths'
import { DocumentSchemas } from '../user-schemas'
import { webhooksIn } from '../webhooks'
import { patched } from './context'
import { GivenParts } from './document-parts'
import { GivenTable } from './facts'
import { GivenPaths } from './grafted-paths'
import { GivenInVersion } from './grafted-schemas'
import { serversIn } from './grafted-servers'
import { Joined } from './joined'

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
  if (surveyor.lacksMount) checkReached(survey, options.changes, table)
  const all = documents.map((document) => table.inVersion(document))
  const used = all.filter((document) => table.hasAny(document))
  const joined = new Joined(used.length === 0 ? all.slice(0, 1) : used)
  const { first } = joined
  const definitions = options.changes?.definitionsIn(version.version) ?? NO_DEFINITIONS
  const names = new DescribedNames()
  const inVersion = new GivenInVersion(joined.documents, joined.openapi, definitions, names)
  const schemas = new DocumentSchemas(definitions, names, inVersion)
  table.tell(schemas)
  const shared = sharedBy(options, version, schemas, settings, joined.openapi)
  const parts = new GivenParts(inVersion)
  const paths = new DocumentPaths()
  const mount = surveyor.mountIn(version.version)
  const hasServers = Array.isArray(first.document.servers) && first.document.servers.length > 0
  // Without servers, only the paths can have the version.
  const start = surveyor.isVersioned && !hasServers ? mount : []

  const given = new GivenPaths(table, joined, parts, shared)
  for (const document of joined.documents) {
    given.add(document, [...start, ...surveyor.prefixIn(version.version, document.prefix)], paths)
  }
  const belowMount = (path: readonly PathPart[]) => (start.length > 0 ? path : without(mount, path))
  for (const operation of survey.operations) {
    if (!table.isGiven(operation)) addOperation(operation, belowMount, paths, joined.ids, shared)
  }
  const rest = joined.rest(parts)
  const webhooks = webhooksIn(settings.webhooks, rest, schemas, joined.ids)
  const named = schemas.finish()
  const components = given.restore(
    paths,
    patched(rest.components, Object.keys(named).length === 0 ? {} : { schemas: named }),
  )
  const info = { ...Object(rest.info), ...settings.info }
  // The newest document stays as its authors wrote it.
  const news = version === survey.versions.at(-1) ? planOf(version) : newsOf(surveyor, survey, version)
  const texts = [info.description, ...news].filter((text) => typeof text === 'string' && text !== '')
  const description = texts.length === 0 ? undefined : texts.join('\n\n')
  const has = (field: string, made: object) => first.document[field] !== undefined || Object.keys(made).length > 0
  return patched(rest, {
    ...stateOf(version),
    info: patched(info, { title: info.title ?? 'API', description, version: version.version }),
    ...(hasServers && { servers: serversIn(surveyor, rest.servers, version.version, isByHost(survey, version)) }),
    paths: has('paths', paths.items) ? withItemWords(paths.items) : undefined,
    ...webhooks,
    components: has('components', components) ? components : undefined,
  }) as OpenApiDocument
}

/** @throws {TypeError} for a version in which no request reaches any operation of given documents. */
function checkReached({ versions, operations }: Survey, changes: RequestChanges | undefined, table: GivenTable): void {
  const given = operations.filter((operation) => !operation.neutral && table.isGiven(operation))
  for (const { version } of versions) {
    const there = given.filter(
      ({ method, viewName }) => changes?.operation(method, viewName, version).present !== false,
    )
    if (there.length === 0 || there.some(({ served }) => served.has(version))) continue
    throw new TypeError(
      `openapi(): nothing in the paths of the document names the version ${JSON.stringify(version)}, so no request reaches its operations. Tell where versioning() is mounted: openapi(options, { mount: '/:version' }).`,
    )
  }
}

/** Returns a whole path below a mount. */
function without(mount: readonly PathPart[], path: readonly PathPart[]): readonly PathPart[] {
  if (mount.join('') === '') return path
  const start = joinedPath(mount, [])
  const end = start.length - 1
  const last = start[end]
  const rest = path.slice(end + 1)
  if (typeof last === 'string') rest.unshift((path[end] as string).slice(last.length))
  return rest.join('') === '' ? ['/'] : rest
}
