// The base class of every scheme: reads, checks, falls back to the default, and rejects.
import type { Request } from 'express'
import type { VersionChanges } from '../bound-changes'
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
import { type CompiledSettings, compileSettings, parsed, SETTING_NAMES } from './settings'

/** The version that a request names, or a promise of it; `undefined` when it names none. */
export type Named = string | undefined | Promise<string | undefined>

/** The class of a scheme's errors: `NotFound`, `NotAcceptable`, or a subclass of either. */
export type RejectionClass = new (message: string, options: RejectionOptions) => VersioningError

const NO_PREVIEWS: ReadonlySet<string> = new Set()

/** The side of a scheme that this package alone sees. */
export interface SchemeInside {
  /** Returns the settings that decide which versions are accepted: those of the scheme, or of its combination. */
  rules(): CompiledSettings
  previews(): ReadonlySet<string>
  parser(): ParseVersion | undefined
  isAllowedVersion(version: string | null): boolean
  /** Tells whether a subclass has its own method. */
  overrides(method: 'carry' | 'determineVersion' | 'isAllowedVersion'): boolean
  /** Makes the scheme part of a combination. The combination's default and accepted versions then hold for it. */
  shareRules(combination: SchemeInside): void
  /** Checks that the scheme can have the versions of a history, and returns a function that gives them if it has no list of its own. */
  takeVersions(history: Pick<VersionChanges, 'versions'>): () => void
  /** Tells the scheme which versions are previews. */
  takePreviews(previews: ReadonlySet<string>): void
}

const INSIDE: unique symbol = Symbol.for('express-versioning.scheme.inside') as never

/** Returns that side. The scheme may belong to another load of the package, whose private fields this one cannot read. */
export function insideOf(scheme: BaseVersioning): SchemeInside {
  return (scheme as unknown as { [INSIDE]: SchemeInside })[INSIDE]
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

  readonly #given: CompiledSettings
  #settings: CompiledSettings | undefined
  #combination: SchemeInside | undefined
  #history: Pick<VersionChanges, 'versions'> | undefined
  #previews: ReadonlySet<string> = NO_PREVIEWS

  /**
   * Checks the options. `versioning()` checks a subclass's class fields later, because they are set after this constructor.
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
    Object.defineProperty(this, INSIDE, { value: this.#inside() })
  }

  #inside(): SchemeInside {
    return {
      rules: () => this.#rules,
      previews: () => this.#allPreviews,
      parser: () => this.#parser,
      isAllowedVersion: (version) => this.isAllowedVersion(version),
      overrides: (method) => this[method] !== BaseVersioning.prototype[method],
      shareRules: (combination) => this.#shareRules(combination),
      takeVersions: (history) => this.#take(history),
      takePreviews: (previews) => {
        this.#previews = previews
      },
    }
  }

  /**
   * Returns the settings in force. They are compiled on first use, because class fields of a subclass are set after this
   * constructor.
   *
   * @throws {TypeError} for class fields with wrong values.
   */
  protected get settings(): CompiledSettings {
    if (this.#settings !== undefined) return this.#settings
    // A field without a value (`allowedVersions;`) leaves the setting as it was given.
    const fields = SETTING_NAMES.filter((name) => this[name] !== undefined).map((name) => [name, this[name]])
    return this.#compiled({ ...this.#given, ...Object.fromEntries(fields) })
  }

  /** Compiles settings, and keeps them as an own property, which requests read without a call, unless a subclass has a getter. */
  #compiled(settings: VersioningSettings): CompiledSettings {
    const value = compileSettings(this.constructor.name, settings)
    this.#settings = value
    let owner: object = Object.getPrototypeOf(this)
    while (!Object.hasOwn(owner, 'settings')) owner = Object.getPrototypeOf(owner)
    // A frozen scheme takes no property.
    if (owner === BaseVersioning.prototype) Reflect.defineProperty(this, 'settings', { value, configurable: true })
    return value
  }

  /** Returns the settings that decide which versions are accepted: its own, or those of its combination. */
  get #rules(): CompiledSettings {
    return this.#combination === undefined ? this.settings : this.#combination.rules()
  }

  get #allPreviews(): ReadonlySet<string> {
    return this.#combination === undefined ? this.#previews : this.#combination.previews()
  }

  get #parser(): ParseVersion | undefined {
    const { parseVersion } = this.settings
    return parseVersion === undefined && this.#combination !== undefined ? this.#combination.parser() : parseVersion
  }

  #shareRules(combination: SchemeInside): void {
    const { defaultVersion, allowedVersions } = this.settings
    const name = this.constructor.name
    if (defaultVersion !== null || allowedVersions.length > 0) {
      throw new TypeError(`${name}: "defaultVersion" and "allowedVersions" belong to the combination; set them there.`)
    }
    if (this.#combination !== undefined) throw new TypeError(`${name}: this instance is already part of a combination.`)
    this.#combination = combination
  }

  #take(history: Pick<VersionChanges, 'versions'>): () => void {
    const { settings } = this
    if (this.#history === undefined && settings.allowedVersions.length > 0) return () => {}
    const name = this.constructor.name
    if (this.#history !== undefined && this.#history !== history) {
      throw new TypeError(
        `${name}: this instance already has the versions of another history of changes; give each history its own instance.`,
      )
    }
    return () => {
      this.#history = history
      this.#compiled({ ...settings, allowedVersions: history.versions })
    }
  }

  /**
   * Returns the accepted versions, oldest first: the allowed versions as listed, then a default version that is not among them.
   * Empty: every version is accepted.
   */
  get acceptedVersions(): readonly (string | null)[] {
    return this.#rules.acceptedVersions
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
    const decision = this.#combination === undefined ? pendingDecision(req) : undefined
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
    if (this.#combination !== undefined) return null
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
    const parser = this.#parser
    if (parser === undefined || typeof text !== 'string') return this.listed(text)
    const previews = this.#allPreviews
    // A preview is only for clients that name it exactly.
    if (previews.has(text)) return this.listed(text)
    const { versions } = this.#rules
    const version = parsed(
      parser,
      text,
      previews.size === 0 ? versions : versions.filter((name) => !previews.has(name)),
    )
    return version === undefined || previews.has(version) ? undefined : this.listed(version)
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
    return this.isAllowedVersion(version) ? (this.#rules.allowed?.get(version) ?? version) : undefined
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
    // The combination decides whether a version is required, once it has asked all of its schemes.
    if (this.#combination !== undefined) return version === null || this.#combination.isAllowedVersion(version)
    const { allowed } = this.settings
    return allowed === undefined || allowed.has(version)
  }
}

nameClass(BaseVersioning, 'BaseVersioning')
brand('scheme', BaseVersioning.prototype)
