// The survey: which operations each version serves. Documents, pages and lists are made from it.

import { servedBy } from '../middleware/by-version'
import { deprecationOf, type RouteDeprecation } from '../middleware/deprecated'
import { type CompiledOptions, compileOptions, type VersioningOptions } from '../middleware/versioning-options'
import type { PathPart, RouteFacts, RouteRegistry } from '../registry'
import { alternativesOf, decided, prefixPattern, withoutTrailingSlashes } from '../routes/pattern'
import { isNamespace, pathParameterOf } from '../schemes/carriers'
import { partsOf, servedMethods } from '../util/operation'
import { badOption } from '../util/options'
import type { OperationDescriptions } from './described'
import { type Address, Addresses } from './operation-addresses'
import { type DescribedRequest, Trials } from './trial'
import { type SurveyedVersion, surveyVersions } from './versions'

/**
 * Leaves the address of the first carrier. It compares the addresses of one route whose path may leave the version out, and those
 * of a table that is included again, below other namespaces or prefixes for the version.
 *
 * @param handlersOf returns the handlers of an operation. Operations with other handlers are others.
 * @returns the operations without those that lost all addresses.
 */
function withOneAddress(
  operations: readonly Operation[],
  handlersOf: (operation: Operation) => readonly object[],
): Operation[] {
  const ids = new Map<object, number>()
  const groups = new Map<string, Operation[]>()
  const groupOf = (operation: Operation): Operation[] => {
    const handlers = handlersOf(operation).map((handler) => {
      const id = ids.get(handler) ?? ids.size
      ids.set(handler, id)
      return id
    })
    const key = JSON.stringify([operation.method, operation.neutral, operation.name, handlers])
    const group = groups.get(key) ?? []
    groups.set(key, group)
    return group
  }
  const alike = operations.map((operation) => {
    const group = groupOf(operation)
    group.push(operation)
    return { operation, group }
  })
  return alike.flatMap(({ operation, group }) => {
    const served = [...operation.served].flatMap(([version, { addresses, by }]) => {
      const kept = addresses.filter(
        (address) =>
          !group.some((other) => other.served.get(version)?.addresses.some(isBefore(operation, address, other))),
      )
      return kept.length === 0 ? [] : [[version, { addresses: kept, by }] as const]
    })
    if (served.length === 0 && operation.served.size > 0) return []
    return [{ ...operation, pattern: patternOf(operation, served), served: new Map(served) }]
  })
}

/** Returns the pattern of the addresses that are left: an optional place for the version is there in all of them, or in none. */
function patternOf({ pattern, served: before }: Operation, served: readonly (readonly [string, Served])[]): string {
  const parameterIn = (all: Iterable<Served>) =>
    new Set([...all].flatMap(({ addresses }) => addresses.map(({ parameter }) => parameter)))
  const [all, left] = [parameterIn(before.values()), parameterIn(served.map(([, one]) => one))]
  const lost = [...all].filter((parameter) => !left.has(parameter))
  const parameter = [...all].find((one) => one !== undefined)
  return lost.length === 0 || parameter === undefined ? pattern : decided(pattern, parameter, left.has(parameter))
}

/** Returns the test for addresses of another operation, or of the same, that lead to the same place by an earlier carrier. */
function isBefore(operation: Operation, { rank, place }: Address, other: Operation): (rival: Address) => boolean {
  const isNamedAlike = other !== operation && other.namespaces.join(':') === operation.namespaces.join(':')
  return (rival) => rival.rank < rank && (isNamedAlike || rival.place === place)
}

/** An operation in one version. */
export interface Served {
  /** The addresses; at least one. */
  readonly addresses: readonly Address[]
  /** The version whose handlers `byVersion()` runs; `null` for its `otherwise`, undefined without a `byVersion()`. */
  readonly by: string | null | undefined
}

/** One operation of the API: a method of a named route. */
export interface Operation extends OperationDescriptions {
  readonly method: string
  /** `true` if only `.all()` has handlers for it. */
  readonly fromAll: boolean
  /** The view name with its namespaces. */
  readonly viewName: string
  /** The pattern below the mount. */
  readonly pattern: string
  /** The namespaces without the version's, and the name without any. */
  readonly namespaces: readonly string[]
  readonly name: string
  /** `true` if the operation has no version. All versions then serve it. */
  readonly neutral: boolean
  /** Tells whether its requests are converted or checked in a version. Those that do not fit are rejected. */
  readsRequests(version: string): boolean
  /** The description that `deprecated()` left. */
  readonly deprecation: RouteDeprecation | undefined
  /** The versions that serve the operation. */
  readonly served: ReadonlyMap<string, Served>
  /** The versions that a change removed the operation from. */
  readonly removed: ReadonlySet<string>
}

/** The operations that each version serves, as of one moment. */
export interface Survey {
  /** The versions, oldest first. */
  readonly versions: readonly SurveyedVersion[]
  /** The operations in the order of their declaration. */
  readonly operations: readonly Operation[]
}

/** The maker of surveys, from the same options that `versioning()` gets. */
export class Surveyor {
  readonly options: CompiledOptions
  readonly routes: RouteRegistry
  /** The mount path of `versioning()` and its table. Optional parts are left out, except the version's. */
  readonly mount: readonly PathPart[]
  /** The mount as given, with its optional parts, but without a slash at its end. */
  readonly mountPattern: string
  readonly #all: boolean
  /** The path parameter that carries the version. */
  readonly #parameter: string | undefined
  #survey: Survey | undefined
  #revision = -1
  /** The instants between which the survey holds. */
  #from = 0
  #until = 0

  /**
   * @param owner the name in errors, such as `openapi()`.
   * @param addresses `'all'` for all addresses of an operation; `undefined` for the first one.
   * @throws {TypeError} for options without `routes` or allowed versions, and a mount that is not a path.
   */
  constructor(owner: string, options: VersioningOptions | CompiledOptions, mount = '/', addresses?: 'all') {
    if (addresses !== undefined && addresses !== 'all') {
      throw badOption(owner, 'addresses', "'all', or is left out", addresses)
    }
    this.#all = addresses === 'all'
    this.options = compileOptions(options)
    const { routes, scheme } = this.options
    if (routes === undefined) throw new TypeError(`${owner} needs the option "routes" of versioning(), the table.`)
    if (scheme.acceptedVersions.every((version) => version === null)) {
      throw new TypeError(`${owner} needs the option "allowedVersions" of versioning(), or a history of "changes".`)
    }
    this.routes = routes
    const names = scheme.acceptedVersions.flatMap((version) => (version === null ? [] : scheme.carriers(version)))
    this.#parameter = pathParameterOf(names)
    this.mount = mountParts(owner, mount, this.#parameter)
    this.mountPattern = withoutTrailingSlashes(mount)
  }

  /** Returns the mount in the requests of a version: its place for the version is filled. */
  mountIn(version: string): readonly PathPart[] {
    return new Addresses(this.options, this.mount, version).mount
  }

  /** Returns a prefix of paths in the requests of a version, as the mount. */
  prefixIn(version: string, prefix: string): readonly PathPart[] {
    const parts = prefix === '' ? [] : mountParts('namedRoutes()', prefix, this.#parameter)
    return new Addresses(this.options, parts, version).mount
  }

  /** The title of the API: that of the document that its table was made from, else `API`. */
  get title(): string {
    const [given] = this.routes.elsewhere()?.documents ?? []
    const { title } = Object(given?.today.info) as { readonly title?: unknown }
    return typeof title === 'string' ? title : 'API'
  }

  /** Tells whether the mount has the version. */
  get isVersioned(): boolean {
    return this.mount.some((part) => typeof part !== 'string' && part.name === this.#parameter)
  }

  /** Tells whether paths have the version, but the mount does not. */
  get lacksMount(): boolean {
    return this.#parameter !== undefined && !this.isVersioned
  }

  /** Returns the survey as of now. It is made on first use, and kept until the table changes or a date is reached. */
  get survey(): Survey {
    const now = Date.now()
    const revision = this.routes.revision()
    if (this.#survey === undefined || revision !== this.#revision || now < this.#from || now >= this.#until) {
      this.#survey = this.#made(now)
      this.#revision = revision
      const dates = [
        ...this.#survey.versions.flatMap(({ deprecated, sunset }) => [deprecated, sunset]),
        ...this.#survey.operations.flatMap(({ deprecation }) => [deprecation?.since, deprecation?.sunset]),
      ].filter((date) => date !== undefined)
      // These are loops, because the number of arguments of a call is limited.
      this.#from = dates.reduce((latest, date) => (date <= now && date > latest ? date : latest), 0)
      this.#until = dates.reduce((next, date) => (date > now && date < next ? date : next), Number.POSITIVE_INFINITY)
    }
    return this.#survey
  }

  #made(now: number): Survey {
    const versions = surveyVersions(this.options, now)
    const addresses = new Map(
      versions.map(({ version }) => [version, new Addresses(this.options, this.mount, version)]),
    )
    const names = namespaceVersions(this.options, versions)
    const operations = this.routes.facts().flatMap((whole) => {
      const fromAll = whole.methods.length > 0 && whole.methods.every((method) => method === 'ALL')
      return servedMethods(whole).flatMap((method) => {
        const trials = new Trials(this.options, this.routes, method)
        return this.#parted(whole, method, addresses, trials).map(({ facts, neutral }) =>
          this.#operation(facts, neutral, method, fromAll, addresses, names, trials),
        )
      })
    })
    const handlersOf = ({ viewName, method }: Operation) => this.routes.handlersOf(viewName, method)
    return { versions, operations: this.#all ? operations : withOneAddress(operations, handlersOf) }
  }

  /** Splits a route in two if only some of its paths have no version. */
  #parted(
    facts: RouteFacts,
    method: string,
    addresses: ReadonlyMap<string, Addresses>,
    trials: Trials,
  ): { readonly facts: RouteFacts; readonly neutral: boolean }[] {
    const neutral = facts.paths.filter((path) => this.#isNeutral(facts, method, path, addresses, trials))
    if (neutral.length === 0 || neutral.length === facts.paths.length) return [{ facts, neutral: neutral.length > 0 }]
    const others = facts.paths.filter((path) => !neutral.includes(path))
    return [
      { facts: { ...facts, paths: others }, neutral: false },
      { facts: { ...facts, paths: neutral }, neutral: true },
    ]
  }

  #operation(
    facts: RouteFacts,
    neutral: boolean,
    method: string,
    fromAll: boolean,
    addresses: ReadonlyMap<string, Addresses>,
    versionNames: ReadonlySet<string>,
    trials: Trials,
  ): Operation {
    const { viewName, pattern } = facts
    const { scheme, changes } = this.options
    const handlers = this.routes.handlersOf(viewName, method)
    const served = new Map<string, Served>()
    const removed = new Set<string>()
    for (const [version, ways] of addresses) {
      const by = servedBy(handlers, scheme, neutral ? null : version)
      if (by === false) continue
      const inVersion = neutral ? undefined : changes?.operation(method, viewName, version)
      if (inVersion?.ahead) continue
      const moved = neutral ? undefined : changes?.moves?.routeIn(method, viewName, version)
      const found = ways.of({ viewName, paths: moved?.paths ?? facts.paths }, neutral, trials)
      if (found.length === 0) continue
      if (inVersion?.present === false) removed.add(version)
      else served.set(version, { addresses: found, by })
    }
    const parts: string[] = partsOf(viewName)
    const name = parts.pop() as string
    const at = parts.findIndex((namespace) => versionNames.has(namespace))
    const namespaces = parts.filter((_, index) => index !== at)
    const deprecation = handlers.map(deprecationOf).find((found) => found !== undefined)
    const description = facts.describedAs(method)
    return {
      method,
      fromAll,
      viewName,
      pattern,
      namespaces,
      name,
      neutral,
      deprecation,
      description,
      inVersion: (version) => (neutral ? undefined : changes?.operation(method, viewName, version)),
      readsRequests: (version) => !neutral && changes?.readsRequests(method, viewName, version) === true,
      common: facts.common,
      served,
      removed,
    }
  }

  /**
   * Tells whether requests for a path have no version. The first route of a path decides that, also in versions that
   * skip it.
   */
  #isNeutral(
    { viewName }: RouteFacts,
    method: string,
    path: readonly PathPart[],
    addresses: ReadonlyMap<string, Addresses>,
    trials: Trials,
  ): boolean {
    const { neutral } = this.options
    if (neutral === undefined) return false
    const requests = [...addresses.values()].flatMap((ways) => ways.requests(path, trials))
    const own = requests.find(({ walk }) => walk.match?.viewName === viewName) ?? (requests[0] as DescribedRequest)
    return neutral.has(own.path, method, () => own.walk.match)
  }
}

/** Returns the namespaces that name versions. */
function namespaceVersions({ scheme }: CompiledOptions, versions: readonly SurveyedVersion[]): ReadonlySet<string> {
  const carriers = versions.flatMap(({ version }) => scheme.carriers(version))
  return new Set(carriers.filter(isNamespace).map(({ value }) => value))
}

function mountParts(owner: string, mount: unknown, versionParam: string | undefined): PathPart[] {
  const { tokens } = prefixPattern(`${owner}: option "mount"`, mount, { caseSensitive: false, strict: false })
  // The alternative with most parts comes first.
  const alternatives = alternativesOf(tokens).toReversed()
  const versioned = alternatives.find((alternative) =>
    alternative.some((token) => token.type !== 'text' && token.name === versionParam),
  )
  const parts = (versioned ?? (alternatives[0] as NonNullable<typeof versioned>)).map(
    (token): PathPart => (token.type === 'text' ? token.value : { name: token.name, wildcard: false }),
  )
  // Paths below the mount start with their own slash.
  const last = parts.at(-1)
  return typeof last === 'string' && last.endsWith('/') ? [...parts.slice(0, -1), last.slice(0, -1)] : parts
}
