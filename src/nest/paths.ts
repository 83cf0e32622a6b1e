// The paths of a Nest app: where its document and its routes have the global prefix, and where requests have the version.
import type { Request } from 'express'
import type { CompiledOptions, VersioningOptions } from '../middleware/options'
import { buildScheme } from '../middleware/options'
import type { OpenApiDocument } from '../openapi/model'
import type { OpenApiOptions } from '../openapi/openapi'
import { isBelow, pathnameOf, sendTo } from '../request/place'
import { strayTest } from '../request/stray'
import type { NamedRoutes } from '../routes/named-routes'
import { namedRoutes } from '../routes/named-routes'
import type { BaseVersioning } from '../schemes/base'
import type { NestRoutes } from './findings'
import type { NestInside } from './nest'

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
    const reader = buildScheme(options).routeReaders.find(({ carriedIn }) => carriedIn === 'path')
    this.#parameter = (reader as BaseVersioning | undefined)?.versionParam
    // The version is in the paths, and not in the servers.
    this.document = this.#parameter === undefined ? document : { ...document, servers: [] }
  }

  /** Puts the place of the version in front of a table. */
  withVersion(table: NamedRoutes): NamedRoutes {
    return this.#parameter === undefined ? table : namedRoutes({}).include(`{/:${this.#parameter}}`, table)
  }

  /** Returns the place of a request; undefined if the document does not have its path, in any version. */
  locate(req: Request, compiled: CompiledOptions, routes: NestRoutes): Located | undefined {
    const path = pathnameOf(req)
    if (path === undefined) return undefined
    const table = compiled.routes as NamedRoutes
    const isStray = strayTest(compiled.scheme)
    const movedAt = (one: string) => compiled.changes?.moves?.readings(one, req.method)[0]?.match
    const matchAt = (one: string) => {
      const { match } = table.walk(one, req.method, undefined, { req, isStray })
      return typeof match?.viewName === 'string' ? match : movedAt(one)
    }
    const { prefix, versionPrefix } = this.#nest
    const plain = this.#plainPaths(path)
    const isKnown = (one: Located) => matchAt(one.path) !== undefined
    if (this.#parameter === undefined) return plain.find(isKnown)
    if (versionPrefix !== undefined) {
      const [, version, below = ''] = textBehind(path, `${prefix}/${versionPrefix}`) ?? []
      if (version === undefined) return plain.find(isKnown)
      const at = (of: string) => `/${version}${this.prefixInDocument}/${versionPrefix}${of}${below}`
      const found = matchAt(at(version))
      const others = found === undefined ? routes.later(version).filter((one) => movedAt(at(one))) : []
      const today = found === undefined ? others[0] : routes.todayOf(req.method, String(found.viewName), version)
      const isOfHistory = compiled.changes?.knows(version) === true
      return today === undefined || !isOfHistory
        ? undefined
        : { mount: this.#mount, path: at(today), isVersioned: true }
    }
    const versioned = [...new Set([prefix, ''])].flatMap((start): Located[] => {
      const [, version, below = ''] = textBehind(path, `${start}/`) ?? []
      if (version === undefined) return []
      const isInside = start !== '' && start === prefix
      const path_ = `/${version}${isInside ? this.prefixInDocument : ''}${below}`
      return [{ mount: isInside ? this.#mount : '', path: path_, isVersioned: true }]
    })
    const isOfVersion = ({ path: one }: Located) => {
      const params = matchAt(one)?.params
      return params?.[this.#parameter as string] !== undefined && isStray?.(params, req) !== true
    }
    const found = versioned.find(isOfVersion) ?? plain.find(isKnown)
    // Below the prefix, text in front of a path of the document is a wrong version.
    return found ?? (prefix === '' ? undefined : versioned.slice(0, 1).find(isKnown))
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

  /** Returns the settings of the documents: in a path scheme, paths and servers as clients know them. */
  documentSettings(routes: NestRoutes): OpenApiOptions {
    if (this.#parameter === undefined) return {}
    const { prefix, versionPrefix } = this.#nest
    const written = (path: string, version: string) => {
      const [, , today = '/'] = textBehind(path, '/') as string[]
      if (versionPrefix !== undefined) return routes.writtenIn(today, version)
      const start = this.prefixInDocument !== '' && isBelow(today, prefix) ? prefix : ''
      return `${start}/${version}${today.slice(start.length)}`
    }
    const extend = (document: OpenApiDocument, version: string): OpenApiDocument => {
      const isOfVersion = (path: string) => isBelow(path, `/${encodeURIComponent(version)}`)
      const paths = Object.entries(document.paths).flatMap(([path, item]) => {
        const name = isOfVersion(path) ? written(path, encodeURIComponent(version)) : path
        return name === undefined ? [] : [[name, item]]
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

  /** Lists the places of a path without a version: some routes may be excluded from the prefix. */
  #plainPaths(path: string): Located[] {
    return [...new Set([this.#mount, ''])].flatMap((mount): Located[] =>
      isBelow(path, mount) ? [{ mount, path: path.slice(mount.length) || '/', isVersioned: false }] : [],
    )
  }
}

/** Splits a path behind a start: the text up to the next slash, and the rest. */
function textBehind(path: string, start: string): string[] | undefined {
  return path.toLowerCase().startsWith(start.toLowerCase())
    ? (/^([^/]+)(\/.*)?$/.exec(path.slice(start.length)) ?? undefined)
    : undefined
}
