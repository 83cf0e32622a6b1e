// `routesOf()`: a table of named routes made from an OpenAPI document, whose handlers are elsewhere.

import { addOperation, addRoute } from '../../routes/declare'
import { type NamedRoutes, tableWith } from '../../routes/named-routes'
import type { MatchSettings } from '../../routes/pattern'
import type { GivenRoute } from '../../routes/table'
import { checkedSettings, type NamedRoutesOptions } from '../../routes/table-settings'
import { isObject } from '../../schemas/model'
import { warnOfPatterns } from '../../schemas/patterns'
import { below } from '../../schemas/pointers'
import type { OperationDescription } from '../../types'
import { badOption, checkKeys, kindOf, shown } from '../../util/options'
import { descriptionOf, othersOf } from './described-operations'
import { type Addressed, copyOf, type JsonObject, References } from './document-copy'
import { type GivenOperation, operationsOf, succeedsByStreams } from './document-operations'
import { PlacesInDocument } from './document-places'
import { Schemas } from './document-schemas'
import { Findings, OWNER } from './findings'
import { type TemplatedDocument, WithRemoved } from './removed-operations'
import { shapeOf, type Template, templateOf } from './templates'
import { Undocumented } from './undocumented'

/** Options of {@link routesOf}. All are off by default. */
export interface RoutesOfOptions extends Omit<NamedRoutesOptions, 'handlers'> {
  /**
   * Older documents, oldest first. Operations that today's document does not have any more are taken from them, for the changes that
   * say `'removed'`, with the components that today's document lacks.
   */
  removed?: readonly object[] | undefined
}

/**
 * Makes a table of named routes from an OpenAPI document, for handlers that are elsewhere: in plain routers, in another framework,
 * or in a service behind a proxy. The names are the paths of the document. The table need not be mounted.
 *
 * @param document today's OpenAPI document of version 3.0, 3.1 or 3.2, as a parsed object. It is read once, and never changed.
 * @throws {TypeError} listing all that does not fit, with the JSON pointers of the places: references that lead nowhere or to other
 *   files, paths that no router tells apart, places that do not exist. Also for cyclic objects, and for what is no such document.
 * @example
 * const options = { scheme: HeaderVersioning, defaultVersion: '2024-01-01', changes: history, routes: routesOf(document) }
 * app.use(versioning(options), express.json(), convertRequest)
 */
export function routesOf<const Document extends object, const Older extends object = never>(
  document: Document,
  options?: RoutesOfOptions & { removed?: readonly Older[] | undefined },
): NamedRoutes<DocumentRoutes<Document, Older>>
export function routesOf(document: object, options: RoutesOfOptions = {}): object {
  return routesIn(document, options, false)
}

/**
 * Makes a table as {@link routesOf} does.
 *
 * @param isOfNest `true` for Nest: bodies of the type `multipart/form-data` are read as other forms, and nobody can describe operations
 *   beside the document.
 */
export function routesIn(document: object, options: RoutesOfOptions, isOfNest: boolean): NamedRoutes {
  checkKeys(OWNER, options, ['caseSensitive', 'strict', 'undocumented', 'places', 'removed'])
  const { removed = [], ...rest } = options
  const settings = checkedSettings(OWNER, { ...rest, handlers: 'elsewhere' })
  const findings = new Findings()
  const addressed: Addressed[] = []
  const today = read(document, addressed, findings)
  const older = olderDocuments(removed, String(today.document.openapi), findings)
  const whole = older.length === 0 ? undefined : new WithRemoved(today, older, settings, findings)
  const copy = whole?.document ?? today.document
  const references = new References(copy, addressed, findings)
  const templates = whole === undefined ? today.templates : templatesIn(copy, findings)
  const operations = new Map(
    templates.map(({ source }) => {
      const item = references.object((copy.paths as JsonObject)[source], below('/paths', source))
      return [source, item === undefined ? [] : operationsOf(item, references, findings, isOfNest)]
    }),
  )
  checkClashes(templates, operations, settings, findings)
  const places = new PlacesInDocument(references, operations)
  const told = places.meanings(settings.places, findings)
  const undocumented = new Undocumented()
  const schemas = new Schemas(references, told, findings, (pointer) => places.keyOf(pointer))
  const described = new Map(
    [...operations].map(([source, methods]) => [
      source,
      new Map(methods.map((one) => [one.method, descriptionOf(one, source, references, schemas, undocumented)])),
    ]),
  )
  const others = new Map(
    [...operations].map(([source, methods]) => [
      source,
      new Map(methods.map((one) => [one.method, othersOf(one, schemas)])),
    ]),
  )
  for (const place of schemas.open()) undocumented.addOpen(place)
  schemas.checkCycles()
  findings.check()
  warnOfPatterns(document, schemas.oddPatterns)
  const schemasAt = (asked: string) =>
    [...told].flatMap(([pointer, { place }]): object[] =>
      place === asked ? [schemas.responded(pointer) ?? []].flat() : [],
    )
  const removable = new Map<string, () => void>()
  const kept = {
    ...settings,
    document: {
      document: copy,
      isOfNest,
      today: today.document,
      removable,
      open: undocumented.parts,
      schemasAt,
      schemas: schemas.given(),
      templateOf,
    },
  }
  return tableWith(kept, (table) => {
    const ranks = new Map(
      templates
        .toSorted((one, other) => (one.sortKey < other.sortKey ? -1 : 1))
        .map((template, index) => [template, index]),
    )
    for (const template of templates) {
      const { source, pattern, sortKey } = template
      const all = described.get(source) as ReadonlyMap<string, OperationDescription>
      const ofToday = [...all].filter(([method]) => whole?.taken.has(`${method} ${source}`) !== true)
      const given = {
        rank: ranks.get(template) as number,
        sortKey,
        operations: new Map(ofToday),
        bodiless: new Set(operations.get(source)?.flatMap(({ method, body }) => (body === undefined ? method : []))),
        streaming: new Set(operations.get(source)?.flatMap((one) => (succeedsByStreams(one) ? one.method : []))),
        others: others.get(source) as GivenRoute['others'],
      }
      const isToday = all.size === 0 || ofToday.length > 0
      if (isToday) addRoute(table, source, pattern, given)
      for (const [method, one] of all) {
        if (given.operations.has(method)) continue
        removable.set(`${method} ${source}`, () => {
          given.operations.set(method, one)
          addOperation(table, source, pattern, given, method)
        })
      }
    }
  })
}

/** Copies a document. */
function read(document: unknown, addressed: Addressed[], findings: Findings, of = ''): TemplatedDocument {
  checkVersion(document, of)
  const copy = copyOf(document as JsonObject, addressed)
  return { document: copy, templates: templatesIn(copy, findings) }
}

/** @throws {TypeError} for anything but a list of documents of the same version of OpenAPI. */
function olderDocuments(removed: unknown, openapi: string, findings: Findings): TemplatedDocument[] {
  if (!Array.isArray(removed)) throw badOption(OWNER, 'removed', 'a list of older documents', removed)
  return removed.map((document: unknown) => {
    const older = read(document, [], findings, ': option "removed"')
    const own = String(older.document.openapi)
    if (own.slice(0, 3) === openapi.slice(0, 3)) return older
    throw new TypeError(
      `${OWNER}: option "removed" has a document of OpenAPI ${own}, and today's is of ${openapi}. Convert one of them.`,
    )
  })
}

/** @throws {TypeError} for anything but an OpenAPI document of a version that this package reads. */
function checkVersion(document: unknown, of: string): void {
  const takes = `${OWNER}${of} takes an OpenAPI document of version 3.0, 3.1 or 3.2, as a parsed object`
  if (typeof document === 'string') {
    throw new TypeError(`${takes}; got a string. Parse it first, by JSON.parse() or a YAML parser.`)
  }
  if (!isObject(document)) throw new TypeError(`${takes}; got ${shown(document)}.`)
  const { openapi, swagger } = document
  if (typeof openapi === 'string' && /^3\.[012](?:\.|$)/.test(openapi)) return
  if (swagger !== undefined) {
    throw new TypeError(`${takes}; got Swagger ${String(swagger)}. Convert it first, for example by "swagger2openapi".`)
  }
  throw new TypeError(`${takes}; got an object whose "openapi" is ${shown(openapi)}.`)
}

function templatesIn({ paths = {} }: JsonObject, findings: Findings): Template[] {
  if (!isObject(paths)) {
    findings.add('/paths', `an object of paths is expected here, got ${kindOf(paths)}.`)
    return []
  }
  return Object.keys(paths).flatMap((source) => {
    if (source.startsWith('x-')) return []
    try {
      return templateOf(source)
    } catch (error) {
      findings.add(below('/paths', source), (error as Error).message)
      return []
    }
  })
}

/** Finds the templates that requests cannot tell apart. */
function checkClashes(
  templates: readonly Template[],
  operations: ReadonlyMap<string, readonly GivenOperation[]>,
  settings: MatchSettings,
  findings: Findings,
): void {
  const bySlash = new Map<string, Template>()
  const byMethod = new Map<string, Template>()
  for (const template of templates) {
    const { source } = template
    const pointer = below('/paths', source)
    const shape = shapeOf(template, settings)
    const like = bySlash.get(shape)
    if (like === undefined) bySlash.set(shape, template)
    else if (like.source.endsWith('/') !== source.endsWith('/')) {
      findings.add(
        pointer,
        `it differs from "${like.source}" by a slash at the end alone, which routers ignore. Leave one of them out, or set { strict: true } if your routers do not ignore it.`,
      )
    }
    for (const { method } of operations.get(source) as readonly GivenOperation[]) {
      const key = `${method} ${shape}`
      const other = byMethod.get(key)
      if (other === undefined) byMethod.set(key, template)
      else {
        findings.add(
          pointer,
          `its ${method} is for the same requests as that of "${other.source}". Write one path for them${settings.caseSensitive ? '' : ', or set { caseSensitive: true } if they differ by letter case'}.`,
        )
      }
    }
  }
}

/** The path template as a pattern of path-to-regexp, as the types of links read it. */
export type PatternOf<Path extends string> = string extends Path ? string : Parameters<Path>

type Parameters<Path extends string> = Path extends `${infer Before}{${infer Name}}${infer After}`
  ? `${Escaped<Before>}:"${Name}"${Parameters<After>}`
  : Escaped<Path>

/** Text in which no character is one of a pattern. */
type Escaped<Text extends string> = EscapedBy<EscapedBy<Text, ':'>, '*'>
type EscapedBy<Text extends string, Character extends string> = Text extends `${infer Before}${Character}${infer After}`
  ? `${Before}\\${Character}${EscapedBy<After, Character>}`
  : Text

/** The names and paths of a document, and of older ones. */
export type DocumentRoutes<Document, Older = never> = Document extends { readonly paths: infer Paths }
  ? { [Path in (keyof Paths | PathOf<Older>) & string]: PatternOf<Path> }
  : Record<string, string>

type PathOf<Document> = Document extends { readonly paths: infer Paths } ? keyof Paths : never
