// The counts: requests of a `versioning()` by version, counted when their responses close.
import type { Request, Response } from 'express'
import type { VersionChanges } from '../bound-changes'
import { isPreflight } from '../http/preflight'
import { statusIn } from '../http/representation'
import type { VersionEvent } from '../middleware/version-events'
import { peekState, type RequestState } from '../request/state'
import type { Surveyor } from '../survey/survey'
import { ALL_METHODS, METHODS_WITH_BODY } from '../util/operation'
import { type ConsumerLabels, OTHER } from './consumers'

/** The values of labels, by name. */
export type Labels = Record<string, string>

/** A number, with its labels. */
export interface Series {
  readonly labels: Labels
  value: number
}

/** A level of the maps: the last one holds series. */
type Level = Map<string, Level | Series>

/** Numbers by the values of some labels. Nested maps are cheaper than keys of joined texts. */
class Tally {
  readonly #names: readonly string[]
  readonly #first: Level = new Map()
  readonly #series: Series[] = []

  constructor(...names: readonly string[]) {
    this.#names = names
  }

  /** All series, in the order in which they began. */
  get series(): readonly Series[] {
    return this.#series
  }

  /** Returns the series of these values, one for each label. A new one begins at 0. */
  at(...values: readonly string[]): Series {
    const last = values.length - 1
    let level = this.#first
    for (let index = 0; index < last; index++) {
      let next = level.get(values[index] as string) as Level | undefined
      if (next === undefined) {
        next = new Map()
        level.set(values[index] as string, next)
      }
      level = next
    }
    const found = level.get(values[last] as string) as Series | undefined
    return found ?? this.#begun(level, values)
  }

  #begun(level: Level, values: readonly string[]): Series {
    const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] as string]))
    const series = { labels, value: 0 }
    level.set(values.at(-1) as string, series)
    this.#series.push(series)
    return series
  }
}

/** The counts of requests by the changes that met them. The labels are those of the history, so clients begin no series. */
export class ChangeCounts {
  readonly requests = new Tally('version', 'change')
  readonly byConsumer = new Tally('version', 'change', 'consumer')
  readonly lastRequests: Tally
  /** The series of each version, by the descriptions of the changes after it. */
  readonly #after = new Map<string, ReadonlyMap<string, Series>>()

  /**
   * Begins the series of each version and each change after it at 0. Prometheus sees no increase in a series that begins with its
   * first request.
   *
   * @param accepted the versions of requests.
   */
  constructor(history: VersionChanges, accepted: ReadonlySet<unknown>, hasConsumers: boolean) {
    this.lastRequests = new Tally('version', 'change', ...(hasConsumers ? ['consumer'] : []))
    const versions = history.list()
    const twice = new Set<string>()
    for (const [index, { version }] of versions.entries()) {
      if (!accepted.has(version)) continue
      const changes = versions.slice(index + 1).flatMap(({ changes }) => changes)
      const series = changes.map(({ description }) => [description, this.requests.at(version, description)] as const)
      if (series.length > 0) this.#after.set(version, new Map(series))
      const once = new Set<string>()
      for (const [description] of series) (once.has(description) ? twice : once).add(description)
    }
    if (twice.size > 0) warnOfTwice(twice)
  }

  /** Lets the conversion of a request note the changes that meet it. */
  watch(request: Request, version: string): void {
    if (!this.#after.has(version)) return
    const state = peekState(request) as RequestState
    state.changes?.noteMet(state)
  }

  /**
   * Notes that the changes that met a request so far meet one now.
   *
   * @param consumer the label of its consumer; none without the option.
   * @param by 1 for a request that is over and counts, 0 for one that is open.
   */
  use(request: Request, version: string, consumer: readonly string[], by: 0 | 1): void {
    this.add(version, peekState(request)?.exchange?.met, consumer, by)
  }

  /** Adds to the series of changes, as {@link use} does. */
  add(version: string, met: ReadonlySet<string> | undefined, consumer: readonly string[], by: 0 | 1): void {
    const known = this.#after.get(version)
    if (met === undefined || known === undefined) return
    for (const description of met) {
      const series = known.get(description)
      // Another versioning() may have converted the request, by a history of its own.
      if (series === undefined) continue
      series.value += by
      if (consumer.length > 0) this.byConsumer.at(version, description, ...consumer).value += by
      this.lastRequests.at(version, description, ...consumer).value = Date.now() / 1000
    }
  }
}

/** Warns of changes with one description: they have one label, and so one series. */
function warnOfTwice(descriptions: ReadonlySet<string>): void {
  const list = [...descriptions].map((description) => JSON.stringify(description)).join(', ')
  process.emitWarning(
    `versionMetrics(): several changes have the same description, so they are counted as one: ${list}. Give each its own description.`,
    { code: 'EXPRESS_VERSIONING_METRICS' },
  )
}

/** The label of requests without a version: rejected ones, and those of `null`. */
const NONE = 'none'

/** Matches the codes of rejections because the version is not served at the time. */
const NOT_SERVED = /^ERR_VERSION_(?:GONE|BROWNOUT)$/

/** The time after which a request without response headers counts as used, in milliseconds. */
const PATIENCE = 60_000

/** The last decision about a request whose response is not closed yet. */
interface Open {
  readonly request: Request
  /** The time of the decision. */
  readonly since: number
  version: string
  named: string
  route: string
  code: string
}

/** The counts of requests. The labels take values of the options only, so clients begin no series without end. */
export class Counts {
  readonly requests = new Tally('version', 'named', 'route', 'method', 'status', 'code')
  readonly byConsumer = new Tally('version', 'named', 'consumer')
  readonly operations = new Tally('version', 'consumer', 'route', 'method')
  readonly errors = new Tally('version', 'consumer', 'status', 'code')
  /** The latest dates that `extended` of `lifecycle` gave, by version. */
  readonly extended = new Map<string, number>()
  /** The counts of changes; undefined without a history. */
  readonly changes: ChangeCounts | undefined
  readonly #lastRequest: Tally
  readonly #surveyor: Surveyor
  readonly #consumers: ConsumerLabels | undefined
  readonly #versions: ReadonlySet<unknown>
  readonly #methods = new Set([...ALL_METHODS, ...METHODS_WITH_BODY, 'HEAD', 'OPTIONS'])
  readonly #routes = new Set<string | null>()
  readonly #open = new Map<Response, Open>()
  #revision = -1
  #begun: object | undefined

  constructor(surveyor: Surveyor, history: VersionChanges | undefined, consumers: ConsumerLabels | undefined) {
    this.#surveyor = surveyor
    this.#consumers = consumers
    this.#versions = new Set(surveyor.options.scheme.acceptedVersions)
    this.changes = history && new ChangeCounts(history, this.#versions, consumers !== undefined)
    this.#lastRequest = new Tally('version', 'named', ...(consumers === undefined ? [] : ['consumer']))
    const { defaultVersion } = surveyor.options.scheme
    for (const version of this.#versions) {
      if (typeof version !== 'string') continue
      for (const named of version === defaultVersion ? ['true', 'false'] : ['true']) {
        for (const consumer of consumers?.listed ?? []) this.byConsumer.at(version, named, consumer)
        // 0 is never. The gauge is there from the start, so that its absence says something.
        const labels = consumers === undefined ? [[]] : [...consumers.listed, OTHER].map((consumer) => [consumer])
        for (const consumer of labels) this.#lastRequest.at(version, named, ...consumer)
      }
    }
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

  /** Returns the times of the last requests. A response that is still open counts as used now, because a stream may never close. */
  lastRequests(): readonly Series[] {
    this.#useOpen()
    return this.#lastRequest.series
  }

  /** Returns the times of the last requests that each change met, in the same way. */
  lastChanges(changes: ChangeCounts): readonly Series[] {
    this.#useOpen()
    return changes.lastRequests.series
  }

  #useOpen(): void {
    for (const [response, open] of this.#open) {
      const isLong = response.headersSent || Date.now() - open.since >= PATIENCE
      // Who sent a request is known once its response begins. A path without a route may still get 404.
      if (isLong || (this.#consumers === undefined && open.route !== OTHER)) {
        const consumer = this.#who(response, open)
        this.#use(response, open, consumer)
        this.changes?.use(open.request, open.version, consumer, 0)
      }
    }
  }

  /** Notes an event. The request counts once, by its last one. */
  note({ phase, request, response, version, named, viewName, error }: VersionEvent): void {
    if (isPreflight(request)) return
    const decided = {
      version: typeof version === 'string' && this.#versions.has(version) ? version : NONE,
      named: String(named),
      route: this.#routeOf(viewName),
    }
    this.#noteExtension(request, decided.version)
    if (phase === 'decided') this.changes?.watch(request, decided.version)
    const before = this.#open.get(response)
    const open = { request, since: Date.now(), ...decided, code: codeOf(error) || (before?.code ?? '') }
    if (before !== undefined) Object.assign(before, { ...decided, code: open.code })
    else if (response.closed) this.#count(response, open)
    else {
      this.#open.set(response, open)
      response.on('close', () => {
        this.#open.delete(response)
        this.#count(response, open)
      })
    }
  }

  #noteExtension(request: Request, version: string): void {
    const until = peekState(request)?.decision.extended
    if (until !== undefined) this.extended.set(version, Math.max(until, this.extended.get(version) ?? until))
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

  #count(response: Response, open: Open): void {
    const { request, version, named, route, code } = open
    const method = this.#methods.has(request.method) ? request.method : OTHER
    const status = statusLabel(response)
    this.requests.at(version, named, route, method, status, code).value++
    const consumer = this.#who(response, open)
    const [who] = consumer
    if (who !== undefined) {
      this.byConsumer.at(version, named, who).value++
      this.operations.at(version, who, route, method).value++
      if (status === '4xx' || status === '5xx') this.errors.at(version, who, status, code).value++
    }
    this.#use(response, open, consumer)
    this.changes?.use(request, version, consumer, 1)
  }

  /** Returns the labels of the consumer; none without the option. */
  #who(response: Response, { request }: Open): string[] {
    return this.#consumers === undefined ? [] : [this.#consumers.of(request, response)]
  }

  /** Notes that a version is in use now. */
  #use(response: Response, { version, named, route, code }: Open, consumer: readonly string[]): void {
    const isNoUse = route === OTHER && (statusIn(response) === 404 || NOT_SERVED.test(code))
    if (version !== NONE && !isNoUse) this.#lastRequest.at(version, named, ...consumer).value = Date.now() / 1000
  }
}

function statusLabel({ writableFinished, statusCode }: Response): string {
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
