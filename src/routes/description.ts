// Describes the operations of a table, for documents.

import type { PathPart, RouteFacts } from '../registry'
import { badResponse, isJsonObject, isResponse, isResponses, isSchema, SCHEMA_TAKES } from '../schemas/check'
import { joinedResponses } from '../schemas/responses'
import type { CommonDescription, OperationDescription, Responses, VersionDescription } from '../types'
import { ALL, parseOperation } from '../util/operation'
import { badOption, checkKeys, shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { alternativesOf } from './pattern'
import { fullPath, type MountedRoute, methodsOf, patternsOf, type Table } from './table'

const OWNER = 'describe()'

const TEXT = 'a string'

/** The parts of a description, each with the values that it takes and a test for them. */
const PARTS = {
  summary: [TEXT, isText],
  description: [TEXT, isText],
  tags: ['a list of strings', (value: unknown) => Array.isArray(value) && value.every(isText)],
  deprecated: ['true or false', (value: unknown) => typeof value === 'boolean'],
  query: [SCHEMA_TAKES, isSchema],
  body: [`${SCHEMA_TAKES}, or null`, (value: unknown) => value === null || isSchema(value)],
  response: [
    `${SCHEMA_TAKES}, { content } with such (of streams { itemSchema }) by media type, such by status, such as { 200: User, 204: null }, or null`,
    isResponse,
  ],
  operation: ["what OpenAPI's Operation Object has, as JSON", isJsonObject],
} satisfies Record<keyof VersionDescription, [string, (value: unknown) => boolean]>

/**
 * Adds the description of an operation to a table, or that of all operations.
 *
 * @throws {TypeError} for an invalid operation, an unknown name, or an invalid description.
 */
export function addDescription(
  table: Table,
  operation: string,
  description: OperationDescription | CommonDescription,
): void {
  if (operation === ALL) addCommon(table, description as CommonDescription)
  else addOperation(table, operation, description as OperationDescription)
  table.version++
}

function addOperation(table: Table, operation: string, description: OperationDescription): void {
  const { method, viewName } = parseOperation(OWNER, operation)
  if (!table.places.has(viewName)) {
    throw new TypeError(
      `${OWNER}: this table has no name ${shown(viewName)}.${didYouMean(near(viewName, table.places.keys()))}`,
    )
  }
  const owner = `${OWNER}: "${operation}"`
  checkKeys(owner, description, [...Object.keys(PARTS), 'versions'])
  checkParts(owner, description)
  const { versions } = description
  if (versions !== undefined) {
    if (typeof versions !== 'object' || versions === null || Array.isArray(versions)) {
      throw badOption(owner, 'versions', 'an object of descriptions by version', versions)
    }
    for (const [version, own] of Object.entries(versions)) {
      if (own === undefined) continue
      const where = `${owner}: "versions.${version}"`
      checkKeys(where, own, Object.keys(PARTS))
      checkParts(where, own)
    }
  }
  table.descriptions.set(`${method} ${viewName}`, description)
  table.places.get(viewName)?.route.elsewhere?.add(method)
}

function addCommon(table: Table, description: CommonDescription): void {
  const owner = `${OWNER}: "${ALL}"`
  checkKeys(owner, description, ['response'])
  const { response } = description
  if (!isResponses(response)) {
    throw badResponse(owner, 'response', 'bodies of responses by status, such as { "4XX": Problem }', response)
  }
  table.common = response
}

function checkParts(owner: string, description: VersionDescription): void {
  for (const [part, [takes, fits]] of Object.entries(PARTS)) {
    const value = description[part as keyof VersionDescription]
    if (value === undefined || fits(value)) continue
    throw part === 'response' ? badResponse(owner, part, takes, value) : badOption(owner, part, takes, value)
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** Returns the facts of all names seen from a table, in the order of their declaration. */
export function factsOf(table: Table): readonly RouteFacts[] {
  return [...table.places.values()].map((place) => ({
    viewName: place.name,
    pattern: fullPath(place),
    methods: methodsOf(place.route),
    paths: pathsOf(place),
    describedAs: (method) => descriptionIn(table, place, method),
    common: commonOf(table, place),
    givenFor: (method) => place.route.given?.operations.get(method),
    isBodiless: (method) => place.route.given?.bodiless.has(method) === true,
    isStreaming: (method) => place.route.given?.streaming.has(method) === true,
    othersFor: (method) => place.route.given?.others.get(method),
    ...(place.route.given === undefined ? {} : { givenAs: place.route.name }),
  }))
}

/** Returns the paths of a place, one for each choice of its optional parts. */
export function pathsOf(place: MountedRoute): PathPart[][] {
  return alternativesOf(patternsOf(place).flatMap(({ tokens }) => tokens)).map((alternative) => {
    const parts: PathPart[] = []
    for (const token of alternative) {
      if (token.type !== 'text') parts.push({ name: token.name, wildcard: token.type === 'wildcard' })
      else if (typeof parts.at(-1) === 'string') parts.push(`${parts.pop()}${token.value}`)
      else parts.push(token.value)
    }
    return parts.length === 0 ? [place.route.pattern.source === '' ? '' : '/'] : parts
  })
}

/** Returns the description of an operation of a place. A description replaces single parts of an OpenAPI document. */
function descriptionIn(table: Table, place: MountedRoute, method: string): OperationDescription | undefined {
  const given = place.route.given?.operations.get(method)
  const own = ownDescriptionIn(table, place, method)
  if (given === undefined || own === undefined) return own ?? given
  const parts = Object.entries(own).filter(([, value]) => value !== undefined)
  return { ...given, ...Object.fromEntries(parts) }
}

/** Returns the description of an operation that somebody added. The outermost one wins. */
function ownDescriptionIn(
  table: Table,
  { name, mounts }: MountedRoute,
  method: string,
): OperationDescription | undefined {
  let viewName = name
  let current: Table | undefined = table
  for (let depth = 0; current !== undefined; depth++) {
    const found = current.descriptions.get(`${method} ${viewName}`)
    if (found !== undefined) return found
    const mount: MountedRoute['mounts'][number] | undefined = mounts[depth]
    if (mount?.namespace !== undefined) viewName = viewName.slice(mount.namespace.length + 1)
    current = mount?.table
  }
  return undefined
}

/** Returns the responses that the operations of a place share with others. */
function commonOf(table: Table, { mounts }: MountedRoute): Responses {
  return joinedResponses([table, ...mounts.map((mount) => mount.table as Table)].map(({ common }) => common))
}

/** Returns a number that grows with each name, handler and description seen from a table. */
export function revisionOf(table: Table): number {
  let revision = table.version
  for (const { route } of table.routes.values()) revision += route?.stack.length ?? 0
  for (const mount of table.mounts) if (mount.table !== undefined) revision += revisionOf(mount.table)
  return revision
}
