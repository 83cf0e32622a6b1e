// The rules of a scheme: which versions are accepted, and what a client's text means.
import type { VersionChanges } from '../bound-changes'
import { type CompiledSettings, compileSettings, type GivenSettings, parsed, SETTING_NAMES } from './settings'

/** The methods that tell who decides, if a subclass has its own. */
interface Deciding {
  carry(version: string): unknown
  determineVersion(...question: never): unknown
  isAllowedVersion(version: string | null): boolean
}

/** The rules of one scheme. Only this package sees them. */
export class VersionRules {
  #own: CompiledSettings | undefined
  #combination: VersionRules | undefined
  #history: Pick<VersionChanges, 'versions'> | undefined
  #previews: ReadonlySet<string> = new Set()

  /**
   * @param base the methods of the base class.
   * @param given the settings that the constructor got.
   * @param settings returns the settings of the scheme: its own, unless a subclass has others.
   */
  constructor(
    private readonly scheme: Deciding & GivenSettings,
    private readonly base: Deciding,
    private readonly given: CompiledSettings,
    private readonly settings: () => CompiledSettings,
  ) {}

  /**
   * The scheme's own settings. They are compiled on first use, because class fields of a subclass are set after the constructor.
   *
   * @throws {TypeError} for class fields with wrong values.
   */
  get own(): CompiledSettings {
    this.#own ??= this.#compiled()
    return this.#own
  }

  #compiled(): CompiledSettings {
    const { scheme, given } = this
    // A field without a value (`allowedVersions;`) leaves the setting as it was given.
    const fields = SETTING_NAMES.filter((name) => scheme[name] !== undefined).map((name) => [name, scheme[name]])
    return compileSettings(this.#name, { ...given, ...Object.fromEntries(fields) })
  }

  /** The settings that decide which versions are accepted: those of the scheme, or of its combination. */
  get inForce(): CompiledSettings {
    return this.#combination === undefined ? this.settings() : this.#combination.inForce
  }

  /** `true` if the scheme is part of a combination, which then decides whether a version is required. */
  get isCombined(): boolean {
    return this.#combination !== undefined
  }

  /** The scheme's parser, or that of its combination. */
  get parser(): CompiledSettings['parseVersion'] {
    return this.settings().parseVersion ?? this.#combination?.parser
  }

  get #name(): string {
    return this.scheme.constructor.name
  }

  /** Tells whether a version is accepted, unless a subclass has rules of its own. */
  allows(version: string | null): boolean {
    if (this.#combination !== undefined) return version === null || this.#combination.scheme.isAllowedVersion(version)
    const { allowed } = this.settings()
    return allowed === undefined || allowed.has(version)
  }

  /** Returns the version that a client's text means, accepted or not; `undefined` if it means none. */
  meaningOf(text: string): string | undefined {
    const { parser, previews } = this
    // A preview is only for clients that name it exactly.
    if (parser === undefined || previews.has(text)) return text
    const { versions } = this.inForce
    const known = previews.size === 0 ? versions : versions.filter((name) => !previews.has(name))
    const version = parsed(parser, text, known)
    return version === undefined || previews.has(version) ? undefined : version
  }

  /** Tells whether a subclass has its own method. */
  overrides(method: keyof Deciding): boolean {
    return this.scheme[method] !== this.base[method]
  }

  /**
   * Makes the scheme part of a combination. The combination's default and accepted versions then hold for it.
   *
   * @throws {TypeError} for a scheme with versions of its own, and for a part of another combination.
   */
  joinTo(combination: VersionRules): void {
    const { defaultVersion, allowedVersions } = this.settings()
    if (defaultVersion !== null || allowedVersions.length > 0) {
      throw new TypeError(
        `${this.#name}: "defaultVersion" and "allowedVersions" belong to the combination; set them there.`,
      )
    }
    if (this.isCombined) throw new TypeError(`${this.#name}: this instance is already part of a combination.`)
    this.#combination = combination
  }

  /**
   * Checks that the scheme can have the versions of a history.
   *
   * @returns a function that gives them to the scheme, if it has no list of its own.
   * @throws {TypeError} for a scheme that has the versions of another history.
   */
  takeVersions(history: Pick<VersionChanges, 'versions'>): () => void {
    const settings = this.settings()
    if (this.#history === undefined && settings.allowedVersions.length > 0) return () => {}
    if (this.#history !== undefined && this.#history !== history) {
      throw new TypeError(
        `${this.#name}: this instance already has the versions of another history of changes; give each history its own instance.`,
      )
    }
    return () => {
      this.#history = history
      this.#own = compileSettings(this.#name, { ...settings, allowedVersions: history.versions })
    }
  }

  get previews(): ReadonlySet<string> {
    return this.#combination === undefined ? this.#previews : this.#combination.previews
  }

  /** The versions that are previews. */
  set previews(previews: ReadonlySet<string>) {
    this.#previews = previews
  }
}
