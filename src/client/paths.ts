import { NoReverseMatch } from '../errors'
import { replaceQueryParameter } from '../http/query'
import { encodeReference } from '../http/reference'
import type { CompiledOptions } from '../middleware/options'
import { appendQueryAndHash } from '../request/query'
import { describeFailure } from '../request/reverse'
import type { LinkFailure, LinkKwargs, RouteLinkOptions, RouteRegistry, VersionCarrier } from '../types'
import { kindOf } from '../util/options'
import type { Mount } from './mount'

/** What a link may say of itself: its version and origin are the client's. */
type PathOptions = Omit<RouteLinkOptions, 'origin'>

const ROUTE_OPTIONS = ['args', 'kwargs', 'format', 'query', 'hash'] satisfies (keyof PathOptions)[]
/** Of a path below the mount, whose only parameters are the mount's. */
const BELOW_OPTIONS = ['kwargs', 'query', 'hash'] satisfies (keyof PathOptions)[]

/** The names near one that is not there. */
type NearNames = (viewName: string) => readonly string[]

/** The paths by which clients of one version ask, with the version where the scheme puts it. */
export class VersionPaths {
  readonly #options: CompiledOptions
  readonly #mount: Mount
  readonly #version: string
  readonly #carrier: VersionCarrier
  /** The path parameter that a scheme reads, be it the one that carries the version, or another of a combination. */
  readonly #parameter: string | undefined
  readonly #readsNamespaces: boolean

  constructor(options: CompiledOptions, mount: Mount, version: string, carrier: VersionCarrier) {
    this.#options = options
    this.#mount = mount
    this.#version = version
    this.#carrier = carrier
    const carriers = options.scheme.carriers(version)
    this.#parameter = carriers.find(({ in: place }) => place === 'path')?.name
    this.#readsNamespaces = carriers.some(({ in: place }) => place === 'namespace')
  }

  /**
   * The path to a named route, or with a leading slash the one below the mount.
   *
   * @throws {NoReverseMatch} when there is none.
   */
  to(name: unknown, options: PathOptions = {}): string {
    if (typeof name !== 'string') throw new NoReverseMatch(`A link takes a view name or a path; got ${kindOf(name)}.`)
    const below = name.startsWith('/')
    checkOptions(options, below ? BELOW_OPTIONS : ROUTE_OPTIONS)
    const link = below ? this.#below(name, options) : appendQueryAndHash(this.#named(name, options), options)
    if (link.startsWith('//')) throw new NoReverseMatch('A path that starts with two slashes leads to another host.')
    const { in: place, name: parameter, value } = this.#carrier
    return place === 'query' ? replaceQueryParameter(link, parameter as string, value) : link
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
      const path = linked(routes, viewName, options, this.#routeKwargs(viewName, options.kwargs, routes))
      if (typeof path === 'string') return mount + path
      failures.push(path)
    }
    const path = linked(routes, name, options, this.#ownKwargs(name, options.kwargs, routes))
    if (typeof path === 'string' && this.#options.neutral?.has(path, () => routes.resolve(path))) return mount + path
    throw this.#explained(name, failures, routes)
  }

  #explained(name: string, failures: readonly LinkFailure[], routes: RouteRegistry): NoReverseMatch {
    const elsewhere = this.#carrier.in === 'namespace' && routes.has(name) && !this.#isOwn(name)
    if (elsewhere) return noLink(failures, NO_NAMES, ` "${name}" is there, but not in that version.`)
    const own = (full: string) => this.#carrier.in !== 'namespace' || this.#isOwn(full)
    return noLink(failures, (viewName) => routes.near(viewName).filter(own))
  }

  /** The names to try, in order. */
  #namesFor(name: string, routes: RouteRegistry): readonly string[] {
    if (!this.#readsNamespaces) return [name]
    const versioned = this.#versionedName(name, routes)
    return this.#carrier.in === 'namespace' ? [versioned] : [...new Set([name, versioned])]
  }

  /**
   * The full name that a name has in the version: with the version in front, or else the shortest one that has the version in
   * front of the other namespaces that are versions, which may be the name itself.
   */
  #versionedName(name: string, routes: RouteRegistry): string {
    const usual = `${this.#version}:${name}`
    // Mostly there is nothing to search.
    if (routes.has(usual)) return usual
    const found = [...routes.names()].filter((full) => `:${full}`.endsWith(`:${name}`) && this.#isOwn(full))
    const parts = Math.min(...found.map((full) => full.split(':').length))
    const [first = usual, ...others] = found.filter((full) => full.split(':').length === parts)
    if (others.length === 0) return first
    throw new NoReverseMatch(
      `"${name}" stands for more than one route: ${[first, ...others].map((full) => `"${full}"`).join(', ')}.`,
    )
  }

  /** Whether the version is the first of a name's namespaces that is one. */
  #isOwn(fullName: string): boolean {
    const namespaces = fullName.split(':').slice(0, -1)
    return namespaces.find((namespace) => namespace === this.#version || this.#isVersion(namespace)) === this.#version
  }

  #isVersion(namespace: string): boolean {
    const { scheme } = this.#options
    const carriers = scheme.isAllowedVersion(namespace) ? scheme.carriers(namespace) : []
    return carriers.some(({ in: place }) => place === 'namespace')
  }

  /** The version's parameter, where the mount has it. */
  get #mountParameter(): string | undefined {
    return this.#parameter !== undefined && this.#mount.has(this.#parameter) ? this.#parameter : undefined
  }

  /** The arguments with the version, over the caller's. */
  #withVersion(kwargs: LinkKwargs | undefined, parameter: string | undefined): LinkKwargs {
    return parameter === undefined ? { ...kwargs } : { ...kwargs, [parameter]: this.#version }
  }

  /** The arguments that are the mount's. */
  #mountKwargs(kwargs: LinkKwargs | undefined): LinkKwargs {
    const own = Object.entries({ ...kwargs }).filter(([name]) => this.#mount.has(name))
    return this.#withVersion(Object.fromEntries(own), this.#mountParameter)
  }

  /** The arguments that are a route's: those of the mount only where they are its own as well. */
  #ownKwargs(viewName: string, kwargs: LinkKwargs | undefined, routes: RouteRegistry): LinkKwargs {
    const own = Object.entries({ ...kwargs }).filter(([name]) => !this.#mount.has(name) || routes.takes(viewName, name))
    return Object.fromEntries(own)
  }

  /** The same with the version where it belongs; also where the route has no place for it, if nothing else says it. */
  #routeKwargs(viewName: string, kwargs: LinkKwargs | undefined, routes: RouteRegistry): LinkKwargs {
    const parameter = this.#parameter
    const needed = this.#carrier.in === 'path' && this.#mountParameter === undefined
    const put = parameter !== undefined && (needed || routes.takes(viewName, parameter))
    return this.#withVersion(this.#ownKwargs(viewName, kwargs, routes), put ? parameter : undefined)
  }
}

function linked(routes: RouteRegistry, viewName: string, { args, format }: PathOptions, kwargs: LinkKwargs) {
  return routes.link(viewName, args, format === undefined || format === null ? kwargs : { ...kwargs, format })
}

/** A path and its fragment, with the mark. */
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
  // Where one of the names is right and its arguments are not, names near the other one would mislead.
  const mistyped = failures.every(({ unknown }) => unknown)
  const lines = failures.map((failure) => describeFailure(failure, mistyped ? near(failure.viewName) : []))
  return new NoReverseMatch(lines.join(' ') + hint, { failures })
}
