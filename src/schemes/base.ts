// The base class of every scheme: reads, checks, falls back to the default, and rejects.
import type { Request } from 'express'
import { NotFound, type RejectionOptions, VersioningError } from '../errors'
import { attempted, Call, linkOrThrow } from '../request/link'
import {
  type Determined,
  type LinkCall,
  type Linked,
  type MaybeNamed,
  NO_ARGS,
  pendingDecision,
  readsRoute,
  type Scheme,
} from '../request/state'
import type {
  ParseVersion,
  ResolverMatch,
  RouteParams,
  SchemeLinkOptions,
  VersionCarrier,
  VersioningSettings,
} from '../types'
import { brand, isMade, nameClass } from '../util/brand'
import { checkKeys, shown } from '../util/options'
import { isThenable } from '../util/thenable'
import { VersionRules } from './rules'
import { type CompiledSettings, compileSettings, SETTING_NAMES } from './settings'

/** The version that a request names, or a promise of it; `undefined` when it names none. */
export type Named = string | undefined | Promise<string | undefined>

/** The class of a scheme's errors: `NotFound`, `NotAcceptable`, or a subclass of either. */
export type RejectionClass = new (message: string, options: RejectionOptions) => VersioningError

const RULES: unique symbol = Symbol.for('express-versioning.scheme.rules') as never

/** Returns the rules of a scheme. It may belong to another load of the package, whose private fields this one cannot read. */
export function rulesOf(scheme: BaseVersioning): VersionRules {
  return (scheme as unknown as { [RULES]: VersionRules })[RULES]
}

/**
 * Tells whether a value is a scheme.
 *
 * @throws {TypeError} for a scheme of another version of the package.
 */
export function isScheme(value: unknown): value is BaseVersioning {
  return typeof value === 'object' && isMade('scheme', value)
}

/**
 * The base class of every scheme. A scheme decides which version a request addresses, and keeps that version in links. A custom
 * scheme implements only `readVersion`; this class checks the version, falls back to the default, and rejects. Settings come
 * from the constructor. A subclass can override any of them with a class field, as in DRF.
 *
 * @example
 * class CookieVersioning extends BaseVersioning {
 *   override readonly varyOn = ['Cookie']
 *   override readonly invalidVersionMessage = 'Invalid version in cookie.'
 *   override readVersion(req: Request) {
 *     return /(?:^|; )api-version=([^;]*)/.exec(req.get('Cookie') ?? '')?.[1]
 *   }
 * }
 */
export class BaseVersioning implements Scheme {
  /** The names of the constructor's options. A subclass with more options lists those too. */
  static readonly optionNames: readonly string[] = SETTING_NAMES

  /** The version of requests that name none. */
  defaultVersion: string | null
  /** The accepted versions. Empty or undefined: every version is accepted. */
  allowedVersions: Iterable<string | null> | undefined
  /** The name of the parameter that carries the version. */
  versionParam: string
  /** The function that maps a client's text to an accepted version. */
  parseVersion: ParseVersion | undefined

  /**
   * The request headers that the decision depends on, or a function of the request that returns them. They are merged into
   * `Vary` before the decision.
   */
  readonly varyOn: readonly string[] | ((req: Request) => readonly string[]) = []
  /**
   * The message of the error for a version that is not accepted. It must not repeat the client's text. DRF,
   * `invalid_version_message`.
   */
  readonly invalidVersionMessage: string = 'Invalid version.'
  /** The class of that error. */
  readonly invalidVersionError: RejectionClass = NotFound
  /** The place of the version in a request. If undefined, the path is resolved for this scheme, and links may carry the version. */
  readonly carriedIn: VersionCarrier['in'] | undefined = undefined
  /** `true` if links can lead to another version than the request's (`req.reverse(name, { version })`). */
  readonly linksVersion: boolean = false
  /** `true` if the default must be an accepted version too. */
  protected readonly checksDefault: boolean = true

  readonly #rules: VersionRules

  /**
   * Checks the options. `versioning()` checks a subclass's class fields later, because they are set after this constructor.
   *
   * @throws {TypeError} for unknown options and wrong values.
   */
  constructor(settings: VersioningSettings = {}) {
    checkKeys(new.target.name, settings, new.target.optionNames)
    const given = compileSettings(new.target.name, settings)
    const { defaultVersion, versionParam, allowedVersions, parseVersion } = given
    this.defaultVersion = defaultVersion
    this.allowedVersions = allowedVersions
    this.versionParam = versionParam
    this.parseVersion = parseVersion
    this.#rules = new VersionRules(this, BaseVersioning.prototype, given, () => this.settings)
    Object.defineProperty(this, RULES, { value: this.#rules })
  }

  /**
   * Returns the settings of the scheme, with the class fields of a subclass.
   *
   * @throws {TypeError} for class fields with wrong values.
   */
  protected get settings(): CompiledSettings {
    return this.#rules.own
  }

  /**
   * Returns the accepted versions, oldest first: the allowed versions as listed, then a default version that is not among them.
   * Empty: every version is accepted.
   */
  get acceptedVersions(): readonly (string | null)[] {
    return this.#rules.inForce.acceptedVersions
  }

  /**
   * Checks the values that class fields may have overridden. `versioning()` calls it once, at construction.
   *
   * @throws {TypeError} for class fields with wrong values.
   */
  compile(): void {
    const error: unknown = this.invalidVersion()
    if (error instanceof VersioningError) return
    throw new TypeError(`${this.constructor.name}: "invalidVersionError" takes NotFound, NotAcceptable, or a subclass.`)
  }

  /**
   * Reads the version that a request names. A custom scheme implements this method. It must depend on its three arguments
   * alone. A scheme that reads the route reads it from the last two, because it is also asked about routes that the request
   * does not reach.
   *
   * @param _kwargs the route's parameters: those of the match, overridden by `req.params`; with a `carriedIn` other than
   *   `'path'`, `req.params` alone.
   * @param _match the named route in question. `null` without a match, and with a `carriedIn` other than `'path'` and
   *   `'namespace'`.
   * @returns `undefined` if the request names no version.
   * @throws {VersioningError} from {@link invalidVersion} for an unusable text in the version's place.
   * @throws {Error} if a custom scheme implements neither this nor {@link determineVersion}.
   */
  readVersion(_req: Request, _kwargs: RouteParams, _match: ResolverMatch | null): Named {
    throw new Error(`${this.constructor.name}.determine_version() must be implemented.`)
  }

  /**
   * Returns the version that a request addresses: the version that it names, if that is accepted; else the default. DRF,
   * `determine_version`.
   *
   * @param _args positional arguments of the route; Express has none.
   * @param kwargs the route's parameters: those of the match, overridden by `req.params`.
   * @param match the named route in question, as in {@link readVersion}. Default: the request's own match.
   * @returns the version or a promise of it; `null` for no version.
   * @throws {VersioningError} if the request names a version that is not accepted, or lacks a required one.
   */
  determineVersion(
    req: Request,
    _args: readonly unknown[],
    kwargs: RouteParams,
    match: ResolverMatch | null = readsRoute(this) ? (req.resolverMatch ?? null) : null,
  ): Determined {
    const text = this.readVersion(req, kwargs, match)
    if (typeof text === 'string' || !isThenable(text)) return this.#decided(req, text)
    return Promise.resolve(text).then((later) => this.#decided(req, later))
  }

  #decided(req: Request, text: string | null | undefined): string | null {
    const version = this.#checked(text)
    // Of a combination, one scheme may name no version while another one does.
    const decision = this.#rules.isCombined ? undefined : pendingDecision(req)
    if (decision !== undefined) decision.named = version !== undefined
    return version ?? this.#defaultOr()
  }

  #checked(text: string | null | undefined): string | undefined {
    if (text === undefined || text === null) return undefined
    const version = this.accepted(text)
    if (version === undefined) throw this.invalidVersion(text)
    return version
  }

  /** Returns the schemes that read the route: this one, or those that it combines. */
  get routeReaders(): readonly Scheme[] {
    return readsRoute(this) ? [this] : []
  }

  /**
   * Returns the version that a request would name on some route. It asks the same as {@link determineVersion}, but without the
   * default, and does not change the request.
   *
   * @returns `undefined` or `null` if the request names no version.
   * @throws {VersioningError} if the named version is not accepted.
   */
  named(req: Request, kwargs: RouteParams, match: ResolverMatch): MaybeNamed {
    const { prototype } = BaseVersioning
    const whole = () => this.determineVersion(req, NO_ARGS, kwargs, match)
    const decides = this.determineVersion !== prototype.determineVersion
    if (decides && this.readVersion === prototype.readVersion) return whole()
    const read = (text: string | null | undefined) => {
      const version = this.#checked(text)
      return decides && version !== undefined ? whole() : version
    }
    const text = this.readVersion(req, kwargs, match)
    return isThenable(text) ? Promise.resolve(text).then(read) : read(text)
  }

  #defaultOr(): string | null {
    if (this.#rules.isCombined) return null
    const { defaultVersion } = this.settings
    if (!this.checksDefault || this.isAllowedVersion(defaultVersion)) return defaultVersion
    throw this.#rejection({ version: defaultVersion, code: 'ERR_VERSION_MISSING' })
  }

  /**
   * Returns the accepted version that a client's text means; `undefined` if it means no version.
   *
   * @throws {TypeError} for anything but a string.
   */
  protected accepted(text: string): string | undefined {
    const version = typeof text === 'string' ? this.#rules.meaningOf(text) : text
    return version === undefined ? undefined : this.listed(version)
  }

  /**
   * Returns an accepted version as it was listed, which keeps no request's bytes alive; `undefined` for any other version.
   *
   * @throws {TypeError} for anything but a string.
   */
  protected listed(version: string): string | undefined {
    if (typeof version !== 'string') {
      throw new TypeError(`${this.constructor.name}: a version is a string; got ${shown(version)}.`)
    }
    return this.isAllowedVersion(version) ? (this.#rules.inForce.allowed?.get(version) ?? version) : undefined
  }

  /**
   * Tells whether a sent version means itself: `parseVersion` may map even an accepted version to another one, or to none.
   *
   * @throws {TypeError} for anything but a string.
   */
  protected meansItself(version: string): boolean {
    return !this.isAllowedVersion(version) || this.accepted(version) === version
  }

  /**
   * Tells how a request names a version in this scheme. It is the inverse of {@link readVersion}.
   *
   * @returns the place and the text to send; `undefined` if this scheme cannot express the version.
   * @example new HeaderVersioning().carry('v1') // { in: 'header', name: 'X-API-Version', value: 'v1' }
   */
  carry(_version: string): VersionCarrier | undefined {
    return undefined
  }

  /** Lists all ways in which a request can name a version, in the order in which they are read. */
  carriers(version: string): readonly VersionCarrier[] {
    const carrier = this.carry(version)
    return carrier === undefined ? [] : [carrier]
  }

  /** Returns the error with which this scheme rejects a version. */
  invalidVersion(version?: string | null): VersioningError {
    return this.#rejection({ version })
  }

  /** Returns the statuses with which this scheme rejects requests because of their version. */
  get rejectionStatuses(): readonly number[] {
    return [this.invalidVersion().status]
  }

  #rejection(options: RejectionOptions): VersioningError {
    const { invalidVersionError: Rejection, invalidVersionMessage } = this
    return new Rejection(invalidVersionMessage, { ...options, allowedVersions: this.acceptedVersions })
  }

  /**
   * Returns a link to a named route. The base class leaves the version out of the link.
   *
   * @throws {NoReverseMatch} if no link can be made.
   */
  reverse(viewname: string, options: SchemeLinkOptions = {}): string {
    return linkOrThrow(this.link(viewname, new Call(options.request, options)))
  }

  /**
   * Makes a link that may fail. Calls {@link reverse} if a custom scheme overrides it.
   *
   * @returns the link, or the reason why it failed.
   * @throws {NoReverseMatch} for errors that no other name can fix, such as a wrong host.
   */
  attempt(viewname: string, call: LinkCall): Linked {
    if (this.reverse === BaseVersioning.prototype.reverse) return this.link(viewname, call)
    return attempted(() => this.reverse(viewname, { ...call.options, request: call.request }))
  }

  /**
   * Makes a link. The schemes of this package override this method instead of {@link reverse}, because it returns failures that
   * a caller would only catch.
   *
   * @returns the link, or the reason why it failed.
   * @throws {NoReverseMatch} for errors that no other name can fix, such as a wrong host.
   */
  protected link(viewname: string, call: LinkCall): Linked {
    return call.plain(viewname)
  }

  /**
   * Tells whether a version is accepted. Without allowed versions, every version is; else the listed ones and a default other
   * than `null`. DRF, `BaseVersioning.is_allowed_version`.
   */
  isAllowedVersion(version: string | null): boolean {
    return this.#rules.allows(version)
  }
}

nameClass(BaseVersioning, 'BaseVersioning')
brand('scheme', BaseVersioning.prototype)
