// The look-out for handlers that are elsewhere: nothing tells the table which of them a request reaches.
import { METHODS } from 'node:http'
import type { Request, Response } from 'express'
import { unhandled } from '../../errors'
import { isPreflight } from '../../http/preflight'
import type { RouteRegistry } from '../../registry'
import { isBelow, matchOf, pathnameOf, withoutSlash } from '../../request/place'
import type { RequestState, Root } from '../../request/state'
import { followParams, paramsOf } from '../../request/trail'
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
  type TakenSegments,
  withParameters,
} from '../../routes/readings'
import { operationMethod } from '../../util/operation'
import { ChangeFailure } from '../convert/steps'
import type { Plan } from '../timeline/operation-plans'
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

/** The place of a request when a success leaves. */
interface Here {
  /** The segments of the mounts of the routers that it is in. */
  readonly outer: Segments
  readonly inner: Segments
  /** The parameters of these routers: all, and those that a router has not in common with the one around it, which it may have merged. */
  readonly taken: readonly (readonly TakenSegments[])[]
  /** The patterns of the route that responds; none if Express does not say, or if they cannot be compared. */
  readonly patterns: readonly RoutedPattern[]
}

/**
 * Lists the values of parameters. Wildcards are no parameters: they have numbers in Express 4, and lists as values in 5.
 *
 * @param outer parameters that do not count: those that a router may have merged into its own.
 */
function valuesOf(params: Request['params'], outer: Request['params'] = {}): string[] {
  return Object.entries(params).flatMap(([name, value]) =>
    /^\d/.test(name) || value === undefined || Array.isArray(value) || outer[name] === value ? [] : String(value),
  )
}

/** Returns the place of a request. Where no other operation is in doubt, nobody has followed the parameters of its routers. */
function hereOf(req: Request, mount: string, path: string, known: readonly RoutedPattern[], isDoubtful: boolean): Here {
  const { baseUrl, params } = req
  const below = (url: string) => segmentsOf(url.slice(mount.length))
  const inner = segmentsOf(path)
  // A route that was left may still be named: others have other parameters then, or another path.
  const patterns = known.filter(
    ({ segments, names }) => matches(segments, inner) && names.every((name) => Object.hasOwn(params, name)),
  )
  const around = isDoubtful ? paramsOf(req) : []
  const taken = (isMerged: boolean) =>
    around.map((router, at) => ({
      values: valuesOf(router.params, isMerged ? around[at - 1]?.params : undefined),
      start: below(router.baseUrl).length,
      end: below(around[at + 1]?.baseUrl ?? baseUrl + path).length,
    }))
  return {
    outer: below(baseUrl),
    inner,
    taken: around.length < 2 ? [taken(false)] : [taken(false), taken(true)],
    patterns,
  }
}

/** Lists the paths of the servers of a document, without a slash at their end. */
function serverPathsIn({ servers }: { readonly servers?: unknown }): string[] {
  return (Array.isArray(servers) ? servers : []).flatMap((server) => {
    const { url } = Object(server) as { readonly url?: unknown }
    const [, path] = /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/[^/]*)?(\/[^?#{]*)$/i.exec(String(url)) ?? []
    return path === undefined ? [] : withoutSlash(path)
  })
}

/** The look-out of one history for handlers elsewhere. */
export type HandlersElsewhere = ReturnType<typeof handlersElsewhere>

/**
 * Makes the look-out of one history. It gives each warning once.
 *
 * @param passes `true` if requests for operations that nobody described go on.
 * @param absent makes the error for a request whose operation is absent in its version.
 */
export function handlersElsewhere(
  routes: RouteRegistry,
  passes: boolean,
  absent: (req: Request, viewName: string) => Error,
) {
  const paths = new TablePaths(routes)
  /** The paths of the servers in documents. */
  const servers = new Set(routes.elsewhere()?.documents.flatMap(({ document }) => serverPathsIn(document)))
  /** The routes of Express that have responded. */
  const responding = new WeakMap<object, RespondingRoute>()
  /** The methods and prefixes that were warned of. */
  const warned = new Set<string>()
  let hasWarned = false

  /** Returns the operation of a path that comes only later, and that handlers elsewhere would serve all the same. */
  function laterIn(
    { table, path, method, isSkipped, ...rest }: Root,
    viewName: string | undefined,
  ): string | undefined {
    if (isSkipped === undefined) return undefined
    const found = table.walk(String(path), method, undefined, rest).match?.viewName
    if (typeof found !== 'string' || found === viewName || !isSkipped(found)) return undefined
    const isElsewhere = table.serves(found, method) && table.handlersOf(found, method).length === 0
    return isElsewhere ? found : undefined
  }

  /** Warns of a rejected request. The warning has nothing of the client's. */
  function warn(place: Root, method: string): void {
    const described = describedPrefix(place)
    // Where the document has a beginning of the path, the mount is right.
    const [prefix, hint] = described === undefined ? ['/', mountHint(place)] : [described, '']
    // Middleware in front may have taken the method from a header field.
    const request = METHODS.includes(method) ? `request ${method}` : 'request of another method'
    const key = `${request} ${prefix}${hint}`
    if (warned.has(key)) return
    warned.add(key)
    process.emitWarning(
      `A ${request} below "${prefix}" in an older version was rejected with 404: "routes" does not have its operation, or only in a later version, so nobody knows what to convert.${hint} Describe the operation in the document; or list it in "neutral", as health checks and pages: neutral: ['/health', '/docs{/*rest}']; or let all of them pass unconverted: undocumented: 'pass'.`,
      { code: 'EXPRESS_VERSIONING_UNHANDLED' },
    )
  }

  /** Returns the longest described path that the path of a request begins with; undefined if there is none. */
  function describedPrefix(place: Root): string | undefined {
    const segments = segmentsOf(String(place.path)).slice(0, SEARCHED)
    for (let length = segments.length; length > 0; length--) {
      const declared = declaredAt(place, segments.slice(0, length))
      if (declared !== undefined) return declared
    }
    return undefined
  }

  /** Returns the described path of other segments than those of a request; undefined if there is none. */
  function declaredAt({ table, method, isSkipped: _, ...rest }: Root, segments: Segments): string | undefined {
    const found = table.walk(`/${segments.join('/')}`, method, undefined, rest).match?.viewName
    return typeof found === 'string' ? paths.of(found).declared : undefined
  }

  /**
   * Returns the remedies where the document's paths and the mount of versioning() differ by a prefix; else nothing. It shows a
   * prefix only if the document has it, because clients can send any.
   */
  function mountHint(place: Root): string {
    const { baseUrl } = place
    const segments = segmentsOf(String(place.path)).slice(0, SEARCHED)
    const whole = baseUrl === '' ? undefined : declaredAt(place, [...segmentsOf(baseUrl), ...segments])
    if (whole?.startsWith(`${baseUrl}/`)) {
      return ` The document has that path with "${baseUrl}" in front, where versioning() is mounted: mount it without that, app.use(versioning(options)), or leave "${baseUrl}" out of the document's paths.`
    }
    for (let count = 1; count <= LACKING && count < segments.length; count++) {
      // A parameter would take any segment.
      if (!/^\/[^{:*/]/.test(declaredAt(place, segments.slice(count)) ?? '')) continue
      const prefix = `/${segments.slice(0, count).join('/')}`
      const [what, mount] = servers.has(prefix) ? [`"${prefix}" of its "servers"`, prefix] : ['a prefix', '/api']
      return ` The document has that path without ${what}: if your routers are there, mount versioning() there too, such as app.use('${mount}', versioning(options)), or write the prefix into the document's paths.`
    }
    return ''
  }

  function hasRivals(method: string, viewName: string | undefined): boolean {
    return viewName !== undefined && paths.hasRivals(operationMethod(method), viewName)
  }

  function knownRoute(route: { readonly path: unknown }): RespondingRoute {
    const known = responding.get(route)
    if (known !== undefined) return known
    const read = { patterns: patternsIn(route.path) ?? [], operations: new Set<string>() }
    responding.set(route, read)
    return read
  }

  /** Tells whether the route that responds is certainly another operation than that of the path. */
  function isOther(place: Root, { outer, patterns, taken }: Here, viewName: string | undefined): boolean {
    if (patterns.length === 0) return false
    const prefixes = taken.flatMap((read) => withParameters(outer, read))
    return prefixes.every((prefix) =>
      patterns.every(({ segments }) => isAnother(place, [...prefix, ...segments], prefix, viewName)),
    )
  }

  /**
   * Returns the other operation that the mounts and the url of a request name by any of their readings; undefined if all of them
   * may name that of the path.
   */
  function otherAt(
    { table, method, isSkipped, ...rest }: Root,
    { outer, inner, patterns, taken }: Here,
    viewName: string | undefined,
  ): string | undefined {
    const readings = taken.flatMap((read) =>
      patterns.length === 0
        ? withParameters([...outer, ...inner], read).map((path) => [path])
        : withParameters(outer, read).map((prefix) =>
            patterns.map(({ segments }) => [...prefix, ...sampleOf(segments)]),
          ),
    )
    const others = readings.flatMap((choices) => {
      const names = choices.map((path) => {
        const found = table.walk(`/${path.join('/')}`, method, isSkipped, rest).match?.viewName
        return typeof found === 'string' && table.serves(found, method) ? found : undefined
      })
      return names.includes(viewName) ? [] : names
    })
    return others.find((name) => name !== undefined)
  }

  /** Tells whether a pattern is that of another operation, or of none, though more special than that of the path. */
  function isAnother(place: Root, pattern: Segments, outer: Segments, viewName: string | undefined): boolean {
    const { table, method, isSkipped } = place
    if (viewName !== undefined) {
      const own = paths.of(viewName).patterns
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
    const found = table.walk(`/${sampleOf(pattern).join('/')}`, method, isSkipped, place).match?.viewName
    return typeof found === 'string' && found !== viewName && table.serves(found, method)
  }

  return {
    /**
     * Returns the error for a request whose handlers, wherever they are, would not be those of its version's operation. Others are
     * followed to the handler that responds.
     */
    rejection(req: Request, state: RequestState, { viewName, version, plan }: OlderOperation): Error | undefined {
      const place = state.place as Root
      const { method } = req
      if (hasRivals(method, viewName)) followParams(req)
      if (isPreflight(req)) return undefined
      const later = laterIn(place, viewName)
      if (later !== undefined) {
        // An operation that the version has at another path is described.
        if (state.changes?.operation(method, later, version).present === false) warn(place, method)
        return absent(req, later)
      }
      if (viewName !== undefined && !plan.present) return absent(req, viewName)
      if (viewName === undefined && !passes) warn(place, method)
      else if (!hasOtherReading(place, viewName, paths)) return undefined
      return unhandled(version)
    },

    /** Tells whether another router may read the path of a neutral request as an operation. */
    readsOther(place: Root): boolean {
      return hasOtherReading(place, matchOf(place)?.viewName ?? undefined, paths)
    },

    /** Warns of an older request that handlers have got unconverted, and that one of them rejected. */
    warnOfUnconverted(req: Request, { method, viewName, version }: OlderOperation, status: number): void {
      // A parser that rejects a body has left none.
      const isRead = !hasBody(req) || (req.body !== undefined && !isBlank(req.body))
      if (hasWarned || !isRead || status >= 500 || IN_FRONT.has(status)) return
      hasWarned = true
      process.emitWarning(
        `"${operationMethod(method)} ${viewName}" in version "${version}" got the response ${status} from a handler that had the request unconverted. Put convertRequest of express-versioning/changes in front of the handlers, behind versioning() and the parsers.`,
        { code: 'EXPRESS_VERSIONING_UNCONVERTED' },
      )
    },

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
    },

    /**
     * Compares the place that responds with the operation of the path: the route, as Express names it, and the operation that the
     * mounts and the url of the request name now.
     *
     * @throws {Error} if it is another one.
     */
    checkPlace(req: Request, state: RequestState, { method, viewName, version }: OlderOperation): void {
      const place = state.place as Root
      const { baseUrl, route } = req
      const path = pathnameOf(req)
      if (path === undefined || !isBelow(baseUrl, place.baseUrl)) return
      const isSame = withoutSlash(baseUrl + path) === withoutSlash(place.baseUrl + place.path)
      const isDoubtful = !isSame || hasRivals(method, viewName)
      const known = route === undefined ? undefined : knownRoute(route)
      const key = isSame ? `${baseUrl.split('/').length} ${viewName}` : ''
      const isKnown = known === undefined || known.patterns.length === 0 || known.operations.has(key)
      if (isKnown && !isDoubtful) return
      const here = hereOf(req, place.baseUrl, path, known?.patterns ?? [], isDoubtful)
      const isOtherRoute = !isKnown && isOther(place, here, viewName)
      if (!isKnown && !isOtherRoute && isSame) known.operations.add(key)
      const other = isOtherRoute || !isDoubtful ? undefined : otherAt(place, here, viewName)
      if (!isOtherRoute && other === undefined) return
      const named = (name: string | undefined) => name && `"${operationMethod(method)} ${name}"`
      const [responding, remedy] =
        other === undefined
          ? [`the route ${JSON.stringify(route.path)} of Express`, 'Describe both in the document, or none']
          : [
              `a handler of ${named(other)}, by its mounts and "req.url",`,
              'Mount the handlers of literal paths in front of those with parameters, and rewrite URLs in front of versioning()',
            ]
      throw new ChangeFailure(
        { kind: 'response', operation: `${operationMethod(method)} ${viewName ?? 'unknown'}` },
        `The path of the request is that of ${named(viewName) ?? 'no operation of the table'} in version "${version}", but ${responding} has sent the response. ${remedy}`,
        { version, req },
      )
    },

    /** Takes the methods out of the `Allow` of a response that the version does not have at the path: Express lists all. */
    limitAllow(req: Request, res: Response, state: RequestState): void {
      const allow = res.getHeader('Allow')
      if (typeof allow !== 'string' || isPreflight(req)) return
      const { table, path, isSkipped: _, ...rest } = state.place as Root
      const isThere = (method: string) => {
        const found = table.walk(String(path), method, undefined, rest).match?.viewName
        if (typeof found !== 'string' || !table.serves(found, method)) return passes || method === 'OPTIONS'
        return state.changes?.isThere(state, method, found) === true
      }
      res.setHeader('Allow', allow.split(/, */).filter(isThere).join(', '))
    },
  }
}
