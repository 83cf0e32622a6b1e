// The report of changes in responses of older versions: how many met the request, and where to read about them.
import type { Request, Response } from 'express'
import type { VersionChanges } from '../bound-changes'
import { isPreflight } from '../http/preflight'
import { encodeReference, isPathPrefix } from '../http/reference'
import { variesOn } from '../http/vary'
import type { ConvertedExchange, RequestState } from '../request/state'
import type { BaseVersioning } from '../schemes/base'
import { carriedParts } from '../schemes/carriers'
import type { Lifecycle } from './plans'
import { write } from './written'

/** Returns `true`, `false` or the address of a changelog; `undefined` for other values. */
export function asReport(value: unknown): boolean | string | undefined {
  if (typeof value !== 'string') return typeof value === 'boolean' ? value : undefined
  if (isPathPrefix(value)) return encodeReference(value)
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined
}

/** The header fields about changes of one `versioning()`, made only for `reportChanges`. */
export class ChangesReport {
  /** The numbers of the changes after each version, as the changelog counts them, by their descriptions. */
  readonly #after: ReadonlyMap<string, ReadonlyMap<string, number>>

  /** @param page `true`, or the address of the changelog. */
  constructor(
    history: VersionChanges,
    private readonly scheme: BaseVersioning,
    private readonly lifecycles: ReadonlyMap<string, Lifecycle>,
    private readonly page: true | string,
  ) {
    const versions = history.list()
    const all = versions.flatMap(({ changes }, at) => changes.map(({ description }) => ({ description, at })))
    const numbered = all.map((change, index) => ({ ...change, number: index + 1 })).reverse()
    // Of several changes with one description, the oldest is told. The newest version has none behind it.
    const behind = (at: number) =>
      numbered.flatMap((one) => (one.at > at ? [[one.description, one.number] as const] : []))
    this.#after = new Map(versions.slice(0, -1).map(({ version }, at) => [version, new Map(behind(at))]))
  }

  /** Writes the fields of a response whose head is about to be sent. */
  write(req: Request, res: Response, state: RequestState): void {
    const { decision, exchange, isTorn } = state
    const after = this.#after.get(decision.version as string)
    if (after === undefined || isTorn || isPreflight(req) || !this.#isApart(req, res)) return
    // The decision has asked the conversion to note them.
    const met = [...((exchange as ConvertedExchange).met as ReadonlySet<string>)]
    const numbers = met.map((description) => after.get(description) as number)
    res.setHeader('API-Changes-Met', String(numbers.length))
    const page = this.#pageOf(decision.version as string, state)
    if (numbers.length === 0 || page === undefined) return
    write(res, state, { name: 'Link', value: `<${page}#change-${Math.min(...numbers)}>; rel="deprecation"` })
  }

  /** Tells whether caches keep the responses of versions apart. A 304 would write its fields over those of a stored response. */
  #isApart(req: Request, res: Response): boolean {
    if (res.statusCode === 304) return false
    const { varyOn } = this.scheme
    const names = typeof varyOn === 'function' ? varyOn(req) : varyOn
    return names.length === 0 ? this.#isInUrl : variesOn(res, names)
  }

  /** `true` if the URL has the version, and so has the key of each cache. */
  get #isInUrl(): boolean {
    const carriers = [...this.#after.keys()].map((version) => this.scheme.carriers(version))
    return carriers.every((some) => some.length > 0 && some.every((one) => carriedParts(one).headers === undefined))
  }

  #pageOf(version: string, { publicPath }: RequestState): string | undefined {
    const { page } = this
    if (typeof page === 'string') return page.startsWith('/') ? publicPath + page : page
    return this.lifecycles.get(version)?.info?.split('#')[0]
  }
}
