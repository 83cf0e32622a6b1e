// The counts: requests of a `versioning()` by version, counted when their answers close.
import type { Request, Response } from 'express'
import { isPreflight } from '../http/preflight'
import type { VersionEvent } from '../middleware/events'
import type { Surveyor } from '../survey/survey'
import { ALL_METHODS } from '../util/operation'
import { Tally } from './tally'

/** The label of requests without a version: refused ones, and those of `null`. */
const NONE = 'none'

/** The label of paths without a named route, and of unusual methods. */
const OTHER = 'other'

/** Matches the codes of refusals because the version is not served at the time. */
const NOT_SERVED = /^ERR_VERSION_(?:GONE|BROWNOUT)$/

/** The last decision about a request that is not answered yet. */
interface Pending {
  version: string
  named: string
  route: string
  code: string
}

/** The counts of requests. The labels take values of the options only, so clients begin no series without end. */
export class Counts {
  readonly requests = new Tally('version', 'named', 'route', 'method', 'status', 'code')
  readonly byConsumer = new Tally('version', 'named', 'consumer')
  readonly lastRequest: Tally
  readonly #surveyor: Surveyor
  readonly #consumerOf: ((req: Request, res: Response) => string) | undefined
  readonly #versions: ReadonlySet<unknown>
  readonly #methods = new Set([...ALL_METHODS, 'HEAD', 'OPTIONS'])
  readonly #routes = new Set<string | null>()
  readonly #pending = new WeakMap<Response, Pending>()
  #revision = -1
  #begun: object | undefined

  constructor(surveyor: Surveyor, consumerOf: ((req: Request, res: Response) => string) | undefined) {
    this.#surveyor = surveyor
    this.#consumerOf = consumerOf
    this.#versions = new Set(surveyor.options.scheme.acceptedVersions)
    this.lastRequest = new Tally('version', 'named', ...(consumerOf === undefined ? [] : ['consumer']))
  }

  /** Begins the series of every operation at 0. Prometheus sees no increase in a series that begins with its first request. */
  begin(): void {
    const { survey, options } = this.#surveyor
    if (survey === this.#begun) return
    this.#begun = survey
    for (const { viewName, method, neutral, served } of survey.operations) {
      if (neutral) continue
      for (const version of served.keys()) {
        this.requests.at(version, 'true', viewName, method, '2xx', '')
        if (version === options.scheme.defaultVersion) this.requests.at(version, 'false', viewName, method, '2xx', '')
      }
    }
  }

  /** Notes a decision. The request counts once, by its last one. */
  note({ request, response, version, named, viewName, error }: VersionEvent): void {
    if (isPreflight(request)) return
    const decided = {
      version: typeof version === 'string' && this.#versions.has(version) ? version : NONE,
      named: String(named),
      route: this.#routeOf(viewName),
    }
    const before = this.#pending.get(response)
    const pending = { ...decided, code: codeOf(error) || (before?.code ?? '') }
    if (before !== undefined) Object.assign(before, pending)
    else if (response.closed) this.#count(request, response, pending)
    else {
      this.#pending.set(response, pending)
      response.on('close', () => this.#count(request, response, pending))
    }
  }

  /** Returns the label of a view name. Another table may have handled the request. */
  #routeOf(viewName: string | null): string {
    const { routes } = this.#surveyor
    const revision = routes.revision()
    if (revision !== this.#revision) {
      this.#revision = revision
      for (const facts of routes.facts()) {
        this.#routes.add(facts.viewName)
        for (const method of facts.methods) this.#methods.add(method)
      }
    }
    return viewName !== null && this.#routes.has(viewName) ? viewName : OTHER
  }

  #count(req: Request, res: Response, { version, named, route, code }: Pending): void {
    const method = this.#methods.has(req.method) ? req.method : OTHER
    this.requests.at(version, named, route, method, statusOf(res), code).value++
    const consumers = this.#consumerOf === undefined ? [] : [this.#consumerOf(req, res)]
    if (consumers.length > 0) this.byConsumer.at(version, named, ...consumers).value++
    const isNoUse = route === OTHER && (res.statusCode === 404 || NOT_SERVED.test(code))
    if (version !== NONE && !isNoUse) this.lastRequest.at(version, named, ...consumers).value = Date.now() / 1000
  }
}

function statusOf({ writableFinished, statusCode }: Response): string {
  if (!writableFinished) return 'aborted'
  return `${Math.min(5, Math.max(2, Math.floor(statusCode / 100)))}xx`
}

/** Returns the code of an error of this package; `''` for others, whose codes may be anything. */
function codeOf(error: unknown): string {
  try {
    const code = String((error as { code?: unknown } | null | undefined)?.code)
    return code.startsWith('ERR_VERSION_') ? code : ''
  } catch {
    // A scheme may throw anything, also an object with a failing getter.
    return ''
  }
}
