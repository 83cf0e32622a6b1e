import type { Request } from 'express'
import { NoReverseMatch, VersioningError } from '../errors'
import { attempted, failuresOf, isFailed, plainLink } from '../request/link'
import { type Linked, markDefaulted, peekState, type RequestScheme } from '../request/state'
import type { LinkFailure, LinkOptions, RouteParams, VersioningSettings } from '../types'
import { badOption, listOption, shown } from '../util/options'
import { isThenable } from '../util/thenable'
import { BaseVersioning, type Determined, type Named } from './base'

/** Settings of {@link CombinedVersioning}. */
export interface CombinedSettings extends VersioningSettings {
  /** The places to look in, in order. They bring no `defaultVersion` or `allowedVersions`: those of the combination hold. */
  schemes: Iterable<BaseVersioning>
  /** Two schemes that name different versions: refuse the request (default), or let the first decide and not read on. */
  onConflict?: 'reject' | 'first' | undefined
}

/** What the schemes named so far. */
interface Reading {
  version: string | undefined
  by: RequestScheme | undefined
  conflict: boolean
  /** The refusal of a scheme whose place held something that may be no version at all. */
  doubt: VersioningError | undefined
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

  override readonly varyOn: readonly string[]
  override readonly linksVersion: boolean
  override readonly readsRoute: boolean
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
    for (const scheme of this.#schemes) scheme.joinCombination(this)
    this.varyOn = [...new Set(this.#schemes.flatMap(({ varyOn }) => varyOn))]
    this.linksVersion = this.#schemes.some(({ linksVersion }) => linksVersion)
    this.readsRoute = this.#schemes.some(({ readsRoute }) => readsRoute)
  }

  override prepare(): void {
    super.prepare()
    for (const scheme of this.#schemes) scheme.prepare()
  }

  override namedVersion(req: Request, args: readonly unknown[], kwargs: RouteParams): Named {
    const reading = this.read(req, args, kwargs)
    if (isThenable(reading)) return reading.then((read) => this.decided(req, read))
    return this.decided(req, reading)
  }

  override determineVersion(req: Request, args: readonly unknown[], kwargs: RouteParams): Determined {
    const reading = this.read(req, args, kwargs)
    if (isThenable(reading)) return reading.then((read) => this.orDefault(req, read))
    return this.orDefault(req, reading)
  }

  /** Asks the schemes from the one at `from` on; synchronously, unless one of them promises its answer. */
  private read(
    req: Request,
    args: readonly unknown[],
    kwargs: RouteParams,
    from = 0,
    reading: Reading = { version: undefined, by: undefined, conflict: false, doubt: undefined },
  ): Reading | Promise<Reading> {
    for (const [index, scheme] of this.#schemes.entries()) {
      if (index < from) continue
      if (this.#first && reading.by !== undefined) break
      let named: Named
      try {
        named = scheme.namedVersion(req, args, kwargs)
      } catch (error) {
        doubt(reading, scheme, error)
        continue
      }
      if (isThenable(named)) {
        const noted = Promise.resolve(named).then(
          (version) => this.note(req, reading, scheme, version),
          (error) => doubt(reading, scheme, error),
        )
        return noted.then(() => this.read(req, args, kwargs, index + 1, reading))
      }
      this.note(req, reading, scheme, named)
    }
    return reading
  }

  private note(req: Request, reading: Reading, scheme: BaseVersioning, version: string | null | undefined): void {
    if (version === undefined || version === null) return
    if (typeof version !== 'string') {
      throw new TypeError(`${scheme.constructor.name}: a version is a string; got ${shown(version)}.`)
    }
    if (!this.isAllowedVersion(version)) throw scheme.refusal(version)
    reading.conflict ||= reading.version !== undefined && reading.version !== version
    // The listed string, so that no request's own bytes are kept alive.
    reading.version ??= this.settings.allowed?.get(version) ?? version
    // Of a combination within this one, its scheme that named the version is the one that makes links.
    reading.by ??= (scheme instanceof CombinedVersioning ? peekState(req)?.namedBy : undefined) ?? scheme
  }

  /** The version that was named. Where neither one was nor a default exists, a doubt refuses. */
  private decided(req: Request, { version, by, conflict, doubt }: Reading): string | undefined {
    if (conflict) {
      const allowedVersions = this.acceptedVersions
      throw new VersioningError('Conflicting versions in request.', {
        status: 400,
        code: 'ERR_VERSION_CONFLICT',
        allowedVersions,
      })
    }
    if (version === undefined && doubt !== undefined && this.settings.defaultVersion === null) throw doubt
    const state = peekState(req)
    // Not without a `versioning()`: then it is no state of this request.
    if (state?.config !== undefined) state.namedBy = by
    return version
  }

  private orDefault(req: Request, reading: Reading): string | null {
    const version = this.decided(req, reading)
    if (version !== undefined) return version
    const { defaultVersion } = this.settings
    markDefaulted(req)
    if (!this.isAllowedVersion(defaultVersion)) throw this.refusal(defaultVersion)
    return defaultVersion
  }

  /** As the first scheme refuses. */
  override refusal(version: string | null | undefined): VersioningError {
    return (this.#schemes[0] as BaseVersioning).refusal(version)
  }

  /**
   * The link as the scheme that named the version makes it; a link to another version as a scheme that can carry one does.
   * Where that gives none, as the other schemes that keep versions in URLs would make it.
   */
  protected override link(viewname: string, options: LinkOptions, request: Request | undefined): Linked {
    const by = peekState(request)?.namedBy
    const failures: LinkFailure[] = []
    let failed: NoReverseMatch | undefined
    if (options.version === undefined || by?.linksVersion) {
      const made = by === undefined ? plainLink(viewname, options, request) : by.attempt(viewname, options, request)
      if (!isFailed(made)) return made
      // A name or arguments that do not fit may fit elsewhere; else what is wrong is the link itself, such as its host.
      if (made instanceof NoReverseMatch && made.failures.length === 0) throw made
      failures.push(...failuresOf(made))
    }
    for (const scheme of this.#schemes) {
      if (!scheme.linksVersion || scheme === by) continue
      const made = attempted(() => scheme.attempt(viewname, options, request))
      if (!isFailed(made)) return made
      if (made instanceof NoReverseMatch) failed ??= made
      failures.push(...failuresOf(made))
    }
    if (failures.length === 0 && failed !== undefined) throw failed
    return failures
  }

  override negotiableAccept(accept: string): string {
    return this.#schemes.reduce((seen, scheme) => scheme.negotiableAccept(seen), accept)
  }
}

/** The doubts of this request and that, by which a combination knows those of one within it. */
const doubts = new WeakSet<VersioningError>()

/** Passes a refusal on, unless the scheme's place may hold something that is no version: then it is kept for later. */
function doubt(reading: Reading, scheme: BaseVersioning, error: unknown): void {
  if (!(error instanceof VersioningError) || !(scheme.sharesItsPlace || doubts.has(error))) throw error
  doubts.add(error)
  reading.doubt ??= error
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
