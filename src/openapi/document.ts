// The document of one version: its operations, and the facts about the version.

import { sentencesIn, whatChanged } from '../explorer/changed-operations'
import type { PathPart } from '../registry'
import { type BaseVersioning, rulesOf } from '../schemes/base'
import { isHost } from '../schemes/carriers'
import { descriptionIn } from '../survey/described'
import type { Operation, Survey, Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import { methodFieldsIn } from '../util/operation'
import { ended } from '../util/text'
import { dateOf, operationAt } from './document-operation'
import { ownWordsOf, PROBLEM, PROBLEM_WITH_ISSUES, rejection, type Shared } from './document-responses'
import { withItemWords } from './item-words'
import type { OpenApiDocument } from './openapi-types'
import { DocumentPaths, plainName, unique } from './paths'
import { serverOf } from './servers'
import { DocumentSchemas } from './user-schemas'
import { type Webhooks, webhooksIn } from './webhooks'

/** The property of the document of a version that is gone. */
export const GONE = 'x-gone'

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
  const { info, openapi } = settings
  const { options } = surveyor
  checkCarried(survey, version, options.scheme)
  const schemas = new DocumentSchemas(options.changes?.definitionsIn(version.version))
  const shared = sharedBy(options, version, schemas, settings, openapi)
  const server = serverOf(surveyor, version.version, isByHost(survey, version))
  const paths = new DocumentPaths()
  const ids = new Set<string>()
  const below = (path: readonly PathPart[]) => belowServer(path, server.prefix)
  for (const operation of survey.operations) addOperation(operation, below, paths, ids, shared)
  const webhooks = webhooksIn(settings.webhooks, { openapi }, schemas, ids)
  const components = schemas.finish()
  const description = [info.description, ...newsOf(surveyor, survey, version)].filter(
    (text) => text !== undefined && text !== '',
  )
  return {
    openapi,
    ...stateOf(version),
    info: {
      title: 'API',
      ...info,
      ...(description.length === 0 ? {} : { description: description.join('\n\n') }),
      version: version.version,
    } as OpenApiDocument['info'],
    servers: [{ url: server.url }],
    paths: withItemWords(paths.items),
    ...webhooks,
    ...(Object.keys(components).length === 0 ? {} : { components: { schemas: components } }),
  }
}

/** Returns the parts that the operations of a version's document share. */
export function sharedBy(
  options: Surveyor['options'],
  version: SurveyedVersion,
  schemas: DocumentSchemas,
  { problemDetails }: DocumentSettings,
  openapi: string,
): Shared {
  const problemSchema = options.changes?.contract ? PROBLEM_WITH_ISSUES : PROBLEM
  const problem = problemDetails ? schemas.shared('Problem', problemSchema) : undefined
  const statuses = problem === undefined ? [] : options.scheme.rejectionStatuses
  const rejections = new Map(statuses.map((status) => [status, rejection(status, problem)]))
  return { options, version, schemas, problem, rejections, now: Date.now(), openapi }
}

/** Says in a document that its version is a preview, or gone. */
export function stateOf({ isPreview, isGone }: SurveyedVersion): Pick<OpenApiDocument, 'x-preview' | 'x-gone'> {
  return { ...(isPreview ? { 'x-preview': true } : {}), ...(isGone ? { [GONE]: true } : {}) }
}

/**
 * Checks that a document can say how clients name its version.
 *
 * @throws {TypeError} for a scheme without `carry()`, whose operations no described request reaches in the version.
 */
export function checkCarried({ operations }: Survey, { version }: SurveyedVersion, scheme: BaseVersioning): void {
  if (rulesOf(scheme).overrides('carry') || version === scheme.defaultVersion) return
  const own = operations.filter(({ neutral }) => !neutral)
  if (own.length === 0 || own.some(({ served }) => served.has(version))) return
  const { name } = scheme.constructor
  throw new TypeError(
    `openapi(): nothing says how clients name ${JSON.stringify(version)}, because ${name} has no carry(). Write it, for example: carry(version) { return { in: 'header', name: 'X-Version', value: version } }.`,
  )
}

/** Tells whether hosts carry the version of an operation. */
export function isByHost({ operations }: Survey, { version }: SurveyedVersion): boolean {
  return operations.some(({ served }) =>
    served.get(version)?.addresses.some(({ carrier }) => carrier && isHost(carrier)),
  )
}

/**
 * Adds an operation of the table to the paths of a document.
 *
 * @param below returns a whole path as the document has it.
 */
export function addOperation(
  operation: Operation,
  below: (path: readonly PathPart[]) => readonly PathPart[],
  paths: DocumentPaths,
  ids: Set<string>,
  shared: Shared,
): void {
  const method = methodFieldsIn(shared.openapi).find((field) => field === operation.method.toLowerCase())
  const served = operation.served.get(shared.version.version)
  // OpenAPI has no field for other methods.
  if (method === undefined || served === undefined) return
  const said = { ...descriptionIn(operation, shared.version.version), operation: ownWordsOf(operation, shared) }
  const ownId = said.operation?.operationId
  const name =
    typeof ownId === 'string'
      ? ownId
      : [method, ...operation.namespaces, operation.name].map((part) => plainName(part, '-')).join('-')
  const found = served.addresses.flatMap((address) => {
    const { item, parameters } = paths.at(below(address.path))
    // Two operations may share a path. Requests reach the first.
    if (item[method] !== undefined) return []
    item[method] = PENDING
    return { address, item, parameters }
  })
  // The shortest path, without optional parts, gets the plain name.
  for (const { address, item, parameters } of found.toReversed()) {
    try {
      item[method] = operationAt(operation, said, address, parameters, unique(name, ids), shared)
    } catch (cause) {
      const what = `the description of "${operation.method} ${operation.viewName}"`
      throw new TypeError(`openapi(): ${what} cannot be written as OpenAPI: ${ended((cause as Error).message)}`, {
        cause,
      })
    }
  }
}

/** The placeholder of an operation whose name is not known yet. */
const PENDING = { operationId: '', responses: {} }

/** Returns a path without the part that the server's URL has. The path begins with text, and paths of documents with a slash. */
function belowServer(path: readonly PathPart[], prefix: string): readonly PathPart[] {
  return [(path[0] as string).slice(prefix.length) || '/', ...path.slice(1)]
}

/** Describes a version: its changes, and the dates of its end. */
export function newsOf(surveyor: Surveyor, survey: Survey, version: SurveyedVersion): string[] {
  const { changes = [] } = whatChanged(surveyor, survey).versions.find((one) => one.version === version.version) ?? {}
  const list = changes.flatMap((change) => [
    `- ${change.description}`,
    ...sentencesIn(change).map((sentence) => `  - ${sentence}`),
  ])
  const plan = planOf(version)
  return [...(list.length === 0 ? [] : [`Changes in this version:\n\n${list.join('\n')}`]), ...plan]
}

/** Describes the end of a version: no sentence, or one paragraph. */
export function planOf({ deprecated, sunset, successor, info }: SurveyedVersion): string[] {
  const plan = [
    deprecated === undefined ? undefined : `Deprecated: ${dateOf(deprecated)}.`,
    sunset === undefined ? undefined : `Sunset: ${dateOf(sunset)}.`,
    successor === undefined ? undefined : `Successor: ${successor}.`,
    info === undefined ? undefined : `More: <${info}>`,
  ].filter((text) => text !== undefined)
  return plan.length === 0 ? [] : [plan.join(' ')]
}
