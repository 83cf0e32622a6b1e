// The scheme's decisions about requests that are only described.
import type { Request } from 'express'
import type { RequestChanges } from '../bound-changes'
import type { CompiledOptions } from '../middleware/versioning-options'
import type { PrefixQuestion, RouteRegistry, Walk } from '../registry'
import { inVersion, type MovingChanges, matchInNamedVersion } from '../request/moved-request'
import { NO_ARGS, RequestState, readsRoute, STATE, type Versioning } from '../request/state'
import { strayTest } from '../request/stray'
import { compare } from '../routes/guard'
import { carriedParts } from '../schemes/carriers'
import type { ResolverMatch, RouteParams, VersionCarrier } from '../types'
import { isThenable } from '../util/thenable'

/** A request for a path of the table, as documents and pages describe it. */
export interface DescribedRequest {
  readonly method: string
  /** The path of the table, and the path below it. */
  readonly baseUrl: string
  readonly path: string
  /** The walk to that path in the table. */
  readonly walk: Walk
  /** The same walk for the version's own operations: those that only later versions have are skipped. */
  readonly reached: Walk
  /** The parameters of the mount, overridden by those of the path. */
  readonly params: RouteParams
}

/** The decision about a request. */
interface Verdict {
  readonly version: string | null
  /** `true` if the request names the version; `undefined` if a custom scheme does not say. */
  readonly named: boolean | undefined
}

/** The result if the scheme waits for something, or needs more than a described request has. */
export const UNTOLD: unique symbol = Symbol('untold')

/** The result of a trial; `undefined` for a request that is rejected. */
type Told = Verdict | undefined | typeof UNTOLD

/**
 * Asks the scheme for its decision about requests, so that documents agree with real requests. The requests are described ones,
 * all of one method. Parts that do not depend on the version are asked for once.
 */
export class Trials {
  readonly #options: CompiledOptions
  readonly #routes: RouteRegistry
  readonly #method: string
  readonly #described = new Map<string, DescribedRequest>()
  readonly #bare = new Map<DescribedRequest, Told>()

  constructor(options: CompiledOptions, routes: RouteRegistry, method: string) {
    this.#options = options
    this.#routes = routes
    this.#method = method
  }

  /** Describes a request for a path below a mount. */
  described(version: string, baseUrl: string, path: string, mountParams: RouteParams): DescribedRequest {
    const method = this.#method
    const { changes } = this.#options
    const adds = changes?.addsBehind(version) === true
    const key = `${adds ? version : ''} ${baseUrl} ${path}`
    let found = this.#described.get(key)
    if (found === undefined) {
      const asked = this.#asked(method, baseUrl, path)
      const walk = this.#walk(method, path, asked, mountParams)
      const reached = adds ? this.#walkIn(version, method, path, asked) : walk
      found = { method, baseUrl, path, walk, reached, params: { ...mountParams, ...walk.match?.params } }
      this.#described.set(key, found)
    }
    return found
  }

  /** Returns the walk by which the scheme reads the version. */
  #walk(method: string, path: string, asked: PrefixQuestion, mountParams: RouteParams): Walk {
    const { changes, scheme } = this.#options
    const match =
      changes?.moves && readsRoute(scheme)
        ? matchInNamedVersion(changes as MovingChanges, scheme, { ...asked, method, path }, mountParams)
        : undefined
    return match === undefined ? this.#routes.walk(path, method, undefined, asked) : { match }
  }

  /** Returns the walk of a path to the operation that a version has there. */
  #walkIn(version: string, method: string, path: string, asked: PrefixQuestion): Walk {
    const changes = this.#options.changes as RequestChanges
    const { moves } = changes
    const moved = moves && inVersion(changes as MovingChanges, { ...asked, method, path }, version)
    if (moved !== undefined) return moved
    const isSkipped = (viewName: string) =>
      changes.operation(method, viewName, version).ahead || moves?.isAt(method, viewName, version, undefined) === false
    return this.#routes.walk(path, method, isSkipped, asked)
  }

  /** Returns the question about optional prefixes, for which the request has no match yet. */
  #asked(method: string, baseUrl: string, path: string): PrefixQuestion {
    const walk = { match: null }
    const unmatched = { method, baseUrl, path, walk, reached: walk, params: {} }
    const req = new StandIn(unmatched, undefined, new RequestState()) as object as Request
    return { req, isStray: strayTest(this.#options.scheme) }
  }

  /** Returns the decision about a request that has only its path. */
  bare(described: DescribedRequest): Told {
    if (!this.#bare.has(described)) this.#bare.set(described, this.tried(described, undefined))
    return this.#bare.get(described)
  }

  /**
   * Returns the decision about a request that reaches a route.
   *
   * @param carrier the carrier of the version beside the path.
   */
  tried(described: DescribedRequest, carrier: VersionCarrier | undefined): Told {
    const { scheme } = this.#options
    const { method, baseUrl, path, walk, reached, params } = described
    const state = new RequestState()
    state.config = { scheme } as object as Versioning
    const req = new StandIn(described, carrier, state) as object as Request
    const root = { req, table: this.#routes, baseUrl, path, method, given: true, walk }
    state.place = { ...root, isSkipped: undefined, isStray: undefined, linkStart: undefined }
    try {
      const version = scheme.determineVersion(req, NO_ARGS, params, walk.match)
      if (!isThenable(version)) {
        // Compare as dispatch does, because the scheme may not have asked all of its parts.
        const mismatch = compare(scheme, version, req, params, reached.match as ResolverMatch)
        return mismatch === undefined ? { version, named: state.decision.named } : undefined
      }
      // Nobody handles this promise, and an unhandled rejection would end the process.
      version.then(undefined, () => {})
    } catch (error) {
      if (isRejection(error)) return undefined
    }
    return UNTOLD
  }
}

function isRejection(error: unknown): boolean {
  const status = (error as { status?: unknown } | null | undefined)?.status
  return typeof status === 'number' && status >= 400 && status < 500
}

/** The parts of a request that schemes read. Only a server can make Express's own. */
class StandIn {
  readonly [STATE]: RequestState
  readonly method: string
  readonly baseUrl: string
  readonly path: string
  readonly url: string
  readonly originalUrl: string
  readonly params: RouteParams
  readonly headers: Record<string, string> = { host: 'example.com' }
  readonly rawHeaders: readonly string[] = []
  readonly httpVersion = '1.1'
  readonly protocol = 'http'
  readonly query: Readonly<Record<string, string>> = {}
  readonly cookies: Readonly<Record<string, string>> = {}
  readonly socket = {}
  readonly app = { get: () => undefined }

  readonly #walk: Walk

  constructor(
    { method, baseUrl, path, walk, params }: DescribedRequest,
    carrier: VersionCarrier | undefined,
    state: RequestState,
  ) {
    this[STATE] = state
    this.method = method
    this.baseUrl = baseUrl
    this.path = path
    this.params = params
    this.#walk = walk
    const { headers = {}, query, cookies, label } = carriedParts(carrier)
    for (const [name, value] of Object.entries(headers)) this.headers[name.toLowerCase()] = value
    if (label !== undefined) this.headers.host = `${label}.example.com`
    if (query !== undefined) this.query = query
    if (cookies !== undefined) this.cookies = cookies
    this.url = query === undefined ? path : `${path}?${new URLSearchParams(query)}`
    this.originalUrl = baseUrl + this.url
  }

  get hostname(): string {
    return this.headers.host as string
  }

  get resolverMatch(): ResolverMatch | null {
    return this.#walk.match
  }

  get(name: string): string | undefined {
    const key = name.toLowerCase()
    return Object.hasOwn(this.headers, key) ? this.headers[key] : undefined
  }

  header(name: string): string | undefined {
    return this.get(name)
  }
}
