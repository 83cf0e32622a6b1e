// The document of a version that is made of given ones: each is copied, and what the version has otherwise is replaced.

import { DescribedNames, NO_DEFINITIONS } from '../../schemas/definitions'
import type { JsonSchema } from '../../schemas/model'
import { joinedPath } from '../../survey/addresses'
import type { Survey, Surveyor } from '../../survey/survey'
import type { SurveyedVersion } from '../../survey/versions'
import type { GivenDocument, PathPart } from '../../types'
import { addOperation, checkCarried, type DocumentSettings, isByHost, planOf, sharedBy, stateOf } from '../document'
import { withItemWords } from '../item-words'
import type { OpenApiDocument } from '../model'
import { DocumentPaths } from '../paths'
import { DocumentSchemas } from '../schemas'
import { webhooksIn } from '../webhooks'
import { Joined } from './joined'
import { GivenParts } from './parts'
import { GivenPaths } from './paths'
import { GivenInVersion } from './schemas'
import { serversIn } from './servers'
import { GivenTable } from './table'

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
  const table = new GivenTable(routes.facts(), survey.operations, version.version, version === survey.versions.at(-1))
  const used = documents.filter((document) => table.hasAny(document))
  const joined = new Joined(used.length === 0 ? documents.slice(0, 1) : used)
  const { first } = joined
  const definitions = options.changes?.documents.definitionsIn(version.version) ?? NO_DEFINITIONS
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
  const { components: rest, ...others } = joined.rest(parts)
  const webhooks = webhooksIn(settings.webhooks, others, schemas, joined.ids)
  const all = schemas.finish()
  const components = {
    ...rest,
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
    paths: withItemWords(paths.items),
    ...webhooks,
    ...(Object.keys(components).length === 0 ? {} : { components }),
  } as OpenApiDocument
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
