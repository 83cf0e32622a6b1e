// The combination of several schemes: which one decides, and what a conflict is.

import type { Request } from 'express'
import { type NoReverseMatch, VersioningError } from '../errors'
import { replaceQueryParameter } from '../http/query'
import { attempted } from '../request/link'
import { errorOf } from '../request/link-errors'
import { type LinkCall, type Linked, NO_ARGS, pendingDecision, readsRoute, type Scheme } from '../request/state'
import type { LinkFailure, LinkOptions, ResolverMatch, RouteParams, VersionCarrier, VersioningSettings } from '../types'
import { nameClass } from '../util/brand'
import { badOption, listOption, shown } from '../util/options'
import { isThenable } from '../util/thenable'
import { BaseVersioning, isScheme, type Named, type RejectionClass, rulesOf } from './base'
import { carriedParts } from './carriers'

/** Settings of {@link CombinedVersioning}. */
export interface CombinedSettings extends VersioningSettings {
  /** The schemes to ask, in order. They must not set `defaultVersion` or `allowedVersions`: the combination's hold. */
  schemes: Iterable<BaseVersioning>
  /**
   * The rule for two schemes that name different versions. `'reject'` rejects the request (default). With `'first'`, the first
   * one decides and the others are not read; a route of another version is still rejected.
   */
  onConflict?: 'reject' | 'first' | undefined
}

/**
 * Combines several schemes: the first one that names a version decides.
 *
 * @example
 * new CombinedVersioning({
 *   schemes: [new URLPathVersioning(), new HeaderVersioning(), new QueryParameterVersioning()],
 *   defaultVersion: 'v1', allowedVersions: ['v1', 'v2'],
 * })
 */
export class CombinedVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'schemes', 'onConflict']

  override readonly varyOn: BaseVersioning['varyOn']
  override readonly carriedIn: VersionCarrier['in'] | undefined
  override readonly linksVersion: boolean
  override readonly invalidVersionMessage: string
  override readonly invalidVersionError: RejectionClass
  readonly #schemes: readonly BaseVersioning[]
  readonly #first: boolean

  /** @throws {TypeError} for a list without schemes, and for a scheme with a default or allowed versions of its own. */
  constructor(settings: CombinedSettings) {
    super(settings)
    const owner = new.target.name
    this.#schemes = checkedSchemes(owner, settings?.schemes)
    const { onConflict = 'reject' } = settings
    if (onConflict !== 'reject' && onConflict !== 'first')
      throw badOption(owner, 'onConflict', "'reject' or 'first'", onConflict)
    this.#first = onConflict === 'first'
    for (const scheme of this.#schemes) rulesOf(scheme).joinTo(rulesOf(this))
    this.varyOn = together(this.#schemes.map(({ varyOn }) => varyOn))
    this.linksVersion = this.#schemes.some(({ linksVersion }) => linksVersion)
    // Rejections are those of the first scheme.
    const { carriedIn, invalidVersionMessage, invalidVersionError } = this.#schemes[0] as BaseVersioning
    this.invalidVersionMessage = invalidVersionMessage
    this.invalidVersionError = invalidVersionError
    this.carriedIn = this.#schemes.some(readsRoute) ? undefined : carriedIn
  }

  override compile(): void {
    super.compile()
    for (const scheme of this.#schemes) scheme.compile()
  }

  /**
   * Returns the version that the first of the schemes names. The others must not name another one.
   *
   * @throws {VersioningError} 400 `ERR_VERSION_CONFLICT` for two versions; the error of the scheme that reads an invalid one.
   */
  override readVersion(req: Request, kwargs: RouteParams, match: ResolverMatch | null): Named {
    return this.#read([req, kwargs, match], 0, [])
  }

  /** Returns the route readers of each scheme. At dispatch, each is compared, whatever `onConflict` says. */
  override get routeReaders(): readonly Scheme[] {
    return this.#schemes.flatMap((scheme) => scheme.routeReaders)
  }

  /**
   * Accepts a listed version. It does not parse, because each scheme has parsed its own text.
   *
   * @throws {TypeError} for anything but a string.
   */
  protected override accepted(version: string): string | undefined {
    return this.listed(version)
  }

  /** Asks the schemes, beginning with the one at `from`. Stays synchronous until one of them returns a promise. */
  #read(question: Parameters<BaseVersioning['readVersion']>, from: number, named: string[]): Named {
    const [req, kwargs, match] = question
    for (let index = from; index < this.#schemes.length; index++) {
      if (this.#first && named.length > 0) {
        // Skipped schemes that read the route are compared at dispatch instead.
        const decision = pendingDecision(req)
        if (decision !== undefined && this.#schemes.slice(index).some(readsRoute)) decision.fromWalk = false
        break
      }
      const scheme = this.#schemes[index] as BaseVersioning
      const version = scheme.determineVersion(req, NO_ARGS, kwargs, match)
      if (isThenable(version)) {
        return Promise.resolve(version).then((later) => {
          this.#note(req, scheme, later, named)
          return this.#read(question, index + 1, named)
        })
      }
      this.#note(req, scheme, version, named)
    }
    if (named.every((version) => version === named[0])) return named[0]
    const options = { status: 400, code: 'ERR_VERSION_CONFLICT', allowedVersions: this.acceptedVersions }
    throw new VersioningError('Conflicting versions in request.', options)
  }

  #note(req: Request, scheme: BaseVersioning, version: unknown, named: string[]): void {
    if (version === undefined || version === null) return
    if (typeof version !== 'string') {
      throw new TypeError(`${scheme.constructor.name}: a version is a string; got ${shown(version)}.`)
    }
    const accepted = this.accepted(version)
    if (accepted === undefined) throw scheme.invalidVersion(version)
    named.push(accepted)
    const decision = pendingDecision(req)
    // An inner combination has already noted its own scheme, which makes the links.
    if (decision !== undefined) decision.by ??= scheme
  }

  /** Returns the statuses of its schemes and that of a conflict. */
  override get rejectionStatuses(): readonly number[] {
    const conflict = this.#first || this.#schemes.length === 1 ? [] : [400]
    return [
      ...new Set([
        ...super.rejectionStatuses,
        ...this.#schemes.flatMap((scheme) => scheme.rejectionStatuses),
        ...conflict,
      ]),
    ]
  }

  /** Returns the carrier of the first scheme that can express the version. */
  override carry(version: string): VersionCarrier | undefined {
    return this.carriers(version)[0]
  }

  override carriers(version: string): readonly VersionCarrier[] {
    return this.#schemes.flatMap((scheme) => scheme.carriers(version))
  }

  /**
   * Returns the link of the scheme that named the version; for another version, that of a scheme that can carry it. If this
   * fails, the other schemes that keep versions in URLs are tried.
   *
   * @throws {NoReverseMatch} for errors that no other name can fix.
   */
  protected override link(viewname: string, call: LinkCall): Linked {
    const { options } = call
    const by = call.state?.decision.by
    const failures: LinkFailure[] = []
    let failed: NoReverseMatch | undefined
    if (options.version === undefined || by?.linksVersion) {
      const made = by === undefined ? call.plain(viewname) : by.attempt(viewname, call)
      if (typeof made === 'string') return this.#alone(made, options, by)
      // Another scheme may know the name or take the arguments. Any other failure, such as a wrong host, is final.
      const error = errorOf(made)
      if (error !== undefined) throw error
      failures.push(...made)
    }
    for (const scheme of this.#schemes) {
      if (!scheme.linksVersion || scheme === by) continue
      const made = attempted(() => scheme.attempt(viewname, call))
      if (typeof made === 'string') return this.#alone(made, options, scheme)
      const error = errorOf(made)
      if (error === undefined) failures.push(...made)
      else failed ??= error
    }
    if (failures.length === 0 && failed !== undefined) throw failed
    return failures
  }

  /** Removes from a link to another version the query parameters that other schemes would read. */
  #alone(link: string, { version }: LinkOptions, maker: Scheme | undefined): string {
    if (version === undefined) return link
    const own = queryName(maker as BaseVersioning)
    let kept = link
    for (const name of this.#schemes.map(queryName)) {
      if (name !== undefined && name !== own) kept = replaceQueryParameter(kept, name, undefined)
    }
    return kept
  }

  /** Returns the `Accept` header for Express's own negotiation, without the strings that only these schemes understand. */
  negotiableAccept(accept: string): string {
    return this.#schemes.reduce(negotiableTo, accept)
  }
}

nameClass(CombinedVersioning, 'CombinedVersioning')

/** Returns the query parameter that a scheme reads; `undefined` if it reads none. */
function queryName(scheme: BaseVersioning): string | undefined {
  const [carried] = Object.keys(carriedParts(scheme.carry('1')).query ?? {})
  if (carried !== undefined) return carried
  // A version that `parseVersion` maps to another one has no carrier.
  return scheme.carriedIn === 'query' ? scheme.versionParam : undefined
}

/** Returns the `Accept` header for Express's own negotiation, as a scheme rewrites it. */
export function negotiableTo(accept: string, scheme: BaseVersioning): string {
  const reads = scheme as { negotiableAccept?(accept: string): string }
  return reads.negotiableAccept?.(accept) ?? accept
}

/** Joins the `varyOn` of several schemes. Each name occurs once. */
function together(parts: readonly BaseVersioning['varyOn'][]): BaseVersioning['varyOn'] {
  if (parts.every((part) => Array.isArray(part))) return [...new Set(parts.flat())]
  return (req) => [...new Set(parts.flatMap((part) => (typeof part === 'function' ? part(req) : part)))]
}

function checkedSchemes(owner: string, value: unknown): readonly BaseVersioning[] {
  const takes = 'a list of scheme instances, such as [new URLPathVersioning(), new HeaderVersioning()]'
  const schemes = listOption(owner, 'schemes', value, takes)
  if (schemes.length === 0) throw badOption(owner, 'schemes', takes, value)
  for (const scheme of schemes) {
    if (!isScheme(scheme)) throw badOption(owner, 'schemes', takes, scheme)
  }
  return schemes as readonly BaseVersioning[]
}
