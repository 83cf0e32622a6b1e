import type { Request } from 'express'
import type { CompiledOptions } from '../middleware/options'
import { NO_ARGS, RequestState, STATE, type Versioning, type Walk } from '../request/state'
import type { ResolverMatch, RouteParams, VersionCarrier } from '../types'
import { isThenable } from '../util/thenable'

/** A request for a path of the table, as a document or a page would describe it. */
export interface Described {
  readonly method: string
  /** Where the table stands, and the path below that. */
  readonly baseUrl: string
  readonly path: string
  /** What that path is in the table. */
  readonly walk: Walk
  /** The parameters of the mount, and over them of the path. */
  readonly params: RouteParams
}

/** What a request would be decided as. */
export interface Verdict {
  readonly version: string | null
  /** Whether the request names it; a scheme of one's own that decides all by itself does not say. */
  readonly named: boolean | undefined
}

/**
 * What the scheme would decide of a request: asked in place of being derived, so that documents say what requests meet. The
 * request is no real one; a scheme of one's own that needs more of it than there is, or that waits, decides nothing here.
 *
 * @param carrier what the request carries beside its path.
 * @returns `undefined` for a request that is refused, and where nobody can say.
 */
export function tried(
  { scheme, routes }: CompiledOptions,
  described: Described,
  carrier: VersionCarrier | undefined,
): Verdict | undefined {
  const state = new RequestState()
  state.config = { scheme } as object as Versioning
  if (routes !== undefined) {
    const { method, baseUrl, path, walk } = described
    state.root = { table: routes, baseUrl, path, method, given: true, walk, linkStart: undefined }
  }
  const req = new StandIn(described, carrier, state) as object as Request
  try {
    const version = scheme.determineVersion(req, NO_ARGS, described.params)
    if (!isThenable(version)) return { version, named: state.decision.named }
    // Nobody waits for it, and its failure must not end the process.
    version.then(undefined, () => {})
  } catch {
    // Refused, or not to be told without a real request.
  }
  return undefined
}

/** What schemes read of a request: Express's own is made by a server alone. */
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
  readonly cookies = {}
  readonly socket = {}
  readonly app = { get: () => undefined }

  constructor({ method, baseUrl, path, params }: Described, carrier: VersionCarrier | undefined, state: RequestState) {
    this[STATE] = state
    this.method = method
    this.baseUrl = baseUrl
    this.path = path
    this.params = params
    let search = ''
    if (carrier !== undefined) {
      const { name = '', value } = carrier
      if (carrier.in === 'header') this.headers[name.toLowerCase()] = value
      if (carrier.in === 'host') this.headers.host = `${value}.example.com`
      if (carrier.in === 'query') {
        this.query = { [name]: value }
        search = `?${new URLSearchParams(this.query)}`
      }
    }
    this.url = path + search
    this.originalUrl = baseUrl + this.url
  }

  get hostname(): string {
    return this.headers.host as string
  }

  get resolverMatch(): ResolverMatch | null {
    return this[STATE].root?.walk?.match ?? null
  }

  get(name: string): string | undefined {
    const key = name.toLowerCase()
    return Object.hasOwn(this.headers, key) ? this.headers[key] : undefined
  }

  header(name: string): string | undefined {
    return this.get(name)
  }
}
