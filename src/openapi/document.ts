// The document of one version: the given ones, or an empty one, are copied, and what the version has otherwise is replaced.

import type { RequestChanges } from '../bound-changes'
import { sentencesIn, whatChanged } from '../explorer/changed-operations'
import type { PathPart } from '../registry'
import { withoutTrailingSlashes } from '../routes/pattern'
import { DescribedNames, NO_DEFINITIONS } from '../schemas/definitions'
import { isObject } from '../schemas/model'
import { type BaseVersioning, rulesOf } from '../schemes/base'
import { isHost } from '../schemes/carriers'
import { joinedPath } from '../survey/operation-addresses'
import type { Survey, Surveyor } from '../survey/survey'
import { type SurveyedVersion, versionPlace } from '../survey/versions'
import { PartsInVersion, patched } from './document-parts'
import { DocumentPaths } from './document-paths'
import { emptyDocument, GivenTable, Joined } from './given-documents'
import { withItemWords } from './item-words'
import type { OpenApiDocument } from './openapi-types'
import { PathsInVersion } from './paths-in-version'
import { SchemasInVersion } from './schemas-in-version'
import { DocumentSchemas } from './user-schemas'
import { PROBLEM, PROBLEM_WITH_ISSUES, planOf, type Shared, stateOf } from './version-facts'
import { type Webhooks, webhooksIn } from './webhooks'

/** The versions of OpenAPI that documents may have. */
export const OPENAPI_VERSIONS = ['3.1.1', '3.2.0'] as const

/** A version of OpenAPI. */
export type OpenApiVersion = (typeof OPENAPI_VERSIONS)[number]

/** The settings of documents, beside the survey. */
export interface DocumentSettings {
  readonly info: { readonly title?: string | undefined; readonly description?: string | undefined }
  readonly problemDetails: boolean
  /** The version of OpenAPI. Given documents stay in their own. */
  readonly openapi: OpenApiVersion
  readonly webhooks: Webhooks
}

/** Makes the document of one version from a survey. Documents share parts, so callers must not change it. */
export function documentOf(
  surveyor: Surveyor,
  survey: Survey,
  version: SurveyedVersion,
  settings: DocumentSettings,
): OpenApiDocument {
  const { options, routes } = surveyor
  checkCarried(survey, version, options.scheme)
  const table = new GivenTable(routes.facts(), survey.operations, version.version)
  if (surveyor.lacksMount) checkReached(survey, options.changes, table)
  const byHost = isByHost(survey, version)
  const server = serverOf(surveyor, version.version, byHost)
  const { documents = [] } = routes.elsewhere() ?? {}
  const isGiven = documents.length > 0
  const all = (isGiven ? documents : [emptyDocument(settings.openapi, server.url)]).map((one) => table.inVersion(one))
  const used = all.filter((document) => table.hasAny(document))
  const joined = new Joined(used.length === 0 ? all.slice(0, 1) : used)
  const { first } = joined
  const definitions = options.changes?.definitionsIn(version.version) ?? NO_DEFINITIONS
  const names = new DescribedNames()
  const inVersion = new SchemasInVersion(joined.documents, joined.openapi, definitions, names)
  const schemas = new DocumentSchemas(definitions, names, inVersion)
  table.tell(schemas)
  const shared = sharedBy(options, version, schemas, settings, joined.openapi)
  const parts = new PartsInVersion(inVersion)
  const paths = new DocumentPaths()
  const mount = surveyor.mountIn(version.version)
  const hasServers = Array.isArray(first.document.servers) && first.document.servers.length > 0
  // Without servers, only the paths can have the version.
  const start = surveyor.isVersioned && !hasServers ? mount : []

  const given = new PathsInVersion(table, joined, parts, shared)
  for (const document of joined.documents) {
    given.add(document, [...start, ...surveyor.prefixIn(version.version, document.prefix)], paths)
  }
  const ofServer = isGiven ? mount : [server.prefix]
  const belowServer = (path: readonly PathPart[]) => (start.length > 0 ? path : without(ofServer, path))
  for (const operation of survey.operations) {
    if (!table.isGiven(operation)) given.addOfTable(operation, first, belowServer, paths)
  }
  const rest = joined.rest(parts)
  const webhooks = webhooksIn(settings.webhooks, rest, schemas, shared.ids)
  const named = schemas.finish()
  const components = given.restore(
    paths,
    patched(rest.components, Object.keys(named).length === 0 ? {} : { schemas: named }),
  )
  const info = { ...Object(rest.info), ...settings.info }
  // The newest document stays as its authors wrote it.
  const isKept = isGiven && version === survey.versions.at(-1)
  const news = isKept ? planOf(version) : newsOf(surveyor, survey, version)
  const texts = [info.description, ...news].filter((text) => typeof text === 'string' && text !== '')
  const description = texts.length === 0 ? info.description : texts.join('\n\n')
  const has = (field: string, made: object) => first.document[field] !== undefined || Object.keys(made).length > 0
  return patched(rest, {
    ...stateOf(version),
    info: patched(info, { title: info.title ?? 'API', description, version: version.version }),
    ...(isGiven && hasServers && { servers: serversIn(surveyor, rest.servers, version.version, byHost) }),
    paths: has('paths', paths.items) ? withItemWords(paths.items) : undefined,
    ...webhooks,
    components: has('components', components) ? components : undefined,
  }) as OpenApiDocument
}

/** Returns the parts that the operations of a version's document share. */
function sharedBy(
  options: Surveyor['options'],
  version: SurveyedVersion,
  schemas: DocumentSchemas,
  { problemDetails }: DocumentSettings,
  openapi: string,
): Shared {
  const problemSchema = options.changes?.contract ? PROBLEM_WITH_ISSUES : PROBLEM
  const problem = problemDetails ? schemas.shared('Problem', problemSchema) : undefined
  return { options, version, schemas, problem, now: Date.now(), ids: new Set(), openapi }
}

/**
 * Checks that a document can say how clients name its version.
 *
 * @throws {TypeError} for a scheme without `carry()`, whose operations no described request reaches in the version.
 */
function checkCarried({ operations }: Survey, { version }: SurveyedVersion, scheme: BaseVersioning): void {
  if (rulesOf(scheme).overrides('carry') || version === scheme.defaultVersion) return
  const own = operations.filter(({ neutral }) => !neutral)
  if (own.length === 0 || own.some(({ served }) => served.has(version))) return
  const { name } = scheme.constructor
  throw new TypeError(
    `openapi(): nothing says how clients name ${JSON.stringify(version)}, because ${name} has no carry(). Write it, for example: carry(version) { return { in: 'header', name: 'X-Version', value: version } }.`,
  )
}

/** Tells whether hosts carry the version of an operation. */
function isByHost({ operations }: Survey, { version }: SurveyedVersion): boolean {
  return operations.some(({ served }) =>
    served.get(version)?.addresses.some(({ carrier }) => carrier && isHost(carrier)),
  )
}

/** Describes a version: its changes, and the dates of its end. */
function newsOf(surveyor: Surveyor, survey: Survey, version: SurveyedVersion): string[] {
  const { changes = [] } = whatChanged(surveyor, survey).versions.find((one) => one.version === version.version) ?? {}
  const list = changes.flatMap((change) => [
    `- ${change.description}`,
    ...sentencesIn(change).map((sentence) => `  - ${sentence}`),
  ])
  const plan = planOf(version)
  return [...(list.length === 0 ? [] : [`Changes in this version:\n\n${list.join('\n')}`]), ...plan]
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

/** The server of a version. `url` and a path of the document make the full URL. */
interface Server {
  readonly url: string
  /** The start of paths that the URL already has. */
  readonly prefix: string
}

/**
 * Returns the server of a version's document: the origin, the path that a proxy removes, and the mount up to its first
 * parameter.
 *
 * @param byHost `true` if only the host carries the version.
 */
function serverOf(surveyor: Surveyor, version: string, byHost: boolean): Server {
  const { origin, publicPath = '', scheme } = surveyor.options
  const prefix = fixedStart(surveyor.mountIn(version))
  const carrier = scheme.carriers(version).find(isHost)
  const hosted = origin === undefined || carrier === undefined ? origin : hostedOrigin(origin, version, byHost)
  return { url: `${hosted ?? ''}${publicPath}${prefix}` || '/', prefix }
}

/** Returns the segments before the first parameter. */
function fixedStart(mount: readonly PathPart[]): string {
  const at = mount.findIndex((part) => typeof part !== 'string')
  const text = (at === -1 ? mount : mount.slice(0, at)).join('')
  return at === -1 ? text : text.slice(0, text.lastIndexOf('/'))
}

/** Returns an origin with the version in its host; `undefined` if the host has no place for it. */
function hostedOrigin(origin: string, version: string, byHost: boolean): string | undefined {
  // URLs have their host in lower case; versions may be in any case.
  const place = /^[a-z0-9]+$/.test(version) ? versionPlace(origin) : undefined
  if (place?.isTaken) return place.filled(version)
  return byHost ? place?.filled(version) : origin
}

const URL_PARTS = /^((?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?)([^?#]*)(.*)$/is

/** Returns the servers with the version in their paths or hosts. */
function serversIn(surveyor: Surveyor, servers: unknown, version: string, byHost: boolean): unknown {
  const { scheme } = surveyor.options
  const isHosted = scheme.carriers(version).some(isHost)
  if (!Array.isArray(servers) || !(surveyor.isVersioned || isHosted)) return servers
  const versions = scheme.acceptedVersions.filter((one) => one !== null)
  const written = (one: string) => textOf(surveyor.mountIn(one))
  const template = textOf(surveyor.mount)
  const starts = [template, ...versions.map(written)].toSorted((a, b) => b.length - a.length)
  const inPath = (path: string) => {
    const plain = withoutTrailingSlashes(path)
    const start = starts.find((one) => plain.endsWith(one)) ?? ''
    return plain.slice(0, plain.length - start.length) + written(version)
  }
  return servers.map((server) => {
    if (!isObject(server) || typeof server.url !== 'string') return server
    const [, origin, path, rest] = URL_PARTS.exec(server.url) as unknown as [string, string, string, string]
    const hosted = isHosted && origin !== '' ? hostedOrigin(origin, version, byHost) : undefined
    return { ...server, url: `${hosted ?? origin}${surveyor.isVersioned ? inPath(path) : path}${rest}` }
  })
}

/** Writes a mount as servers have it. */
function textOf(mount: Surveyor['mount']): string {
  return mount.map((part) => (typeof part === 'string' ? part : `{${part.name}}`)).join('')
}
