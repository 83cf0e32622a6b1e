// Builds links without a version, and handles the failures of links.
import type { Request } from 'express'
import { NoReverseMatch } from '../errors'
import { encodeReference } from '../http/reference'
import type { LinkFailure, LinkKwargs, LinkOptions } from '../types'
import { linkOrigin } from './origin'
import { rootOf } from './place'
import { appendQueryAndHash } from './query'
import { type Attempt, type Linked, peekState, type RequestState } from './state'

const NO_TABLE =
  'No route table in sight: give versioning() the root namedRoutes() table as `routes`, or make the link inside a table that handles the request.'

/** Returns the version of a link: the `version` option, or the version of the request; `null` for no version. */
export function linkedVersion({ version }: LinkOptions, request: Request | undefined): string | null {
  return version === undefined ? (request?.version ?? null) : version
}

/** A mount path of ordinary segments. It needs no further check. */
const ORDINARY = /^(?:\/[\w~-][\w.~-]*)*$/

// A mount path of ordinary segments has none of these: a start other than a slash, `//`, a trailing slash (a wildcard
// mount has one for `GET //`), dot segments (percent-encoded ones count, WHATWG URL 4.3), a backslash (browsers read it
// as a slash), or characters that are not URL code points.
const SUSPECT = /^[^/]|\/\/|\/$|\\|\/(?:\.|%2e)|[^!-~]|["<>^`{|}]/i

/** Returns the mount path, made safe for the start of a link. The client chose its bytes. */
function safeMount(baseUrl: string): string {
  if (ORDINARY.test(baseUrl) || !SUSPECT.test(baseUrl)) return baseUrl
  const dots = baseUrl.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (dots || !baseUrl.startsWith('/') || baseUrl.startsWith('//') || baseUrl.endsWith('/')) {
    throw new NoReverseMatch('The path that this request was mounted at cannot start a link.', { status: 400 })
  }
  return encodeReference(baseUrl)
}

/** Tells whether a named route has a parameter, as far as the request's table knows. */
export function takes(request: Request | undefined, viewname: string, parameter: string): boolean {
  return rootOf(peekState(request))?.table.takes(viewname, parameter) ?? true
}

/**
 * The failure of a link that is known to fail. Its details are computed only when they are read, because a fallback
 * often follows.
 */
export class LateFailure implements LinkFailure {
  #told: LinkFailure | undefined

  constructor(
    readonly viewName: string,
    private readonly link: () => Linked,
  ) {}

  get #failure(): LinkFailure {
    this.#told ??= (this.link() as readonly LinkFailure[])[0] as LinkFailure
    return this.#told
  }

  get reason(): string {
    return this.#failure.reason
  }

  get pattern(): string | undefined {
    return this.#failure.pattern
  }

  get unknown(): boolean {
    return this.#failure.unknown
  }

  get unfit(): readonly unknown[] {
    return this.#failure.unfit ?? []
  }
}

/** Tells whether an attempt gave no link. */
export function isFailed(made: Attempt): made is readonly LinkFailure[] | NoReverseMatch {
  return typeof made === 'object'
}

/** Returns the names that failed; an empty list for an error that has nothing to do with the name. */
export function failuresOf(made: readonly LinkFailure[] | NoReverseMatch): readonly LinkFailure[] {
  return made instanceof NoReverseMatch ? made.failures : made
}

/** Makes a link. A `NoReverseMatch` that is thrown becomes the result. */
export function attempted(make: () => Attempt): Attempt {
  try {
    return make()
  } catch (error) {
    if (error instanceof NoReverseMatch) return error
    throw error
  }
}

/** Returns the link, or throws. The caller that gives up adds the names that are near. */
export function linkOrThrow(made: Linked): string {
  if (!isFailed(made)) return made
  const message = made.map(({ viewName, reason }) => `"${viewName}" ${reason}`).join('; ')
  throw new NoReverseMatch(`No link: ${message}.`, { failures: made })
}

/** Tells whether a route has no operation in a version, because of the changes between versions. */
function isAbsent({ config }: RequestState, viewname: string, path: string, version: string | null): boolean {
  if (version === null || config?.changes === undefined || config.changes.hasRoute(viewname, version)) return false
  return !config.isNeutral(path, () => null)
}

/**
 * Builds a link without a version: the public path prefix, the mount, the path of the named route, its query and
 * fragment. With `absolute`, it starts with an origin.
 *
 * @param kwargs replace the kwargs of the options.
 * @throws {NoReverseMatch} if there is no table, or if the mount, host, origin, query or hash cannot be part of a link.
 */
export function plainLink(
  viewname: string,
  options: LinkOptions,
  request: Request | undefined,
  kwargs: LinkKwargs | undefined = options.kwargs,
): Linked {
  const state = peekState(request)
  const root = rootOf(state)
  if (state === undefined || root === undefined) throw new NoReverseMatch(NO_TABLE)
  const { args, format, query, hash } = options
  const path = root.table.link(viewname, args, format === undefined || format === null ? kwargs : { ...kwargs, format })
  if (typeof path !== 'string') return [path]
  if (isAbsent(state, viewname, path, linkedVersion(options, request))) {
    return [{ viewName: viewname, reason: 'is not there in the version of the link', unknown: false }]
  }
  root.linkStart ??= safeMount(root.baseUrl)
  let link = state.publicPath + root.linkStart + path
  if (query !== undefined || hash !== undefined) link = appendQueryAndHash(link, options)
  return options.absolute === true ? linkOrigin(options, request as Request) + link : link
}
