// The paths by which a version's clients ask for routes.

import { NoReverseMatch } from '../errors'
import { replaceQueryParameter } from '../http/query'
import { encodeReference } from '../http/reference'
import type { CompiledOptions } from '../middleware/versioning-options'
import type { RouteRegistry } from '../registry'
import { describeFailure } from '../request/link-errors'
import { appendQueryAndHash } from '../request/link-text'
import { routePattern } from '../routes/pattern'
import { Template } from '../routes/template'
import { match, type PatternMatch } from '../routes/walk'
import { carriedParts, isNamespace, isPathParameter, pathParameterOf } from '../schemes/carriers'
import type { LinkFailure, LinkKwargs, RouteLinkOptions, VersionCarrier } from '../types'
import { partsOf } from '../util/operation'
import { kindOf } from '../util/options'

const LOOSE = { caseSensitive: false, strict: false }

/** The mount of `versioning()` and its table: a pattern, maybe with parameters. */
export class Mount {
  readonly #template: Template

  /** @throws {TypeError} for a value that is not a path. */
  constructor(owner: string, path: unknown) {
    const pattern = routePattern(`${owner}: option "mount"`, path, LOOSE)
    // `false` means that there are no parameters either.
    const readBack = (path: string) => (match(pattern, path) as PatternMatch).params
    this.#template = new Template('mount', pattern.source, pattern.tokens, readBack)
  }

  has(parameter: string): boolean {
    return this.#template.names.includes(parameter)
  }

  /** Returns the path of the mount, without a slash at its end; or the reason why it failed. */
  filled(kwargs: LinkKwargs): string | LinkFailure {
    const path = this.#template.link(undefined, kwargs)
    return typeof path === 'string' && path.endsWith('/') ? path.slice(0, -1) : path
  }
}

/** Options of a client's link. The client gives version and origin. */
type PathOptions = Omit<RouteLinkOptions, 'origin'>

const ROUTE_OPTIONS = ['args', 'kwargs', 'format', 'query', 'hash'] satisfies (keyof PathOptions)[]
/** Options of a literal path. Only the mount has parameters. */
const BELOW_OPTIONS = ['kwargs', 'query', 'hash'] satisfies (keyof PathOptions)[]

/** Returns a hint with the names near an unknown one. */
type NearNames = (viewName: string) => readonly string[]

/** The paths of one version's clients, with the version where the scheme puts it. */
export class VersionPaths {
  readonly #options: CompiledOptions
  readonly #mount: Mount
  readonly #version: string
  readonly #carrier: VersionCarrier
  /** The path parameter that a scheme of the combination reads, even if another one carries the version. */
  readonly #parameter: string | undefined
  readonly #readsNamespaces: boolean

  constructor(options: CompiledOptions, mount: Mount, version: string, carrier: VersionCarrier) {
    this.#options = options
    this.#mount = mount
    this.#version = version
    this.#carrier = carrier
    const carriers = options.scheme.carriers(version)
    this.#parameter = pathParameterOf(carriers)
    this.#readsNamespaces = carriers.some(isNamespace)
  }

  /**
   * Returns the path of a named route, or with a leading slash the path below the mount.
   *
   * @throws {NoReverseMatch} if no path can be made.
   */
  to(name: unknown, options: PathOptions = {}): string {
    if (typeof name !== 'string') throw new NoReverseMatch(`A link takes a view name or a path; got ${kindOf(name)}.`)
    const below = name.startsWith('/') && !this.#isName(name)
    checkOptions(options, below ? BELOW_OPTIONS : ROUTE_OPTIONS)
    const link = below ? this.#below(name, options) : appendQueryAndHash(this.#named(name, options), options)
    if (link.startsWith('//')) throw new NoReverseMatch('A path that starts with two slashes leads to another host.')
    const query = Object.entries(carriedParts(this.#carrier).query ?? {})
    return query.reduce((path, [parameter, value]) => replaceQueryParameter(path, parameter, value), link)
  }

  /** Tells whether a string with a leading slash is a name of the table, which may have paths as names. */
  #isName(name: string): boolean {
    const { routes } = this.#options
    return routes !== undefined && [...routes.names()].some((full) => full === name || full.endsWith(`:${name}`))
  }

  #below(path: string, { kwargs, query, hash }: PathOptions): string {
    const mount = this.#mount.filled(this.#withVersion(kwargs, this.#mountParameter))
    if (typeof mount !== 'string') throw noLink([mount], NO_NAMES)
    const [target, fragment] = divided(path)
    const added = appendQueryAndHash('', { query })
    const joined = target.includes('?') && added !== '' ? `${target}&${added.slice(1)}` : target + added
    const link = mount + encodeReference(joined)
    return hash === undefined ? link + encodeReference(fragment) : appendQueryAndHash(link, { hash })
  }

  #named(name: string, options: PathOptions): string {
    const { routes } = this.#options
    if (routes === undefined) {
      throw new NoReverseMatch(
        'A view name needs a table: give versioning() the option "routes". A path starts with a slash.',
      )
    }
    const mount = this.#mount.filled(this.#mountKwargs(options.kwargs))
    if (typeof mount !== 'string') throw noLink([mount], NO_NAMES)
    const failures: LinkFailure[] = []
    for (const viewName of this.#namesFor(name, routes)) {
      const kwargs = this.#routeKwargs(viewName, options.kwargs, routes)
      const path = linked(this.#linkable(viewName, routes), options, kwargs)
      if (typeof path === 'string') return mount + path || '/'
      failures.push(path)
    }
    const link: Linkable = (args, kwargs) => routes.link(name, args, kwargs)
    const path = linked(link, options, this.#ownKwargs(name, options.kwargs, routes))
    // The path `''` is matched as `'/'` is.
    if (typeof path === 'string' && this.#options.neutral?.has(path || '/', 'GET', () => routes.resolve(path || '/')))
      return mount + path || '/'
    throw this.#explained(name, failures, routes)
  }

  /** Returns the function that makes links to a route as the version has it. */
  #linkable(viewName: string, routes: RouteRegistry): Linkable {
    const moved = this.#options.changes?.moves?.linkedIn(viewName, this.#version)
    return (args, kwargs) => (moved === undefined ? routes.link(viewName, args, kwargs) : moved.link(args, kwargs))
  }

  #explained(name: string, failures: readonly LinkFailure[], routes: RouteRegistry): NoReverseMatch {
    const elsewhere = isNamespace(this.#carrier) && routes.has(name) && !this.#isOwn(name)
    if (elsewhere) return noLink(failures, NO_NAMES, ` "${name}" is there, but not in that version.`)
    const own = (full: string) => !isNamespace(this.#carrier) || this.#isOwn(full)
    return noLink(failures, (viewName) => routes.near(viewName).filter(own))
  }

  /** Lists the names to try, in order. */
  #namesFor(name: string, routes: RouteRegistry): readonly string[] {
    if (!this.#readsNamespaces) return [name]
    const versioned = this.#versionedName(name, routes)
    return isNamespace(this.#carrier) ? [versioned] : [...new Set([name, versioned])]
  }

  /**
   * Returns the full name of a name in the version: the version in front of it; else the shortest name whose first version
   * namespace is this version, maybe the name itself.
   */
  #versionedName(name: string, routes: RouteRegistry): string {
    const usual = `${this.#version}:${name}`
    // Usually there is nothing to search.
    if (routes.has(usual)) return usual
    const found = [...routes.names()].filter((full) => `:${full}`.endsWith(`:${name}`) && this.#isOwn(full))
    const parts = Math.min(...found.map((full) => partsOf(full).length))
    const [first = usual, ...others] = found.filter((full) => partsOf(full).length === parts)
    if (others.length === 0) return first
    throw new NoReverseMatch(
      `"${name}" stands for more than one route: ${[first, ...others].map((full) => `"${full}"`).join(', ')}.`,
    )
  }

  /** Tells whether the first version among a name's namespaces is this one. */
  #isOwn(fullName: string): boolean {
    const namespaces = partsOf(fullName).slice(0, -1)
    return namespaces.find((namespace) => namespace === this.#version || this.#isVersion(namespace)) === this.#version
  }

  #isVersion(namespace: string): boolean {
    const { scheme } = this.#options
    const carriers = scheme.isAllowedVersion(namespace) ? scheme.carriers(namespace) : []
    return carriers.some(isNamespace)
  }

  /** Returns the version as a mount parameter, if the mount has it. */
  get #mountParameter(): string | undefined {
    return this.#parameter !== undefined && this.#mount.has(this.#parameter) ? this.#parameter : undefined
  }

  /** Returns the arguments with the version, which replaces the caller's. */
  #withVersion(kwargs: LinkKwargs | undefined, parameter: string | undefined): LinkKwargs {
    return parameter === undefined ? { ...kwargs } : { ...kwargs, [parameter]: this.#version }
  }

  /** Returns the arguments of the mount. */
  #mountKwargs(kwargs: LinkKwargs | undefined): LinkKwargs {
    const own = Object.entries({ ...kwargs }).filter(([name]) => this.#mount.has(name))
    return this.#withVersion(Object.fromEntries(own), this.#mountParameter)
  }

  /** Returns the arguments of a route. It shares the mount's only where it has parameters of the same names. */
  #ownKwargs(viewName: string, kwargs: LinkKwargs | undefined, routes: RouteRegistry): LinkKwargs {
    const own = Object.entries({ ...kwargs }).filter(([name]) => !this.#mount.has(name) || routes.takes(viewName, name))
    return Object.fromEntries(own)
  }

  /** Adds the version where it belongs; also to a route without a place for it, if nothing else carries the version. */
  #routeKwargs(viewName: string, kwargs: LinkKwargs | undefined, routes: RouteRegistry): LinkKwargs {
    const parameter = this.#parameter
    const needed = isPathParameter(this.#carrier) && this.#mountParameter === undefined
    const put = parameter !== undefined && (needed || routes.takes(viewName, parameter))
    return this.#withVersion(this.#ownKwargs(viewName, kwargs, routes), put ? parameter : undefined)
  }
}

type Linkable = (args: PathOptions['args'], kwargs: LinkKwargs) => string | LinkFailure

function linked(link: Linkable, { args, format }: PathOptions, kwargs: LinkKwargs) {
  return link(args, format === undefined || format === null ? kwargs : { ...kwargs, format })
}

/** Splits a path and its fragment, `#` included. */
function divided(path: string): [target: string, fragment: string] {
  const mark = path.indexOf('#')
  return mark === -1 ? [path, ''] : [path.slice(0, mark), path.slice(mark)]
}

function checkOptions(options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new NoReverseMatch(`A link takes an object of options; got ${kindOf(options)}.`)
  }
  const entries = Object.entries(options)
  const unknown = entries.find(([name, value]) => value !== undefined && !known.includes(name))?.[0]
  if (unknown === undefined) return
  throw new NoReverseMatch(
    `A link was given the unknown option "${unknown}": parameters go into "kwargs". It takes ${known.map((name) => `"${name}"`).join(' and ')}.`,
  )
}

const NO_NAMES: NearNames = () => []

function noLink(failures: readonly LinkFailure[], near: NearNames, hint = '') {
  // If one name exists and only its arguments are wrong, names near the other one would mislead.
  const mistyped = failures.every(({ unknown }) => unknown)
  const lines = failures.map((failure) => describeFailure(failure, mistyped ? near(failure.viewName) : []))
  return new NoReverseMatch(lines.join(' ') + hint, { failures })
}
