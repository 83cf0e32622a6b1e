import type { Request } from 'express'
import { NotFound, type RefusalOptions, VersioningError } from '../errors'
import { attempted, linkOrThrow, plainLink } from '../request/link'
import {
  type Attempt,
  type Determined,
  type Linked,
  type MaybeNamed,
  NO_ARGS,
  pendingDecision,
  readsRoute,
  type Scheme,
} from '../request/state'
import type {
  LinkOptions,
  ParseVersion,
  ResolverMatch,
  RouteParams,
  SchemeLinkOptions,
  VersionCarrier,
  VersionChanges,
  VersioningSettings,
} from '../types'
import { checkKeys, shown } from '../util/options'
import { isThenable } from '../util/thenable'
import { parsed } from './parse-version'
import { type CompiledSettings, compileSettings, SETTING_NAMES } from './settings'

/** The version that a request names, or a promise of it; `undefined` when it names none. */
export type Named = string | undefined | Promise<string | undefined>

/** A class of errors by which a scheme refuses: `NotFound`, `NotAcceptable`, or one of one's own that extends either. */
export type RefusalClass = new (message: string, options: RefusalOptions) => VersioningError

/** Makes a scheme a part of a combination, whose default and accepted versions hold for it from then on. */
export let lendRules: (part: BaseVersioning, combination: BaseVersioning) => void

/** Gives a scheme without a list of versions those of a history. */
export let lendVersions: (scheme: BaseVersioning, history: Pick<VersionChanges, 'versions'>) => void

/**
 * What every scheme is: it decides which version a request addresses, and keeps that version in links. A scheme of one's own
 * says what it reads; this class checks it, falls back to the default, and refuses. Settings come from the constructor; a
 * subclass overrides any of them by a class field, as in DRF.
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
  /** The options its constructor takes; a subclass with more of them lists those too. */
  static readonly optionNames: readonly string[] = SETTING_NAMES

  static {
    lendRules = (part, combination) => {
      part.#lend(combination)
    }
    lendVersions = (scheme, history) => {
      scheme.#take(history)
    }
  }

  /** Version of a request that names none. */
  defaultVersion: string | null
  /** Accepted versions; empty or undefined: every version is accepted. */
  allowedVersions: Iterable<string | null> | undefined
  /** Name of the parameter that carries the version. */
  versionParam: string
  /** Says which accepted version a client's text means. */
  parseVersion: ParseVersion | undefined

  /** Request headers that the decision depends on, or a function of the request that gives them: they are merged into `Vary` before it is made. */
  readonly varyOn: readonly string[] | ((req: Request) => readonly string[]) = []
  /** Of the error for a version that is not accepted. It must not repeat what the client sent. DRF, `invalid_version_message`. */
  readonly invalidVersionMessage: string = 'Invalid version.'
  /** The class of that error. */
  readonly invalidVersionError: RefusalClass = NotFound
  /** Where the version stands in a request. Left undefined, the path is resolved for it, and links may carry it. */
  readonly carriedIn: VersionCarrier['in'] | undefined = undefined
  /** Whether links can be made for another version than the request's (`req.reverse(name, { version })`). */
  readonly linksVersion: boolean = false
  /** Whether the default must be an accepted version as well. */
  protected readonly checksDefault: boolean = true

  readonly #given: CompiledSettings
  #settings: CompiledSettings | undefined
  #combination: BaseVersioning | undefined
  #history: Pick<VersionChanges, 'versions'> | undefined

  /**
   * Checks the options. Class fields of a subclass are set after it; `versioning()` checks those.
   *
   * @throws {TypeError} for unknown options and wrong values.
   */
  constructor(settings: VersioningSettings = {}) {
    checkKeys(new.target.name, settings, new.target.optionNames)
    this.#given = compileSettings(new.target.name, settings)
    const { defaultVersion, versionParam, allowedVersions, parseVersion } = this.#given
    this.defaultVersion = defaultVersion
    this.allowedVersions = allowedVersions
    this.versionParam = versionParam
    this.parseVersion = parseVersion
  }

  /**
   * The settings in force, compiled on first use: a subclass's class fields are set after this class's constructor.
   *
   * @throws {TypeError} for class fields with wrong values.
   */
  protected get settings(): CompiledSettings {
    this.#settings ??= compileSettings(this.constructor.name, {
      // A field without a value (`allowedVersions;`) omits the setting, and does not take it back.
      defaultVersion: this.defaultVersion === undefined ? this.#given.defaultVersion : this.defaultVersion,
      allowedVersions: this.allowedVersions === undefined ? this.#given.allowedVersions : this.allowedVersions,
      versionParam: this.versionParam === undefined ? this.#given.versionParam : this.versionParam,
      parseVersion: this.parseVersion === undefined ? this.#given.parseVersion : this.parseVersion,
    })
    return this.#settings
  }

  /** The settings that decide which versions are accepted: its own, or those of the combination that it is part of. */
  get #rules(): CompiledSettings {
    return this.#combination === undefined ? this.settings : this.#combination.#rules
  }

  get #parser(): ParseVersion | undefined {
    const { parseVersion } = this.settings
    return parseVersion === undefined && this.#combination !== undefined ? this.#combination.#parser : parseVersion
  }

  #lend(combination: BaseVersioning): void {
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

  #take(history: Pick<VersionChanges, 'versions'>): void {
    const { settings } = this
    if (this.#history === undefined && settings.allowedVersions.length > 0) return
    const name = this.constructor.name
    if (this.#history !== undefined && this.#history !== history) {
      throw new TypeError(
        `${name}: this instance has its versions from another history of changes; give each history an instance of its own.`,
      )
    }
    this.#history = history
    this.#settings = compileSettings(name, { ...settings, allowedVersions: history.versions })
  }

  /**
   * The accepted versions, oldest first; empty: every version is accepted. They are the allowed ones as they were listed, and
   * behind them a default version that is not among these.
   */
  get acceptedVersions(): readonly (string | null)[] {
    return this.#rules.acceptedVersions
  }

  /**
   * Checks what class fields may have overridden; `versioning()` calls it once, at construction.
   *
   * @throws {TypeError} for class fields with wrong values.
   */
  compile(): void {
    const error: unknown = this.invalidVersion()
    if (error instanceof VersioningError) return
    throw new TypeError(`${this.constructor.name}: "invalidVersionError" takes NotFound, NotAcceptable, or a subclass.`)
  }

  /**
   * Reads the version that a request names: a scheme of one's own implements this. It must be a function of its three arguments:
   * a scheme that reads the route reads it from the last two, because it is also asked about other routes than the request's.
   *
   * @param _kwargs parameters of the route: those of the match, under `req.params`; with a `carriedIn` other than
   *   `'path'`, `req.params` alone.
   * @param _match the named route in question; `null` for none, and with a `carriedIn` other than `'path'` and `'namespace'`.
   * @returns `undefined` when it names none.
   * @throws {VersioningError} as {@link invalidVersion} makes it, for what stands in a version's place and cannot be used.
   * @throws {Error} where a scheme of one's own implements neither this nor {@link determineVersion}.
   */
  readVersion(_req: Request, _kwargs: RouteParams, _match: ResolverMatch | null): Named {
    throw new Error(`${this.constructor.name}.determine_version() must be implemented.`)
  }

  /**
   * The version that a request addresses: the one that it names, if it is accepted, else the default. DRF, `determine_version`.
   *
   * @param _args positional arguments of the route; Express has none.
   * @param kwargs parameters of the route: those of the match, under `req.params`.
   * @param match the named route in question, as {@link readVersion} gets it. Default: that of the request.
   * @returns the version, or a promise of it; `null` for none.
   * @throws {VersioningError} when the request names a version that is not accepted, or none where it must.
   */
  determineVersion(
    req: Request,
    _args: readonly unknown[],
    kwargs: RouteParams,
    match: ResolverMatch | null = readsRoute(this) ? (req.resolverMatch ?? null) : null,
  ): Determined {
    const text = this.readVersion(req, kwargs, match)
    return isThenable(text)
      ? Promise.resolve(text).then((later) => this.#decided(req, later))
      : this.#decided(req, text)
  }

  #decided(req: Request, text: string | null | undefined): string | null {
    const version = this.#checked(text)
    const decision = pendingDecision(req)
    if (decision !== undefined) decision.named = version !== undefined
    return version ?? this.#defaultOr()
  }

  #checked(text: string | null | undefined): string | undefined {
    if (text === undefined || text === null) return undefined
    const version = this.accepted(text)
    if (version === undefined) throw this.invalidVersion(text)
    return version
  }

  /** The schemes, of which this is one or which it combines, that a route may name a version to. */
  get routeReaders(): readonly Scheme[] {
    return readsRoute(this) ? [this] : []
  }

  /**
   * The version that a request would name if it led to some route. It is the same question as {@link determineVersion} without
   * the default, and leaves the request as it is.
   *
   * @returns `undefined` or `null` when it names none.
   * @throws {VersioningError} when it names one that is not accepted.
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
    if (this.#combination !== undefined) return null
    const { defaultVersion } = this.settings
    if (!this.checksDefault || this.isAllowedVersion(defaultVersion)) return defaultVersion
    throw this.#refusal({ version: defaultVersion, code: 'ERR_VERSION_MISSING' })
  }

  /**
   * The accepted version that a client's text means; `undefined` for none.
   *
   * @throws {TypeError} for anything but a string.
   */
  protected accepted(text: string): string | undefined {
    const parser = this.#parser
    if (parser === undefined || typeof text !== 'string') return this.listed(text)
    const version = parsed(parser, text, this.#rules.versions)
    return version === undefined ? undefined : this.listed(version)
  }

  /**
   * An accepted version as it was listed, so that no request's own bytes are kept alive; `undefined` for any other.
   *
   * @throws {TypeError} for anything but a string.
   */
  protected listed(version: string): string | undefined {
    if (typeof version !== 'string') {
      throw new TypeError(`${this.constructor.name}: a version is a string; got ${shown(version)}.`)
    }
    return this.isAllowedVersion(version) ? (this.#rules.allowed?.get(version) ?? version) : undefined
  }

  /**
   * Whether a version that is sent is taken for itself: `parseVersion` may give an accepted one another meaning, or none.
   *
   * @throws {TypeError} for anything but a string.
   */
  protected meansItself(version: string): boolean {
    return !this.isAllowedVersion(version) || this.accepted(version) === version
  }

  /**
   * How a request names a version in this scheme: the inverse of reading it.
   *
   * @returns where and what to send, or `undefined` where the version cannot be said.
   * @example new HeaderVersioning().carry('v1') // { in: 'header', name: 'X-API-Version', value: 'v1' }
   */
  carry(_version: string): VersionCarrier | undefined {
    return undefined
  }

  /** All ways in which a request can name a version, those in front that are asked first. */
  carriers(version: string): readonly VersionCarrier[] {
    const carrier = this.carry(version)
    return carrier === undefined ? [] : [carrier]
  }

  /** The error by which this scheme refuses a version. */
  invalidVersion(version?: string | null): VersioningError {
    return this.#refusal({ version })
  }

  /** The statuses with which this scheme refuses requests because of their version. */
  get refusalStatuses(): readonly number[] {
    return [this.invalidVersion().status]
  }

  #refusal(options: RefusalOptions): VersioningError {
    const { invalidVersionError: Refusal, invalidVersionMessage } = this
    return new Refusal(invalidVersionMessage, { ...options, allowedVersions: this.acceptedVersions })
  }

  /**
   * A link to a named route. The base class leaves the version out of it.
   *
   * @throws {NoReverseMatch} when no link can be made.
   */
  reverse(viewname: string, options: SchemeLinkOptions = {}): string {
    return linkOrThrow(this.link(viewname, options, options.request))
  }

  /**
   * As {@link reverse}, which is asked where a scheme of one's own overrides it, for a link that may not be there.
   *
   * @returns the link, or why there is none.
   * @throws {NoReverseMatch} for what is wrong with the link whatever its name, such as its host.
   */
  attempt(viewname: string, options: LinkOptions, request: Request | undefined): Attempt {
    if (this.reverse === BaseVersioning.prototype.reverse) return this.link(viewname, options, request)
    return attempted(() => this.reverse(viewname, { ...options, request }))
  }

  /**
   * What the schemes of this package override in place of {@link reverse}: it makes no error that is only to be caught.
   *
   * @returns the link, or why there is none.
   * @throws {NoReverseMatch} for what is wrong with the link whatever its name, such as its host.
   */
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
    const { allowed } = this.settings
    return allowed === undefined || allowed.has(version)
  }
}
