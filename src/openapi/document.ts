import { descriptionIn } from '../survey/described'
import type { Operation, Survey, Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import type { PathPart } from '../types'
import { METHODS, type OpenApiDocument } from './model'
import { dateOf, operationAt } from './operation'
import { DocumentPaths, plainName, unique } from './paths'
import { PROBLEM, refusal } from './refusals'
import { ownWordsOf, type Shared } from './responses'
import { DocumentSchemas } from './schemas'
import { serverOf } from './servers'

/** What documents are made with beside a survey. */
export interface DocumentSettings {
  readonly info: { readonly title: string; readonly description?: string | undefined }
  readonly problemDetails: boolean
}

/** The document of one version, as of the survey. Parts of it are shared with others: it is not to be changed. */
export function documentOf(
  surveyor: Surveyor,
  survey: Survey,
  version: SurveyedVersion,
  settings: DocumentSettings,
): OpenApiDocument {
  const { info, problemDetails } = settings
  const { options } = surveyor
  const schemas = new DocumentSchemas(options.changes?.definitionsIn(version.version))
  const problem = problemDetails ? schemas.shared('Problem', PROBLEM) : undefined
  const statuses = problem === undefined ? [] : options.scheme.refusalStatuses
  const refusals = new Map(statuses.map((status) => [status, refusal(status, problem)]))
  const shared: Shared = { options, version, schemas, problem, refusals, now: Date.now() }
  const server = serverOf(surveyor, version.version, isByHost(survey, version))
  const paths = new DocumentPaths()
  const ids = new Set<string>()
  for (const operation of survey.operations) addOperation(operation, server.prefix, paths, ids, shared)
  const components = schemas.finish()
  const description = [info.description, ...newsOf(version)].filter((text) => text !== undefined && text !== '')
  return {
    openapi: '3.1.1',
    info: {
      ...info,
      ...(description.length === 0 ? {} : { description: description.join('\n\n') }),
      version: version.version,
    } as OpenApiDocument['info'],
    servers: [{ url: server.url }],
    paths: paths.items,
    ...(Object.keys(components).length === 0 ? {} : { components: { schemas: components } }),
  }
}

/** Whether an operation can be asked for in a version by the host alone. */
function isByHost({ operations }: Survey, { version }: SurveyedVersion): boolean {
  return operations.some(({ served }) => served.get(version)?.addresses.some(({ carrier }) => carrier?.in === 'host'))
}

function addOperation(
  operation: Operation,
  prefix: string,
  paths: DocumentPaths,
  ids: Set<string>,
  shared: Shared,
): void {
  const method = METHODS.find((name) => name === operation.method.toLowerCase())
  const served = operation.served.get(shared.version.version)
  // OpenAPI 3.1 has no place for other methods.
  if (method === undefined || served === undefined) return
  const said = { ...descriptionIn(operation, shared.version.version), operation: ownWordsOf(operation, shared) }
  const ownId = said.operation?.operationId
  const name =
    typeof ownId === 'string'
      ? ownId
      : [method, ...operation.namespaces, operation.name].map((part) => plainName(part, '-')).join('-')
  const found = served.addresses.flatMap((address) => {
    const { item, parameters } = paths.at(belowServer(address.path, prefix))
    // Of two operations on one path the first, which is the one that requests reach.
    if (item[method] !== undefined) return []
    item[method] = PENDING
    return { address, item, parameters }
  })
  // The shortest, without optional parts, has the plain name.
  for (const { address, item, parameters } of found.toReversed()) {
    try {
      item[method] = operationAt(operation, said, address, parameters, unique(name, ids), shared)
    } catch (cause) {
      const what = `the description of "${operation.method} ${operation.viewName}"`
      throw new TypeError(`openapi(): ${what} cannot be told in OpenAPI: ${(cause as Error).message}.`, { cause })
    }
  }
}

/** Holds the place of an operation whose name is not known yet. */
const PENDING = { operationId: '', responses: {} }

/** A path from the host on, without what the server's url has of it; it begins with text. */
function belowServer(path: readonly PathPart[], prefix: string): readonly PathPart[] {
  return [(path[0] as string).slice(prefix.length), ...path.slice(1)]
}

/** What is told of a version: what changed in it, and when it ends. */
function newsOf({ changes, deprecated, sunset, successor, info }: SurveyedVersion): string[] {
  const list = changes.map(({ description }) => `- ${description}`)
  const plan = [
    deprecated === undefined ? undefined : `Deprecated: ${dateOf(deprecated)}.`,
    sunset === undefined ? undefined : `Sunset: ${dateOf(sunset)}.`,
    successor === undefined ? undefined : `Successor: ${successor}.`,
    info === undefined ? undefined : `More: <${info}>`,
  ].filter((text) => text !== undefined)
  return [
    ...(list.length === 0 ? [] : [`Changes in this version:\n\n${list.join('\n')}`]),
    ...(plan.length === 0 ? [] : [plan.join(' ')]),
  ]
}
