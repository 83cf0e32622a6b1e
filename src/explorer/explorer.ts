// The public API of the page: `explorer()`, its options and requests.

import type { Request, Response } from 'express'
import { NoReverseMatch, NotFound } from '../errors'
import { normalizedOrigin } from '../http/host'
import { encodeReference, isPathPrefix, pathReference } from '../http/reference'
import { appendVary } from '../http/vary'
import type { VersioningOptions } from '../middleware/versioning-options'
import { requestOrigin } from '../request/link'
import { peekState } from '../request/state'
import { withoutTrailingSlashes } from '../routes/pattern'
import { labelOf } from '../schemes/carriers'
import { Surveyor } from '../survey/survey'
import { documentFileOf } from '../survey/versions'
import type { Middleware } from '../types'
import type { UsageSource } from '../usage/usage-types'
import { badOption, checkKeys } from '../util/options'
import { knownBetween, publicVersion, whatChanged } from './changed-operations'
import { CHANGES_STYLE, changesHtml, changesMarkdown } from './changelog'
import { originsOf } from './curl'
import { type Overview, overviewOf } from './overview'
import { type Links, pageOf } from './page'
import { keptUsage, type ShownUsage } from './shown-usage'
import { styleFor } from './style'
import { type Shown, swaggerUi } from './swagger-ui'
import { textOf } from './text'

/** Options of {@link explorer}. */
export interface ExplorerOptions {
  /** The title of the page. Default: that of the document of `routesOf()`, else `API`. */
  title?: string | undefined
  /** The mount path of `versioning()` and its table, such as `/api`. Default `/`. */
  mount?: string | undefined
  /** The start of the URLs in commands. Default: the option `origin` of `versioning()`, else the request's own protocol and host. */
  origin?: string | undefined
  /** `'all'` for all addresses of an operation. Default: that of the scheme's first carrier. */
  addresses?: 'all' | undefined
  /** The path of `openapi()`, such as `/openapi`. The page then links the document of each version. */
  documents?: string | undefined
  /**
   * The folder of `swagger-ui-dist`, from `require('swagger-ui-dist').absolutePath()`. It adds "try it" at `ui/`. Needs
   * `documents`.
   */
  swaggerUi?: string | undefined
  /** The source of usage, such as `prometheusUsage({ url })` of `express-versioning/usage`. The page then shows who uses what. */
  usage?: UsageSource | undefined
}

const OWNER = 'explorer()'

/**
 * Makes a page that shows the routes of each version, and the plans of versions. `Accept` selects HTML, text or JSON.
 *
 * @param options the same object as for `versioning()`.
 * @returns middleware to mount in front of `versioning()`. It responds to GET and HEAD of the page; other requests pass.
 * @throws {TypeError} for options without `routes` or allowed versions, and for unknown or wrong options of its own.
 * @example app.use('/docs', explorer(options, { title: 'Shop', mount: '/api', documents: '/openapi' }))
 */
export function explorer(options: VersioningOptions, given: ExplorerOptions = {}): Middleware {
  checkKeys(OWNER, given, ['title', 'mount', 'origin', 'addresses', 'documents', 'swaggerUi', 'usage'])
  const surveyor = new Surveyor(OWNER, options, given.mount, given.addresses)
  const { title = surveyor.title } = given
  if (typeof title !== 'string') throw badOption(OWNER, 'title', 'a string', title)
  const { publicPath = '', allowedHosts } = surveyor.options
  const origin = checkedOrigin(given.origin) ?? surveyor.options.origin
  const documents = checkedDocuments(given.documents)
  const ui = given.swaggerUi === undefined ? undefined : swaggerUi(OWNER, given.swaggerUi)
  if (ui !== undefined && documents === undefined) {
    throw new TypeError(`${OWNER}: option "swaggerUi" needs "documents", the path of openapi().`)
  }
  if (given.usage !== undefined && typeof given.usage !== 'function') {
    throw badOption(OWNER, 'usage', 'a function, such as the result of prometheusUsage()', given.usage)
  }
  const kept = given.usage === undefined ? undefined : keptUsage(given.usage)
  const documentOf = (version: string) =>
    documents === undefined ? undefined : `${publicPath}${documents}/${documentFileOf(version)}`

  return function explorerPage(req, res, next) {
    const { method, path } = req
    const name = path.startsWith(UI) ? path.slice(UI.length) : undefined
    if (method !== 'GET' && method !== 'HEAD') next()
    else if (path === '/') {
      const hasChanges = surveyor.survey.versions.some(({ changes }) => changes.length > 0)
      const links = {
        changes: hasChanges ? `${baseOf(req, publicPath)}${CHANGES}` : undefined,
        swaggerUi: ui === undefined ? undefined : `${baseOf(req, publicPath)}${UI}/`,
        document: documentOf,
      }
      const show = (usage?: ShownUsage) =>
        sendPage(
          req,
          res,
          overviewOf(surveyor, { title, origin: origin ?? ownOrigin(req, allowedHosts), usage }),
          links,
        )
      if (kept === undefined) show()
      else kept().then(show).catch(next)
    } else if (path === CHANGES) {
      try {
        changelog(req, res, title, surveyor)
      } catch (error) {
        next(error)
      }
    } else if (ui !== undefined && (name === '' || name?.startsWith('/'))) {
      const base = baseOf(req, publicPath) + UI
      ui(name.slice(1), { title, base, ...triedOn(surveyor, origin, documentOf) }, res, next)
    } else next()
  }
}

/** The path of "try it", below the page. */
const UI = '/ui'

/** The path of the changelog, below the page. */
const CHANGES = '/changes'

/** The media types that `Accept` can select. */
const NEGOTIATED = ['html', 'json', 'text']

const POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Responds with what changed between the versions of the query, or in all. */
function changelog(req: Request, res: Response, title: string, surveyor: Surveyor): void {
  const query = new URLSearchParams(req.url.split('?')[1])
  const [from, to] = ['from', 'to'].map((name) => query.get(name) ?? undefined)
  const { versions } = whatChanged(surveyor)
  const found = knownBetween(versions, { from, to })
  if (found === undefined) {
    throw new NotFound('No changes between these versions.', {
      allowedVersions: versions.map(({ version }) => version),
    })
  }
  setHead(req, res, CHANGES_STYLE)
  const type = req.accepts(['html', 'text/markdown', 'json', 'text'])
  if (type === 'json') res.type('json').send(JSON.stringify({ versions: found.map(publicVersion) }))
  else if (type === 'html' || type === false) res.type('html').send(changesHtml(title, found, { from, to }))
  else res.type(type === 'text' ? 'text/plain' : type).send(changesMarkdown(title, found, { from, to }))
}

/** Sets the header fields of a page, which is of no version. */
function setHead(req: Request, res: Response, styleHash: string): void {
  appendVary(res, 'Accept')
  res.set('Content-Security-Policy', `default-src 'none'; style-src ${styleHash}; ${POLICY}`)
  res.set('X-Content-Type-Options', 'nosniff')
  const exchange = peekState(req)?.exchange
  if (exchange !== undefined) exchange.keepsBody = true
}

function sendPage(req: Request, res: Response, overview: Overview, links: Links): void {
  const style = styleFor(overview.versions.toReversed())
  setHead(req, res, style.hash)
  const type = req.accepts(NEGOTIATED)
  if (type === 'json') res.type('json').send(JSON.stringify(overview))
  else if (type === 'text') res.type('text/plain').send(textOf(overview))
  else res.type('html').send(pageOf(overview, links, style.text))
}

/** Returns the path of the page, for links. */
function baseOf({ baseUrl }: Request, publicPath: string): string {
  return publicPath + (baseUrl === '' ? '' : pathReference(baseUrl))
}

/** Returns the origin of a request; `undefined` if the host is not allowed. */
function ownOrigin(req: Request, allowedHosts: ReadonlySet<string> | undefined): string | undefined {
  try {
    return requestOrigin(req, allowedHosts)
  } catch (error) {
    if (error instanceof NoReverseMatch) return undefined
    throw error
  }
}

/** Lists the documents of "try it", newest first, and the servers in them. */
function triedOn(
  { options, survey }: Surveyor,
  origin: string | undefined,
  documentOf: (version: string) => string | undefined,
): Pick<Shown, 'documents' | 'origins'> {
  const names = survey.versions.map(({ version }) => version).reverse()
  const origins = names.flatMap((version) =>
    origin === undefined ? [] : originsOf(origin, labelOf(options.scheme.carriers(version))),
  )
  return {
    documents: names.map((name) => ({ name, url: documentOf(name) as string })),
    origins: [...new Set(origins)],
  }
}

function checkedOrigin(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const origin = typeof value === 'string' ? normalizedOrigin(value) : undefined
  if (origin === undefined) throw badOption(OWNER, 'origin', "an origin such as 'https://api.example.com'", value)
  return origin
}

function checkedDocuments(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const path = typeof value === 'string' ? withoutTrailingSlashes(value) : ''
  if (!isPathPrefix(path)) throw badOption(OWNER, 'documents', "the path of openapi(), such as '/openapi'", value)
  return encodeReference(path)
}
