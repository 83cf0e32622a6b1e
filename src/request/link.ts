// Makes the links of requests: `req.reverse()`, and what the schemes need for it.
import type { Request } from 'express'
import { NoReverseMatch } from '../errors'
import { normalizedOrigin, requestAuthority, trustsForwardedHost } from '../http/host'
import { encodeReference } from '../http/reference'
import { appendVary } from '../http/vary'
import type { LinkKwargs, LinkOptions } from '../types'
import { kindOf } from '../util/options'
import { explained } from './link-errors'
import { appendQueryAndHash, isWellFormed, withFormat } from './link-text'
import { type LinkCall, type Linked, peekState, type RequestState, type Root, type Scheme } from './state'

const NO_OPTIONS: LinkOptions = Object.freeze({})

/**
 * Returns a link to a named route, in the version of the request if the scheme keeps versions in URLs. As in DRF's
 * `reverse`, the unversioned name or keyword is tried if the versioned one does not fit, unless `version` asks for one.
 *
 * @throws {NoReverseMatch} with the name that was asked for, the arguments that the route takes, and near names.
 */
export function reverseFor(request: Request, viewname: string, options: LinkOptions = NO_OPTIONS): string {
  const made = attemptFor(request, viewname, options)
  if (typeof made === 'string') return made
  throw explained(made, request, viewname, options)
}

/** Returns the link as {@link reverseFor} does, or its failures as values. */
export function attemptFor(request: Request, viewname: string, options: LinkOptions): Linked {
  return attempted(() => {
    if (typeof viewname !== 'string') throw new NoReverseMatch(`reverse() takes a view name; got ${kindOf(viewname)}.`)
    if (typeof options !== 'object' || options === null) {
      throw new NoReverseMatch(`reverse() takes an object of options; got ${kindOf(options)}.`)
    }
    const call = new Call(request, options)
    const scheme = call.state?.config?.scheme
    const { version } = options
    if (version !== undefined) checkVersion(version, scheme)
    if (scheme === undefined) return call.plain(viewname)
    const made = scheme.attempt(viewname, call)
    if (typeof made === 'string' || version !== undefined) return made
    const plain = attempted(() => call.plain(viewname))
    return typeof plain === 'string' ? plain : [...made, ...plain]
  })
}

/** Makes a link. A `NoReverseMatch` that is thrown becomes a value. */
export function attempted(make: () => Linked): Linked {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof NoReverseMatch)) throw error
    if (error.failures.length > 0) return error.failures
    return [{ viewName: '', reason: error.message, unknown: false, error }]
  }
}

/** Returns the link, or throws. The caller that gives up adds the names that are near. */
export function linkOrThrow(made: Linked): string {
  if (typeof made === 'string') return made
  const message = made.map(({ viewName, reason }) => `"${viewName}" ${reason}`).join('; ')
  throw new NoReverseMatch(`No link: ${message}.`, { failures: made })
}

/** @throws {NoReverseMatch} for a version that no link can have. */
function checkVersion(version: unknown, scheme: Scheme | undefined): void {
  const unfit = [version]
  if (version !== null && (typeof version !== 'string' || !isWellFormed(version))) {
    throw new NoReverseMatch(`"version" takes a well-formed string or null; got ${kindOf(version)}.`, { unfit })
  }
  if (scheme === undefined) {
    throw new NoReverseMatch('"version" needs a versioning() in front of the handler that makes the link.')
  }
  if (version === null) return
  if (!scheme.linksVersion) {
    throw new NoReverseMatch(`${scheme.constructor.name} keeps no version in URLs, so "version" cannot choose one.`)
  }
  if (!scheme.isAllowedVersion(version)) {
    const allowed = scheme.acceptedVersions.map((one) => JSON.stringify(one)).join(', ')
    throw new NoReverseMatch(`"version" takes one of the allowed versions: ${allowed}.`, { unfit })
  }
}

const NO_TABLE =
  'No route table in sight: give versioning() the root namedRoutes() table as `routes`, or make the link inside a table that handles the request.'

export class Call implements LinkCall {
  readonly state: RequestState | undefined
  readonly version: string | null
  readonly #root: Root | undefined

  constructor(
    readonly request: Request | undefined,
    readonly options: LinkOptions,
  ) {
    this.state = peekState(request)
    this.#root = this.state?.place
    this.version = options.version === undefined ? (this.state?.version ?? null) : options.version
  }

  /**
   * Joins the public path prefix, the mount, the path of the named route, its query and fragment. With `absolute`, the
   * link starts with an origin.
   */
  plain(viewname: string, kwargs: LinkKwargs | undefined = this.options.kwargs): Linked {
    const { state, options } = this
    const root = this.#root
    if (state === undefined || root === undefined) throw new NoReverseMatch(NO_TABLE)
    const moved = state.changes?.moves?.linkedIn(viewname, this.version)
    const named = withFormat(kwargs, options)
    const path = moved?.link(options.args, named) ?? root.table.link(viewname, options.args, named)
    if (typeof path !== 'string') return [path]
    const { shownPath } = state.config ?? {}
    const shown = shownPath === undefined ? path : shownPath(path, viewname, this.version)
    if (shown === undefined || isAbsent(state, viewname, path || '/', this.version)) {
      return [{ viewName: viewname, reason: 'is not there in the version of the link', unknown: false }]
    }
    root.linkStart ??= safeMount(root.baseUrl)
    const link = appendQueryAndHash(state.publicPath + root.linkStart + shown || '/', options)
    return options.absolute === true ? this.origin() + link : link
  }

  /** Returns the origin of the call, else that of `versioning()`, else that of the request. */
  origin(): string {
    const { origin } = this.options
    if (origin !== undefined) return checkedOrigin(origin)
    const config = this.state?.config
    return config?.origin ?? requestOrigin(this.request as Request, config?.allowedHosts)
  }
}

/** Tells whether a route has no operation in a version, because of the changes between versions. */
function isAbsent({ changes, config }: RequestState, viewname: string, path: string, version: string | null): boolean {
  if (version === null || changes === undefined || changes.hasRoute(viewname, version)) return false
  return config?.isNeutral(path, 'GET', () => null) === false
}

// A mount path of ordinary segments has none of these: a start other than a slash, `//`, a trailing slash (a wildcard
// mount has one for `GET //`), dot segments (percent-encoded ones count, WHATWG URL 4.3), a backslash (browsers read it
// as a slash), or characters that are not URL code points.
const SUSPECT = /^[^/]|\/\/|\/$|\\|\/(?:\.|%2e)|[^!-~]|["<>^`{|}]/i

/** Returns the mount path, made safe for the start of a link. The client chose its bytes. */
function safeMount(baseUrl: string): string {
  if (!SUSPECT.test(baseUrl)) return baseUrl
  const dots = baseUrl.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (dots || !baseUrl.startsWith('/') || baseUrl.startsWith('//') || baseUrl.endsWith('/')) {
    throw new NoReverseMatch('The path that this request was mounted at cannot start a link.', { status: 400 })
  }
  return encodeReference(baseUrl)
}

/** @throws {NoReverseMatch} for anything but an http(s) origin. */
export function checkedOrigin(origin: unknown): string {
  const normalized = normalizedOrigin(String(origin))
  if (normalized !== undefined) return normalized
  throw new NoReverseMatch(`"origin" takes an origin such as 'https://api.example.com'.`, { unfit: [origin] })
}

/**
 * Returns the origin that a request was sent to, without the dot that ends an absolute name. With a trusted proxy,
 * `Vary` names the forwarding fields even if the request lacks them.
 *
 * @throws {NoReverseMatch} with status 400 if the protocol or host of the request is malformed, or the host is not in
 *   `allowedHosts`.
 */
export function requestOrigin(req: Request, allowedHosts: ReadonlySet<string> | undefined): string {
  if (req.res !== undefined && trustsForwardedHost(req)) appendVary(req.res, 'X-Forwarded-Host, X-Forwarded-Proto')
  const authority = requestAuthority(req)?.replace(/\.(?=:|$)/, '')
  const origin = authority === undefined ? undefined : normalizedOrigin(`${req.protocol}://${authority}`)
  if (origin === undefined) {
    throw new NoReverseMatch('The host of this request cannot start a link.', { status: 400 })
  }
  if (allowedHosts !== undefined && !allowedHosts.has(new URL(origin).host)) {
    throw new NoReverseMatch('The host of this request is not one of the allowed hosts.', { status: 400 })
  }
  return origin
}
