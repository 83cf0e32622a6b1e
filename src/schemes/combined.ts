import type { Request } from 'express'
import { NoReverseMatch, VersioningError } from '../errors'
import { replaceQueryParameter } from '../http/query'
import { attempted, failuresOf, isFailed, plainLink } from '../request/link'
import { type Linked, NO_ARGS, peekState, pendingDecision, readsRoute, type Scheme } from '../request/state'
import type { LinkFailure, LinkOptions, ResolverMatch, RouteParams, VersionCarrier, VersioningSettings } from '../types'
import { badOption, listOption, shown } from '../util/options'
import { isThenable } from '../util/thenable'
import { BaseVersioning, lendRules, type Named, type RefusalClass } from './base'

/** Settings of {@link CombinedVersioning}. */
export interface CombinedSettings extends VersioningSettings {
  /** The places to look in, in order. They bring no `defaultVersion` or `allowedVersions`: those of the combination hold. */
  schemes: Iterable<BaseVersioning>
  /**
   * Two schemes that name different versions: refuse the request (default), or let the first decide and not read on. A route of another
   * version than the one decided on is refused all the same.
   */
  onConflict?: 'reject' | 'first' | undefined
}

/** What {@link BaseVersioning.readVersion} is asked. */
interface Question {
  readonly req: Request
  readonly kwargs: RouteParams
  readonly match: ResolverMatch | null
}

/**
 * Several places to name a version: the first scheme that names one decides.
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
  override readonly invalidVersionError: RefusalClass
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
    for (const scheme of this.#schemes) lendRules(scheme, this)
    this.varyOn = together(this.#schemes.map(({ varyOn }) => varyOn))
    this.linksVersion = this.#schemes.some(({ linksVersion }) => linksVersion)
    // As the first of them refuses.
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
   * The version that the first of the schemes names; the others must not contradict it.
   *
   * @throws {VersioningError} 400 `ERR_VERSION_CONFLICT` for two versions; as the scheme refuses that reads an invalid one.
   */
  override readVersion(req: Request, kwargs: RouteParams, match: ResolverMatch | null): Named {
    return this.#read({ req, kwargs, match }, 0, [])
  }

  /** Each of them is asked by itself, and none may name another version: `onConflict` has no say where a route is reached. */
  override get routeReaders(): readonly Scheme[] {
    return this.#schemes.flatMap((scheme) => scheme.routeReaders)
  }

  /**
   * What the schemes named are versions already: each has parsed its text.
   *
   * @throws {TypeError} for anything but a string.
   */
  protected override accepted(version: string): string | undefined {
    return this.listed(version)
  }

  /** Asks the schemes from the one at `from` on; synchronously, unless one of them promises its answer. */
  #read(question: Question, from: number, named: string[]): Named {
    const { req, kwargs, match } = question
    for (let index = from; index < this.#schemes.length; index++) {
      if (this.#first && named.length > 0) {
        this.#leave(req, index)
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
    throw new VersioningError('Conflicting versions in request.', {
      status: 400,
      code: 'ERR_VERSION_CONFLICT',
      allowedVersions: this.acceptedVersions,
    })
  }

  /** Leaves the schemes from one on unasked. Those that read the route are asked where it is dispatched. */
  #leave(req: Request, from: number): void {
    const decision = pendingDecision(req)
    if (decision !== undefined && this.#schemes.slice(from).some(readsRoute)) decision.fromWalk = false
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
    // Of a combination within this one, its scheme that named the version stays: it is the one that makes links.
    if (decision !== undefined) decision.by ??= scheme
  }

  /** Those of its schemes, and that of a conflict. */
  override get refusalStatuses(): readonly number[] {
    const conflict = this.#first || this.#schemes.length === 1 ? [] : [400]
    return [
      ...new Set([...super.refusalStatuses, ...this.#schemes.flatMap((scheme) => scheme.refusalStatuses), ...conflict]),
    ]
  }

  /** As its first scheme that can say the version carries it. */
  override carry(version: string): VersionCarrier | undefined {
    return this.carriers(version)[0]
  }

  override carriers(version: string): readonly VersionCarrier[] {
    return this.#schemes.flatMap((scheme) => scheme.carriers(version))
  }

  /**
   * The link as the scheme that named the version makes it; a link to another version as a scheme that can carry one does.
   * Where that gives none, as the other schemes that keep versions in URLs would make it.
   *
   * @throws {NoReverseMatch} for what is wrong with the link whatever its name.
   */
  protected override link(viewname: string, options: LinkOptions, request: Request | undefined): Linked {
    const by = peekState(request)?.decision.by
    const failures: LinkFailure[] = []
    let failed: NoReverseMatch | undefined
    if (options.version === undefined || by?.linksVersion) {
      const made = by === undefined ? plainLink(viewname, options, request) : by.attempt(viewname, options, request)
      if (!isFailed(made)) return this.#alone(made, options, by)
      // A name or arguments that do not fit may fit elsewhere; else what is wrong is the link itself, such as its host.
      if (made instanceof NoReverseMatch && made.failures.length === 0) throw made
      failures.push(...failuresOf(made))
    }
    for (const scheme of this.#schemes) {
      if (!scheme.linksVersion || scheme === by) continue
      const made = attempted(() => scheme.attempt(viewname, options, request))
      if (!isFailed(made)) return this.#alone(made, options, scheme)
      if (made instanceof NoReverseMatch) failed ??= made
      failures.push(...failuresOf(made))
    }
    if (failures.length === 0 && failed !== undefined) throw failed
    return failures
  }

  /** A link to another version, without the query parameters by which schemes other than its maker would read this one. */
  #alone(link: string, { version }: LinkOptions, maker: Scheme | undefined): string {
    if (version === undefined) return link
    const own = queryName(maker as BaseVersioning)
    let kept = link
    for (const name of this.#schemes.map(queryName)) {
      if (name !== undefined && name !== own) kept = replaceQueryParameter(kept, name, undefined)
    }
    return kept
  }

  /** The `Accept` header as Express's own negotiation should read it: without what only these schemes understand. */
  negotiableAccept(accept: string): string {
    return this.#schemes.reduce(negotiableTo, accept)
  }
}

/** The query parameter that a scheme reads, if it reads one. */
function queryName(scheme: BaseVersioning): string | undefined {
  const carrier = scheme.carry('1')
  if (carrier?.in === 'query') return carrier.name
  // What a `parseVersion` takes for another version has no carrier.
  return scheme.carriedIn === 'query' ? scheme.versionParam : undefined
}

/** The header as Express should read it behind a scheme, if that one has a say. */
export function negotiableTo(accept: string, scheme: BaseVersioning): string {
  const reads = scheme as { negotiableAccept?(accept: string): string }
  return reads.negotiableAccept?.(accept) ?? accept
}

/** What several schemes vary on, each name once. */
function together(parts: readonly BaseVersioning['varyOn'][]): BaseVersioning['varyOn'] {
  if (parts.every((part) => Array.isArray(part))) return [...new Set(parts.flat())]
  return (req) => [...new Set(parts.flatMap((part) => (typeof part === 'function' ? part(req) : part)))]
}

function checkedSchemes(owner: string, value: unknown): readonly BaseVersioning[] {
  const takes = 'a list of scheme instances, such as [new URLPathVersioning(), new HeaderVersioning()]'
  const schemes = listOption(owner, 'schemes', value, takes)
  if (schemes.length === 0) throw badOption(owner, 'schemes', takes, value)
  for (const scheme of schemes) {
    if (!(scheme instanceof BaseVersioning)) throw badOption(owner, 'schemes', takes, scheme)
  }
  return schemes as readonly BaseVersioning[]
}
