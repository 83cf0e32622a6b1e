// The paths of a Nest app: where its document and its routes have the global prefix, and where requests have the version.
import type { Request } from 'express'
import type { CompiledOptions, VersioningOptions } from '../middleware/versioning-options'
import { buildScheme } from '../middleware/versioning-options'
import type { OpenApiOptions } from '../openapi/openapi'
import type { OpenApiDocument } from '../openapi/openapi-types'
import type { RouteRegistry } from '../registry'
import { encodeSegment } from '../request/link-text'
import { isBelow, pathnameOf, sendTo } from '../request/place'
import type { Versioning } from '../request/state'
import { strayTest } from '../request/stray'
import type { NamedRoutes } from '../routes/named-routes'
import { namedRoutes } from '../routes/named-routes'
import { pathParameterOf } from '../schemes/carriers'
import type { ResolverMatch } from '../types'
import { operationMethod } from '../util/operation'
import type { NestInside } from './nest'
import type { NestRoutes } from './route-findings'

/** The place of a request in the table of a document. */
interface Located {
  /** The path in front of those of the document. */
  readonly mount: string
  /** The path in the table. With a path scheme, it may begin with the version. */
  readonly path: string
  /** `true` if it begins with the version. */
  readonly isVersioned: boolean
}

/** The paths of one app. A path scheme has its version in front of the paths of the table, wherever requests have it. */
export class Paths {
  /** The document of the table. */
  readonly document: object
  /** The global prefix in the paths of the document. */
  readonly prefixInDocument: string
  readonly #nest: NestInside
  readonly #servers: unknown
  /** The parameter of a path scheme; undefined for other schemes. */
  readonly #parameter: string | undefined

  constructor(nest: NestInside, document: object, options: VersioningOptions) {
    const { paths, servers } = Object(document) as { readonly paths?: unknown; readonly servers?: unknown }
    const isIn = Object.keys(Object(paths)).some((path) => isBelow(path, nest.prefix))
    this.#nest = nest
    this.prefixInDocument = isIn ? nest.prefix : ''
    this.#servers = servers
    this.#parameter = pathParameterOf(buildScheme(options).carriers('1'))
    // The version is in the paths, and not in the servers.
    this.document = this.#parameter === undefined ? document : { ...document, servers: [] }
  }

  /** Puts the place of the version in front of a table. */
  withVersion(table: NamedRoutes): NamedRoutes {
    return this.#parameter === undefined ? table : namedRoutes({}).include(`{/:${this.#parameter}}`, table)
  }

  /** Returns the place of a request; undefined if the document does not have its path, in any version. */
  locate(req: Request, compiled: CompiledOptions, routes: NestRoutes): Located | undefined {
    const path = String(pathnameOf(req))
    const known = new KnownPaths(req, compiled, this.#parameter)
    const plain = () => this.#plainPaths(path).find((one) => known.isBare(one.path))
    if (this.#parameter === undefined) return plain()
    return this.#nest.versionPrefix === undefined
      ? this.#behindPrefix(path, known, plain)
      : this.#inNestsPlace(req, path, known, plain, routes)
  }

  /** Returns the place of a path whose version is behind the global prefix, or behind nothing for routes that are excluded from it. */
  #behindPrefix(path: string, known: KnownPaths, plain: () => Located | undefined): Located | undefined {
    const versioned = this.#starts().flatMap(({ start, given, mount }): Located[] => {
      const [, version, below = ''] = textBehind(path, `${start}/`)
      return version === undefined ? [] : [{ mount, path: `/${version}${given}${below}`, isVersioned: true }]
    })
    const found = versioned.find((one) => known.isOfVersion(one.path)) ?? plain()
    // Below the prefix, text in front of a path of the document is a wrong version.
    const mayBeWrong = this.#nest.prefix === '' ? [] : versioned.slice(0, 1)
    return found ?? mayBeWrong.find((one) => known.matchOf(one.path) !== undefined)
  }

  /** Returns the place of a path whose version is where Nest has it: that of its handler in the latest version that has the handler. */
  #inNestsPlace(
    req: Request,
    path: string,
    known: KnownPaths,
    plain: () => Located | undefined,
    routes: NestRoutes,
  ): Located | undefined {
    const { versionPrefix } = this.#nest
    let hasVersion = false
    for (const { start, given, mount } of this.#starts()) {
      const [, version = '', below = ''] = textBehind(path, `${start}/${versionPrefix}`)
      if (routes.isCopy(version)) return undefined
      if (!routes.isOfHistory(version)) continue
      hasVersion = true
      const at = (of: string) => `/${version}${given}/${versionPrefix}${of}${below}`
      const own = known.matchOf(at(version))?.viewName
      const today = own
        ? routes.todayOf(operationMethod(req.method), own, version)
        : routes.later(version).find((one) => known.movedAt(at(one)) !== undefined)
      if (today !== undefined) return { mount, path: at(today), isVersioned: true }
    }
    return hasVersion ? undefined : plain()
  }

  /** Returns the place of a request whose path the document does not have. */
  unknown(req: Request): Located {
    return this.#plainPaths(String(pathnameOf(req)))[0] as Located
  }

  /** Makes a request stand where its table has it. It returns a function that takes that back, but for the version in the path. */
  enter(req: Request, { mount, path, isVersioned }: Located): () => void {
    const { baseUrl } = req
    sendTo(req, String(pathnameOf(req)), path)
    req.baseUrl = mount
    return () => {
      // The path may be another one now: that of today.
      const now = String(pathnameOf(req))
      req.baseUrl = baseUrl
      sendTo(req, now, mount + (isVersioned ? now.replace(/^\/[^/]+/, '') : now) || '/')
    }
  }

  /** Returns the function that gives the paths of clients; undefined if they are those of the table. */
  shownPaths(routes: NestRoutes): Versioning['shownPath'] {
    if (this.#parameter === undefined) return undefined
    const { prefix, versionPrefix } = this.#nest
    return (path, viewName, version) => {
      if (version === null) return path
      if (versionPrefix !== undefined && !routes.isIn(viewName, version)) return undefined
      const [, first, today = ''] = textBehind(path, '/')
      if (first !== encodeSegment(version)) return path
      if (versionPrefix !== undefined) return this.#inVersion(today, version, routes)
      const start = this.prefixInDocument !== '' && isBelow(today, prefix) ? prefix : ''
      return `${start}/${first}${today.slice(start.length)}`
    }
  }

  /** Returns a path of the document with the version in Nest's place. */
  #inVersion(today: string, version: string, routes: NestRoutes): string {
    const starts = this.#starts().map(({ given }) => `${given}/${this.#nest.versionPrefix}`)
    for (const start of starts) {
      const [, own] = textBehind(today, start)
      if (own !== undefined && routes.isOfHistory(own)) return start + version + today.slice(start.length + own.length)
    }
    return today
  }

  /** Returns the settings of the documents: in a path scheme, paths and servers as clients know them. */
  documentSettings(routes: NestRoutes): OpenApiOptions {
    const shownPath = this.shownPaths(routes)
    if (shownPath === undefined) return {}
    const extend = (document: OpenApiDocument, version: string): OpenApiDocument => {
      const paths = Object.entries(document.paths).flatMap(([path, item]) => {
        const [, , today = ''] = textBehind(path, '/')
        const shown = shownPath(path, today, version)
        return shown === undefined ? [] : [[shown || '/', item]]
      })
      const { servers: _, ...rest } = document as OpenApiDocument & { readonly servers?: unknown }
      const servers = this.#servers === undefined ? {} : { servers: this.#servers }
      return { ...rest, ...servers, paths: Object.fromEntries(paths) } as OpenApiDocument
    }
    return { extend }
  }

  /** The global prefix that the document leaves out. */
  get #mount(): string {
    return this.prefixInDocument === '' ? this.#nest.prefix : ''
  }

  /** Lists the starts of paths: the global prefix, and nothing for routes that are excluded from it; and what of it the document has. */
  #starts(): { readonly start: string; readonly given: string; readonly mount: string }[] {
    const { prefix } = this.#nest
    const bare = { start: '', given: '', mount: '' }
    return prefix === '' ? [bare] : [{ start: prefix, given: this.prefixInDocument, mount: this.#mount }, bare]
  }

  /** Lists the places of a path without a version. */
  #plainPaths(path: string): Located[] {
    return [...new Set([this.#mount, ''])].flatMap((mount): Located[] =>
      isBelow(path, mount) ? [{ mount, path: path.slice(mount.length) || '/', isVersioned: false }] : [],
    )
  }
}

/** The paths that a table knows, for one request. */
class KnownPaths {
  readonly #isStray

  constructor(
    private readonly req: Request,
    private readonly compiled: CompiledOptions,
    private readonly parameter = '',
  ) {
    this.#isStray = strayTest(compiled.scheme)
  }

  /** Returns the match of a path that has the method, today or in an older version. Express itself responds to OPTIONS. */
  matchOf(path: string): ResolverMatch | undefined {
    const { req } = this
    const { method } = req
    const table = this.compiled.routes as NamedRoutes & RouteRegistry
    const { match } = table.walk(path, method, undefined, { req, isStray: this.#isStray })
    const isThere = (name: string) => method === 'OPTIONS' || table.serves(name, method)
    return typeof match?.viewName === 'string' && isThere(match.viewName) ? match : this.movedAt(path)
  }

  /** Returns the match of a path that an operation had in an older version: in that of the path, if it names one. */
  movedAt(path: string): ResolverMatch | undefined {
    const moves = this.compiled.changes?.moves
    const { method } = this.req
    const found = moves?.readings(path, method).find(({ route, match: { params } }) => {
      const version = params[this.parameter]
      return typeof version !== 'string' || moves.isAt(method, route.viewName, version, route.entry)
    })
    return found?.match
  }

  /** Tells whether a path is known without a version. */
  isBare(path: string): boolean {
    const match = this.matchOf(path)
    return match !== undefined && match.params[this.parameter] === undefined
  }

  /** Tells whether a path is known with an accepted version. */
  isOfVersion(path: string): boolean {
    const params = this.matchOf(path)?.params
    return params?.[this.parameter] !== undefined && this.#isStray?.(params, this.req) !== true
  }
}

/** Splits a path behind a start: the text up to the next slash, and the rest. */
function textBehind(path: string, start: string): readonly (string | undefined)[] {
  const isBehind = path.toLowerCase().startsWith(start.toLowerCase())
  return (isBehind ? /^([^/]+)(\/.*)?$/.exec(path.slice(start.length)) : null) ?? []
}
