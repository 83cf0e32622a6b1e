import type { Request } from 'express'
import { isFailed, linkedVersion, plainLink } from '../request/link'
import type { Linked } from '../request/state'
import type { LinkOptions, ResolverMatch, RouteParams, VersionCarrier, VersioningSettings } from '../types'
import { BaseVersioning } from './base'
import { ignoredNames } from './settings'

/** Settings of {@link NamespaceVersioning}. */
export interface NamespaceSettings extends VersioningSettings {
  /** Namespaces that are no versions (`['admin']`): a path in none but these names no version. */
  ignore?: Iterable<string> | undefined
}

/**
 * ```http
 * GET /v1/users HTTP/1.1
 * Host: api.example.com
 * ```
 *
 * The version is a namespace of the route table (`namedRoutes({}).include('/v1', users, { namespace: 'v1' })`); of nested ones
 * the first accepted. A path in no namespace gets the default, unchecked. DRF, `NamespaceVersioning`.
 */
export class NamespaceVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'ignore']

  override readonly carriedIn: VersionCarrier['in'] = 'namespace'
  override readonly linksVersion: boolean = true
  override readonly invalidVersionMessage: string = 'Invalid version in URL path. Does not match any version namespace.'
  protected override readonly checksDefault: boolean = false
  /** Namespaces that are no versions. */
  ignore: Iterable<string> | undefined

  #ignored: ReadonlySet<string> | undefined

  /** @throws {TypeError} for unknown options and wrong values. */
  constructor(settings: NamespaceSettings = {}) {
    super(settings)
    const { ignore } = settings
    this.ignore = ignore === undefined ? undefined : ignoredNames(new.target.name, ignore)
  }

  /** Read on first use: a subclass may have set it by a class field. */
  private get ignored(): ReadonlySet<string> {
    this.#ignored ??= new Set(ignoredNames(this.constructor.name, this.ignore))
    return this.#ignored
  }

  override compile(): void {
    super.compile()
    this.ignored
  }

  /**
   * The first accepted one of the match's namespaces, but for those that are no versions.
   *
   * @throws {NotFound} when the path is in a namespace, and none of its namespaces is accepted.
   */
  override readVersion(_req: Request, _kwargs: RouteParams, match: ResolverMatch | null): string | undefined {
    let invalid = false
    for (const namespace of match?.namespaces ?? []) {
      if (this.ignored.has(namespace)) continue
      if (this.accepted(namespace) !== undefined) return namespace
      invalid = true
    }
    if (invalid) throw this.invalidVersion()
    return undefined
  }

  override carry(version: string): VersionCarrier | undefined {
    const named = version !== '' && !version.includes(':') && !this.ignored.has(version)
    return named && this.meansItself(version) ? { in: 'namespace', value: version } : undefined
  }

  /**
   * The link to the route of that name in the version's namespace: `<version>:<viewname>`, or where namespaces nest, in its
   * place there.
   *
   * @throws {NoReverseMatch} for what is wrong with the link whatever its name.
   */
  protected override link(viewname: string, options: LinkOptions, request: Request | undefined): Linked {
    const version = linkedVersion(options, request)
    if (version === null) return plainLink(viewname, options, request)
    let missing: Linked | undefined
    let unfit: Linked | undefined
    for (const name of this.versionedNames(viewname, version, request)) {
      const made = plainLink(name, options, request)
      if (!isFailed(made)) return made
      if (made[0]?.unknown === true) missing ??= made
      else unfit ??= made
    }
    // A name that is there says more than one that is not.
    return unfit ?? (missing as Linked)
  }

  /**
   * The names to try, in order: a full name of the request's version in the other; in the version alone; behind what stands
   * before the version in the request's match; around it; and a full name of the version itself.
   */
  private versionedNames(viewname: string, version: string, request: Request | undefined): string[] {
    const names = [`${version}:${viewname}`]
    const current = request?.version ?? version
    const namespaces = request?.resolverMatch?.namespaces ?? []
    // Where namespaces do not nest, there is no more to try.
    if (namespaces.length > 1) {
      const place = namespaces.findIndex((namespace) => this.means(namespace, current))
      if (place > 0) names.push([...namespaces.slice(0, place), version, viewname].join(':'))
      if (place !== -1 && place < namespaces.length - 1)
        names.push([...namespaces.with(place, version), viewname].join(':'))
    }
    const full = viewname.includes(':') ? this.renamed(viewname, current, version) : undefined
    if (full === undefined) return names
    return version === current ? [...names, full] : [full, ...names]
  }

  /** A full name that has the version among its namespaces, in the other version. */
  private renamed(viewname: string, current: string, version: string): string | undefined {
    const parts = viewname.split(':')
    // The last part is the view's own.
    const own = parts.slice(0, -1).findLastIndex((part) => this.means(part, current))
    return own === -1 ? undefined : parts.with(own, version).join(':')
  }

  /** Whether a namespace is that of a version, or its text is taken for it. */
  private means(namespace: string, version: string): boolean {
    return namespace === version || this.accepted(namespace) === version
  }
}
