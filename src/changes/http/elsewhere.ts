// The look-out for handlers that are elsewhere: nothing tells the table which of them a request reaches.
import { METHODS } from 'node:http'
import type { Request } from 'express'
import { NotFound } from '../../errors'
import { isPreflight } from '../../http/preflight'
import { matchOf, pathnameOf, withoutSlash } from '../../request/place'
import type { RequestState, Root } from '../../request/state'
import {
  hasOtherReading,
  matches,
  PARAMETER,
  patternsIn,
  type RoutedPattern,
  type Segments,
  sampleOf,
  segmentsOf,
  TablePaths,
} from '../../routes/readings'
import type { RouteRegistry } from '../../types'
import { operationMethod } from '../../util/operation'
import { ChangeFailure } from '../convert/steps'
import type { Plan } from '../timeline/plans'
import { hasBody, isBlank } from './request-parts'

/** An operation of a request in an older version. */
interface OlderOperation {
  readonly method: string
  readonly viewName: string | undefined
  readonly version: string
  readonly plan: Plan
}

/** The statuses by which authentication, limits and parsers reject requests in front of the conversion. */
const IN_FRONT: ReadonlySet<number> = new Set([401, 403, 407, 413, 415, 429])

/** The number of segments of a path that are searched for a described prefix. */
const SEARCHED = 16

/** The number of segments of a prefix that the document may lack. */
const LACKING = 3

/** A route of Express. */
interface RespondingRoute {
  /** Its patterns; none if they cannot be compared. */
  readonly patterns: readonly RoutedPattern[]
  /** The operations that it was found to be, each behind the number of segments in front of its router. */
  readonly operations: Set<string>
}

/** Returns the operation behind the number of segments in front of a router; undefined if somebody has rewritten the url. */
function keyOf(req: Request, { baseUrl, path }: Root, viewName: string | undefined): string | undefined {
  const here = req.baseUrl + pathnameOf(req)
  if (viewName === undefined || withoutSlash(here) !== withoutSlash(baseUrl + path)) return undefined
  return `${segmentsOf(req.baseUrl.slice(baseUrl.length)).length} ${viewName}`
}

/** Lists the paths of the servers of a document, without a slash at their end. */
function serverPathsIn({ servers }: { readonly servers?: unknown }): string[] {
  return (Array.isArray(servers) ? servers : []).flatMap((server) => {
    const { url } = Object(server) as { readonly url?: unknown }
    const [, path] = /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/[^/]*)?(\/[^?#{]*)$/i.exec(String(url)) ?? []
    return path === undefined ? [] : withoutSlash(path)
  })
}

/** The look-out of one history. It gives each warning once. */
export class HandlersElsewhere {
  readonly #paths: TablePaths
  /** The paths of the servers in documents. */
  readonly #servers: ReadonlySet<string>
  /** The routes of Express that have responded. */
  readonly #routes = new WeakMap<object, RespondingRoute>()
  /** The methods and prefixes that were warned of. */
  readonly #warned = new Set<string>()
  #hasWarned = false

  /**
   * @param passes `true` if requests for operations that nobody described go on.
   * @param absent makes the error for a request whose operation is absent in its version.
   */
  constructor(
    routes: RouteRegistry,
    private readonly passes: boolean,
    private readonly absent: (req: Request, viewName: string) => Error,
  ) {
    this.#paths = new TablePaths(routes)
    this.#servers = new Set(routes.elsewhere()?.documents.flatMap(({ document }) => serverPathsIn(document)))
  }

  /** Returns the error for a request whose handlers, wherever they are, would not be those of its version's operation. */
  rejection(req: Request, state: RequestState, { viewName, version, plan }: OlderOperation): Error | undefined {
    const place = state.place as Root
    const { method } = req
    if (isPreflight(req)) return undefined
    const later = this.#laterIn(place, viewName)
    if (later !== undefined) {
      // An operation that the version has at another path is described.
      if (state.config?.changes?.hasOperation(method, later, version) === false) this.#warn(place, method)
      return this.absent(req, later)
    }
    if (viewName !== undefined && !plan.present) return this.absent(req, viewName)
    if (viewName === undefined && !this.passes) this.#warn(place, method)
    else if (!hasOtherReading(place, viewName, this.#paths)) return undefined
    return new NotFound('No handler for this version.', {
      code: 'ERR_VERSION_UNHANDLED',
      version,
      allowedVersions: [],
    })
  }

  /** Tells whether another router may read the path of a neutral request as an operation. */
  readsOther(place: Root): boolean {
    return hasOtherReading(place, matchOf(place)?.viewName ?? undefined, this.#paths)
  }

  /** Returns the operation of a path that comes only later, and that handlers elsewhere would serve all the same. */
  #laterIn({ table, path, method, isAhead, ...rest }: Root, viewName: string | undefined): string | undefined {
    if (isAhead === undefined) return undefined
    const found = table.walk(String(path), method, undefined, rest).match?.viewName
    if (typeof found !== 'string' || found === viewName || !isAhead(found)) return undefined
    const isElsewhere = table.serves(found, method) && table.handlersOf(found, method).length === 0
    return isElsewhere ? found : undefined
  }

  /** Warns of a rejected request. The warning has nothing of the client's. */
  #warn(place: Root, method: string): void {
    const described = this.#describedPrefix(place)
    // Where the document has a beginning of the path, the mount is right.
    const [prefix, hint] = described === undefined ? ['/', this.#mountHint(place)] : [described, '']
    // Middleware in front may have taken the method from a header field.
    const request = METHODS.includes(method) ? `request ${method}` : 'request of another method'
    const key = `${request} ${prefix}${hint}`
    if (this.#warned.has(key)) return
    this.#warned.add(key)
    process.emitWarning(
      `A ${request} below "${prefix}" in an older version was rejected with 404: "routes" does not have its operation, or only in a later version, so nobody knows what to convert.${hint} Describe the operation in the document; or list it in "neutral", as health checks and pages: neutral: ['/health', '/docs{/*rest}']; or let all of them pass unconverted: undocumented: 'pass'.`,
      { code: 'EXPRESS_VERSIONING_UNHANDLED' },
    )
  }

  /** Returns the longest described path that the path of a request begins with; undefined if there is none. */
  #describedPrefix(place: Root): string | undefined {
    const segments = segmentsOf(String(place.path)).slice(0, SEARCHED)
    for (let length = segments.length; length > 0; length--) {
      const declared = this.#declaredAt(place, segments.slice(0, length))
      if (declared !== undefined) return declared
    }
    return undefined
  }

  /** Returns the described path of other segments than those of a request; undefined if there is none. */
  #declaredAt({ table, method, isAhead: _, ...rest }: Root, segments: Segments): string | undefined {
    const found = table.walk(`/${segments.join('/')}`, method, undefined, rest).match?.viewName
    return typeof found === 'string' ? this.#paths.of(found).declared : undefined
  }

  /**
   * Returns the remedies where the document's paths and the mount of versioning() differ by a prefix; else nothing. It shows a
   * prefix only if the document has it, because clients can send any.
   */
  #mountHint(place: Root): string {
    const { baseUrl } = place
    const segments = segmentsOf(String(place.path)).slice(0, SEARCHED)
    const whole = baseUrl === '' ? undefined : this.#declaredAt(place, [...segmentsOf(baseUrl), ...segments])
    if (whole?.startsWith(`${baseUrl}/`)) {
      return ` The document has that path with "${baseUrl}" in front, where versioning() is mounted: mount it without that, app.use(versioning(options)), or leave "${baseUrl}" out of the document's paths.`
    }
    for (let count = 1; count <= LACKING && count < segments.length; count++) {
      // A parameter would take any segment.
      if (!/^\/[^{:*/]/.test(this.#declaredAt(place, segments.slice(count)) ?? '')) continue
      const prefix = `/${segments.slice(0, count).join('/')}`
      const [what, mount] = this.#servers.has(prefix) ? [`"${prefix}" of its "servers"`, prefix] : ['a prefix', '/api']
      return ` The document has that path without ${what}: if your routers are there, mount versioning() there too, such as app.use('${mount}', versioning(options)), or write the prefix into the document's paths.`
    }
    return ''
  }

  /** Warns of an older request that handlers have got unconverted, and that one of them rejected. */
  warnOfUnconverted(req: Request, { method, viewName, version }: OlderOperation, status: number): void {
    // A parser that rejects a body has left none.
    const isRead = !hasBody(req) || (req.body !== undefined && !isBlank(req.body))
    if (this.#hasWarned || !isRead || status >= 500 || IN_FRONT.has(status)) return
    this.#hasWarned = true
    process.emitWarning(
      `"${operationMethod(method)} ${viewName}" in version "${version}" got the response ${status} from a handler that had the request unconverted. Put convertRequest of express-versioning/changes in front of the handlers, behind versioning() and the parsers.`,
      { code: 'EXPRESS_VERSIONING_UNCONVERTED' },
    )
  }

  /**
   * Compares the method of a request with that by which its operation was found.
   *
   * @throws {Error} if it is another one: nobody has looked whether its version has that operation.
   */
  checkMethod(req: Request, state: RequestState, { method, viewName, version }: OlderOperation): void {
    if (operationMethod(method) === operationMethod((state.place as Root).method)) return
    throw new ChangeFailure(
      { kind: 'request', operation: `${operationMethod(method)} ${viewName ?? 'unknown'}` },
      'The method of the request was changed behind versioning(). Change it in front of versioning()',
      { version, req },
    )
  }

  /**
   * Compares the route that responds, as Express names it, with the operation of the path.
   *
   * @throws {Error} if it is another one.
   */
  checkRoute(req: Request, state: RequestState, { method, viewName, version }: OlderOperation): void {
    const { route } = req
    const place = state.place
    if (route === undefined || place === undefined || !this.#isOther(req, place, this.#known(route), viewName)) return
    const operation = viewName === undefined ? 'no operation of the table' : `"${operationMethod(method)} ${viewName}"`
    throw new ChangeFailure(
      { kind: 'response', operation: `${operationMethod(method)} ${viewName ?? 'unknown'}` },
      `The path of the request is that of ${operation} in version "${version}", but the route ${JSON.stringify(route.path)} of Express has sent the response. Describe both in the document, or none`,
      { version, req },
    )
  }

  #known(route: { readonly path: unknown }): RespondingRoute {
    const known = this.#routes.get(route)
    if (known !== undefined) return known
    const read = { patterns: patternsIn(route.path) ?? [], operations: new Set<string>() }
    this.#routes.set(route, read)
    return read
  }

  /** Tells whether the route that responds is certainly another operation than that of the path. */
  #isOther(req: Request, place: Root, route: RespondingRoute, viewName: string | undefined): boolean {
    const { baseUrl, params } = req
    const mount = place.baseUrl
    if (route.patterns.length === 0 || !baseUrl.startsWith(mount)) return false
    // The prefixes of outer routers are known as text only.
    const outer = segmentsOf(baseUrl.slice(mount.length))
    const key = keyOf(req, place, viewName)
    if (key !== undefined && route.operations.has(key)) return false
    const current = [...outer, ...segmentsOf(String(pathnameOf(req)))]
    const patterns = route.patterns.map(({ segments, names }) => ({ segments: [...outer, ...segments], names }))
    // A route that was left may still be named: others have other parameters then, or another path.
    const readings = patterns.filter(
      ({ segments, names }) => matches(segments, current) && names.every((name) => Object.hasOwn(params, name)),
    )
    if (readings.length === 0) return false
    const isOther = readings.every(({ segments }) => this.#isAnother(place, segments, outer, viewName))
    if (key !== undefined && !isOther) route.operations.add(key)
    return isOther
  }

  /** Tells whether a pattern is that of another operation, or of none, though more special than that of the path. */
  #isAnother(place: Root, pattern: Segments, outer: Segments, viewName: string | undefined): boolean {
    const { table, method, isAhead } = place
    if (viewName !== undefined) {
      const own = this.#paths.of(viewName).patterns
      const isOwn = own.some((segments) => {
        const sample = sampleOf(segments)
        return matches(
          pattern,
          sample.map((text, at) => (segments[at]?.includes(PARAMETER) ? (outer[at] ?? text) : text)),
        )
      })
      // Nothing tells about paths with wildcards, nor about OPTIONS that nobody described.
      if (!isOwn) return own.length > 0 && table.serves(viewName, method)
    }
    const found = table.walk(`/${sampleOf(pattern).join('/')}`, method, isAhead, place).match?.viewName
    return typeof found === 'string' && found !== viewName && table.serves(found, method)
  }
}
