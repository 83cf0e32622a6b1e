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

/** The version a link is for: the one asked for, else the request's own; `null` for none. */
export function linkedVersion({ version }: LinkOptions, request: Request | undefined): string | null {
  return version === undefined ? (request?.version ?? null) : version
}

/** A mount path of ordinary segments, which needs no second look. */
const ORDINARY = /^(?:\/[\w~-][\w.~-]*)*$/

// What a mount path of ordinary segments never has: another start than a slash, `//`, a slash at its end (a wildcard's mount
// has, for `GET //`), dot segments (percent-encoded ones count, WHATWG URL 4.3), a backslash (a slash to browsers), or
// characters that are no URL code points.
const SUSPECT = /^[^/]|\/\/|\/$|\\|\/(?:\.|%2e)|[^!-~]|["<>^`{|}]/i

/** The mount path as a link may start with it: the client chose its bytes, so it is made safe, or refused. */
function safeMount(baseUrl: string): string {
  if (ORDINARY.test(baseUrl) || !SUSPECT.test(baseUrl)) return baseUrl
  const dots = baseUrl.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (dots || !baseUrl.startsWith('/') || baseUrl.startsWith('//') || baseUrl.endsWith('/')) {
    throw new NoReverseMatch('The path that this request was mounted at cannot start a link.', { status: 400 })
  }
  return encodeReference(baseUrl)
}

/** Whether the route of a name has a parameter of that name, as far as the request's table knows. */
export function takes(request: Request | undefined, viewname: string, parameter: string): boolean {
  return rootOf(peekState(request))?.table.takes(viewname, parameter) ?? true
}

/** The failure of a link that is known to fail, told only when it is asked: a fallback often follows. */
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

/** Whether an attempt gave no link. */
export function isFailed(made: Attempt): made is readonly LinkFailure[] | NoReverseMatch {
  return typeof made === 'object'
}

/** The names that an attempt failed with; none where something else was wrong. */
export function failuresOf(made: readonly LinkFailure[] | NoReverseMatch): readonly LinkFailure[] {
  return made instanceof NoReverseMatch ? made.failures : made
}

/** Makes a link; a `NoReverseMatch` that is thrown becomes a value. */
export function attempted(make: () => Attempt): Attempt {
  try {
    return make()
  } catch (error) {
    if (error instanceof NoReverseMatch) return error
    throw error
  }
}

/** The link, for those who cannot do without. Near names are left to who gives up. */
export function linkOrThrow(made: Linked): string {
  if (!isFailed(made)) return made
  const message = made.map(({ viewName, reason }) => `"${viewName}" ${reason}`).join('; ')
  throw new NoReverseMatch(`No link: ${message}.`, { failures: made })
}

/** Whether the changes between versions leave no operation of a route in a version. */
function isAbsent({ config }: RequestState, viewname: string, path: string, version: string | null): boolean {
  if (version === null || config?.changes === undefined || config.changes.hasRoute(viewname, version)) return false
  return !config.isNeutral(path, () => null)
}

/**
 * The standard reversal, which knows nothing of versions: the named route's path below its mount, with query and fragment,
 * behind what a proxy took off, and with an origin when `absolute`.
 *
 * @param kwargs in place of those of the options, which stay as they are.
 * @throws {NoReverseMatch} when there is no table, or the request's mount or host, the origin, query or hash make no link.
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
