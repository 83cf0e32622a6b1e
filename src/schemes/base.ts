import type { Request } from 'express'
import { NotFound, type VersioningError } from '../errors'
import { attempted, linkOrThrow, plainLink } from '../request/link'
import type { Attempt, Linked, RequestScheme } from '../request/state'
import type { LinkOptions, RouteParams, SchemeLinkOptions, VersioningSettings } from '../types'
import { checkKeys } from '../util/options'
import { isThenable } from '../util/thenable'
import { type CompiledSettings, compileSettings, SETTING_NAMES } from './settings'

/** A version or a promise of one; `null` is no version. */
export type Determined = string | null | Promise<string | null>

/** A version that a request names, or a promise of one; `undefined` when it names none. */
export type Named = string | undefined | Promise<string | undefined>

/**
 * What every scheme is: it decides which version a request addresses, and keeps that version in links. A scheme of one's own
 * extends this class and overrides what differs. Settings come from the constructor; a subclass overrides any of them by a
 * class field, as in DRF.
 *
 * @example
 * class PrefixVersioning extends BaseVersioning {
 *   determineVersion(req: Request) {
 *     const version = req.hostname.split('-')[0] ?? this.defaultVersion
 *     if (!this.isAllowedVersion(version)) throw new NotFound('Invalid version in hostname.')
 *     return version
 *   }
 * }
 */
export class BaseVersioning implements RequestScheme {
  /** The options its constructor takes; a subclass with more of them lists those too. */
  static readonly optionNames: readonly string[] = SETTING_NAMES

  /** Version of a request that names none. */
  defaultVersion: string | null
  /** Accepted versions; empty or undefined: every version is accepted. */
  allowedVersions: Iterable<string | null> | undefined
  /** Name of the parameter that carries the version. */
  versionParam: string

  /** Request headers that the decision depends on: they are merged into `Vary` before it is made. */
  readonly varyOn: readonly string[] = []
  /** Whether links can be made for another version than the request's (`req.reverse(name, { version })`). */
  readonly linksVersion: boolean = false
  /** Whether `determineVersion` reads `kwargs`: only then is the path resolved for it. */
  readonly readsRoute: boolean = true

  /** Whether its place in a request may hold what is no version (a namespace `admin`, a host label `www`); see `CombinedVersioning`. */
  readonly sharesItsPlace: boolean = false

  readonly #given: CompiledSettings
  #settings: CompiledSettings | undefined
  #combination: BaseVersioning | undefined

  /** @throws {TypeError} for unknown options and wrong values. */
  constructor(settings: VersioningSettings = {}) {
    checkKeys(new.target.name, settings, new.target.optionNames)
    this.#given = compileSettings(new.target.name, settings)
    const { defaultVersion, versionParam, allowedVersions } = this.#given
    this.defaultVersion = defaultVersion
    this.allowedVersions = allowedVersions
    this.versionParam = versionParam
  }

  /** The settings in force, compiled on first use: a subclass's class fields are set after this class's constructor. */
  protected get settings(): CompiledSettings {
    this.#settings ??= compileSettings(this.constructor.name, {
      // A field without a value (`allowedVersions;`) omits the setting, and does not take it back.
      defaultVersion: this.defaultVersion === undefined ? this.#given.defaultVersion : this.defaultVersion,
      allowedVersions: this.allowedVersions === undefined ? this.#given.allowedVersions : this.allowedVersions,
      versionParam: this.versionParam === undefined ? this.#given.versionParam : this.versionParam,
    })
    return this.#settings
  }

  /** The accepted versions as they were listed, oldest first; empty: every version is accepted. */
  get acceptedVersions(): readonly (string | null)[] {
    return this.#combination === undefined ? this.settings.allowedVersions : this.#combination.acceptedVersions
  }

  /**
   * Makes this scheme a part of a combination, whose default and accepted versions hold from then on.
   *
   * @throws {TypeError} when it has its own, or is part of a combination already.
   */
  joinCombination(combination: BaseVersioning): void {
    const { defaultVersion, allowedVersions } = this.settings
    const name = this.constructor.name
    if (defaultVersion !== null || allowedVersions.length > 0) {
      throw new TypeError(
        `${name}: "defaultVersion" and "allowedVersions" are those of the combination; give them to it.`,
      )
    }
    if (this.#combination !== undefined) throw new TypeError(`${name}: this instance is part of a combination already.`)
    this.#combination = combination
  }

  /** Checks what class fields may have overridden; `versioning()` calls it once, at construction. */
  prepare(): void {
    this.settings
  }

  /**
   * The version that a request addresses.
   *
   * @param _args positional arguments of the route; Express has none.
   * @param _kwargs parameters of the route: those of the table's match, under `req.params`.
   * @returns the version, or a promise of it; `null` for none.
   * @throws {VersioningError} when the request names a version that is not accepted.
   */
  determineVersion(_req: Request, _args: readonly unknown[], _kwargs: RouteParams): Determined {
    throw new Error(`${this.constructor.name}.determine_version() must be implemented.`)
  }

  /**
   * The accepted version that a request names itself, without the default: `undefined` when it names none. A scheme that only
   * overrides `determineVersion` names none where that gives `null`.
   *
   * @throws {VersioningError} when what it names is unusable or not accepted.
   */
  namedVersion(req: Request, args: readonly unknown[], kwargs: RouteParams): Named {
    const version = this.determineVersion(req, args, kwargs)
    if (!isThenable(version)) return version ?? undefined
    // A promise of another library may give nothing from its own then().
    return Promise.resolve(version).then((value) => value ?? undefined)
  }

  /** The error by which this scheme refuses a version. */
  refusal(version: string | null | undefined): VersioningError {
    return new NotFound('Invalid version.', { version, allowedVersions: this.acceptedVersions })
  }

  /**
   * A link to a named route. The base class leaves the version out of it.
   *
   * @throws {NoReverseMatch} when no link can be made.
   */
  reverse(viewname: string, options: SchemeLinkOptions = {}): string {
    return linkOrThrow(this.link(viewname, options, options.request))
  }

  /** As {@link reverse}, which is asked where a scheme of one's own overrides it, for a link that may not be there. */
  attempt(viewname: string, options: LinkOptions, request: Request | undefined): Attempt {
    if (this.reverse === BaseVersioning.prototype.reverse) return this.link(viewname, options, request)
    return attempted(() => this.reverse(viewname, { ...options, request }))
  }

  /** What the schemes of this package override in place of {@link reverse}: it makes no error that is only to be caught. */
  protected link(viewname: string, options: LinkOptions, request: Request | undefined): Linked {
    return plainLink(viewname, options, request)
  }

  /**
   * Whether a version is accepted: any without allowed versions; else the default (unless `null`) and the listed ones.
   * DRF, `BaseVersioning.is_allowed_version`.
   */
  isAllowedVersion(version: string | null): boolean {
    // Whether a request may name none is for the combination to say, once all of its schemes were asked.
    if (this.#combination !== undefined) return version === null || this.#combination.isAllowedVersion(version)
    const { allowed, defaultVersion } = this.settings
    return allowed === undefined || (version !== null && version === defaultVersion) || allowed.has(version)
  }

  /** The `Accept` header as Express's own negotiation should read it: without what only this scheme understands. */
  negotiableAccept(accept: string): string {
    return accept
  }
}
