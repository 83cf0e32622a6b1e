// The public face of the documents: `openapi()`, its options and requests.
import type { NextFunction, Request, Response } from 'express'
import { NotFound } from '../errors'
import { pathReference } from '../http/reference'
import { dropVary } from '../http/vary'
import { retract } from '../lifecycle/written'
import type { CompiledOptions, VersioningOptions } from '../middleware/versioning-options'
import type { RouteRegistry } from '../registry'
import { pathnameOf } from '../request/place'
import { peekState } from '../request/state'
import type { BaseVersioning } from '../schemes/base'
import { type Survey, Surveyor } from '../survey/survey'
import { documentFileOf } from '../survey/versions'
import type { Middleware, Version } from '../types'
import { badOption, checkKeys, shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { isThenable } from '../util/thenable'
import { documentOf, OPENAPI_VERSIONS, type OpenApiVersion } from './document'
import type { OpenApiDocument } from './openapi-types'
import { checkedWebhooks, type OpenApiWebhook } from './webhooks'

/** The description of the API in documents. Each document adds its own version, with the changes of that version. */
export interface OpenApiInfo {
  /** The title of the API. Default `'API'`. */
  title?: string | undefined
  /** The purpose of the API, in CommonMark. Default: none. */
  description?: string | undefined
  [field: string]: unknown
}

/** Options of {@link openapi}. */
export interface OpenApiOptions {
  /** The description of the API in documents. Default: its title alone. */
  info?: OpenApiInfo | undefined
  /** The mount path of `versioning()` and its table: a pattern, such as `'/api'` or `'/:version'`. Default `'/'`. */
  mount?: string | undefined
  /** `true` if `problemDetails()` responses rejections: documents then describe them. Default `false`. */
  problemDetails?: boolean | undefined
  /** The version of OpenAPI. Default `'3.1.1'`. The documents of `routesOf()` stay in the version of the given one. */
  openapi?: OpenApiVersion | undefined
  /** The requests that the server sends to its clients, by name. They are in all documents, in the shapes of their version. */
  webhooks?: { readonly [name: string]: OpenApiWebhook } | undefined
  /** `'all'` for all addresses of an operation. Default: that of the scheme's first carrier. */
  addresses?: 'all' | undefined
  /** The function that may change each document. It gets a fresh document, and returns it or another one. */
  extend?: ((document: OpenApiDocument, version: Version) => OpenApiDocument) | undefined
}

/** One OpenAPI document for each version, and the request handler that serves them. */
export interface OpenApiDocuments extends Middleware {
  /** The versions that have a document, oldest first. */
  readonly versions: readonly Version[]
  /**
   * Returns the document of a version as of now, as a fresh object.
   *
   * @template Document the type of documents in the place that gets it, such as `OpenAPIObject` of Nest.
   * @throws {TypeError} for a version that is not accepted, and for schemas that JSON Schema cannot express.
   */
  document<Document extends object = OpenApiDocument>(version: string): Document
}

const OWNER = 'openapi()'

/**
 * Makes OpenAPI documents of the named routes, one for each version. They contain the routes, the place of the version in
 * requests, the deprecations, the changes, and the descriptions of `table.describe()`.
 *
 * @param options the same object as for `versioning()`. It needs `routes`, and a list of versions.
 * @returns a request handler to mount in front of `versioning()`. It responses `/<version>.json` with the document and `/` with
 *   the list of documents. Unknown versions are `NotFound`; other requests pass.
 * @throws {TypeError} for unknown options and wrong values.
 * @example
 * const docs = openapi(options, { info: { title: 'Shop' }, mount: '/api' })
 * app.use('/openapi', docs) // GET /openapi/v2.json
 * docs.document('v2')
 */
export function openapi(options: VersioningOptions, settings: OpenApiOptions = {}): OpenApiDocuments {
  return documentsOf(options, settings)
}

/** Makes the documents of options, which may be compiled. */
export function documentsOf(options: VersioningOptions | CompiledOptions, settings: OpenApiOptions): OpenApiDocuments {
  checkKeys(OWNER, settings, ['info', 'mount', 'problemDetails', 'openapi', 'webhooks', 'addresses', 'extend'])
  // What somebody put on `Object.prototype` is no setting.
  const own: OpenApiOptions = Object.assign(Object.create(null), settings)
  const { info = {}, mount, problemDetails = false, openapi, webhooks = {}, addresses, extend } = own
  if (typeof problemDetails !== 'boolean') throw badOption(OWNER, 'problemDetails', 'true or false', problemDetails)
  if (extend !== undefined && typeof extend !== 'function') {
    throw badOption(OWNER, 'extend', 'a function of a document and its version', extend)
  }
  const surveyor = new Surveyor(OWNER, options, mount, addresses)
  const documents = new Documents(
    surveyor,
    {
      info: checkedInfo(info),
      problemDetails,
      openapi: checkedVersion(openapi, surveyor.routes),
      webhooks: checkedWebhooks(OWNER, webhooks),
    },
    extend,
  )

  const openapiHandler = (req: Request, res: Response, next: NextFunction): void => {
    const asked = req.method === 'GET' || req.method === 'HEAD' ? askedFor(req) : undefined
    if (asked === undefined) {
      next()
      return
    }
    withoutVersion(req, res, surveyor.options.scheme.varyOn)
    let text: string
    try {
      if (asked === null) text = JSON.stringify({ documents: documents.listed(req) })
      else {
        const version = documents.versions.find((name) => documentFileOf(name) === asked)
        if (version === undefined) {
          next(new NotFound('No document of this version.', { allowedVersions: documents.versions }))
          return
        }
        text = documents.text(version)
      }
    } catch (error) {
      next(error)
      return
    }
    res.type('json').send(text)
  }
  return Object.assign(openapiHandler, {
    versions: documents.versions,
    document: <Document extends object>(version: string) => documents.document<Document>(version),
  })
}

/** @throws {TypeError} for a version of OpenAPI that is not written, or that given documents do not have. */
function checkedVersion(openapi: unknown, routes: RouteRegistry): OpenApiVersion {
  if (openapi === undefined) return '3.1.1'
  const version = OPENAPI_VERSIONS.find((one) => one === openapi)
  if (version === undefined) {
    throw badOption(OWNER, 'openapi', OPENAPI_VERSIONS.map((one) => `'${one}'`).join(' or '), openapi)
  }
  const [given] = routes.elsewhere()?.documents ?? []
  const found = String(given?.document.openapi)
  if (given !== undefined && found.slice(0, 3) !== version.slice(0, 3)) {
    throw new TypeError(
      `${OWNER}: option "openapi" is '${version}', but the documents of routesOf() stay in their own version, ${found}. Leave the option out, or convert the given document.`,
    )
  }
  return version
}

function checkedInfo(info: unknown): OpenApiInfo {
  if (typeof info !== 'object' || info === null || Array.isArray(info)) {
    throw badOption(OWNER, 'info', "an object such as { title: 'Shop' }", info)
  }
  const { title, description, ...others } = info as OpenApiInfo
  if (title !== undefined && typeof title !== 'string') throw badOption(OWNER, 'info.title', 'a string', title)
  if (description !== undefined && typeof description !== 'string') {
    throw badOption(OWNER, 'info.description', 'a string', description)
  }
  if (others.version !== undefined) {
    throw new TypeError(`${OWNER}: option "info" takes no "version": each document has its own.`)
  }
  return { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }), ...others }
}

/** The documents of a surveyed API. Each is made on first use, and kept as long as the survey holds. */
class Documents {
  readonly #surveyor: Surveyor
  readonly #settings: Parameters<typeof documentOf>[3]
  readonly #extend: OpenApiOptions['extend']
  #survey: Survey | undefined
  readonly #texts = new Map<string, string>()

  constructor(surveyor: Surveyor, settings: Parameters<typeof documentOf>[3], extend: OpenApiOptions['extend']) {
    this.#surveyor = surveyor
    this.#settings = settings
    this.#extend = extend
  }

  /** Returns the versions, oldest first, and previews last. */
  get versions(): readonly string[] {
    const { scheme, lifecycles } = this.#surveyor.options
    const isPreview = (version: string) => lifecycles.get(version)?.isPreview === true
    const all = scheme.acceptedVersions.filter((version) => version !== null)
    return [...all.filter((version) => !isPreview(version)), ...all.filter(isPreview)]
  }

  document<Document extends object>(version: string): Document {
    if (!this.versions.includes(version)) {
      const hint = typeof version === 'string' ? didYouMean(near(version, this.versions)) : ''
      throw new TypeError(`${OWNER}: there is no version ${shown(version)}.${hint}`)
    }
    return JSON.parse(this.text(version))
  }

  /** @param version an accepted version. */
  text(version: string): string {
    const { survey } = this.#surveyor
    if (survey !== this.#survey) {
      this.#survey = survey
      this.#texts.clear()
    }
    let text = this.#texts.get(version)
    if (text === undefined) {
      text = this.#made(survey, version)
      this.#texts.set(version, text)
    }
    return text
  }

  #made(survey: Survey, version: string): string {
    const surveyed = survey.versions.find((one) => one.version === version) as Survey['versions'][number]
    const text = JSON.stringify(documentOf(this.#surveyor, survey, surveyed, this.#settings))
    if (this.#extend === undefined) return text
    const extended: unknown = this.#extend(JSON.parse(text), version)
    if (typeof extended === 'object' && extended !== null && !isThenable(extended)) return JSON.stringify(extended)
    throw new TypeError(
      `${OWNER}: option "extend" takes a function that returns the document; it returned ${shown(extended)}.`,
    )
  }

  /** Lists the versions with the URLs of their documents. */
  listed({ baseUrl }: Request): { version: string; url: string }[] {
    const { publicPath = '' } = this.#surveyor.options
    return this.versions.map((version) => ({
      version,
      url: pathReference(`${publicPath}${baseUrl}/${documentFileOf(version)}`),
    }))
  }
}

/** Returns the file name of the document that a request asks for; `null` for the list, `undefined` for any other path. */
function askedFor(req: Request): string | null | undefined {
  const name = String(pathnameOf(req)).slice(1)
  if (name === '') return null
  if (!name.endsWith('.json') || name.includes('/')) return undefined
  try {
    return documentFileOf(decodeURIComponent(name.slice(0, -'.json'.length)))
  } catch {
    return undefined
  }
}

/** Removes the header fields of a `versioning()` in front: documents are the same in every version. */
function withoutVersion(req: Request, res: Response, varyOn: BaseVersioning['varyOn']): void {
  const state = peekState(req)
  if (state?.config === undefined) return
  if (state.exchange !== undefined) state.exchange.keepsBody = true
  retract(res, state)
  dropVary(res, typeof varyOn === 'function' ? varyOn(req) : varyOn)
}
