// The scheme that reads the version from a namespace of the route table.
import type { Request } from 'express'
import type { LinkCall, Linked } from '../request/state'
import type { ResolverMatch, RouteParams, VersionCarrier, VersioningSettings } from '../types'
import { nameClass } from '../util/brand'
import { partsOf } from '../util/operation'
import { BaseVersioning } from './base'
import { ignoredNames } from './settings'

/** Settings of {@link NamespaceVersioning}. */
export interface NamespaceSettings extends VersioningSettings {
  /** Namespaces that are not versions (`['admin']`). A path that is only in these names no version. */
  ignore?: Iterable<string> | undefined
}

/**
 * ```http
 * GET /v1/users HTTP/1.1
 * Host: api.example.com
 * ```
 *
 * The version is a namespace of the route table (`namedRoutes({}).include('/v1', users, { namespace: 'v1' })`). If namespaces
 * nest, the first accepted one counts. A path outside of any namespace gets the default, unchecked. DRF, `NamespaceVersioning`.
 */
export class NamespaceVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'ignore']

  override readonly carriedIn: VersionCarrier['in'] = 'namespace'
  override readonly linksVersion: boolean = true
  override readonly invalidVersionMessage: string = 'Invalid version in URL path. Does not match any version namespace.'
  protected override readonly checksDefault: boolean = false
  /** Namespaces that are not versions. */
  ignore: Iterable<string> | undefined

  #ignored: ReadonlySet<string> | undefined

  /** @throws {TypeError} for unknown options and wrong values. */
  constructor(settings: NamespaceSettings = {}) {
    super(settings)
    const { ignore } = settings
    this.ignore = ignore === undefined ? undefined : ignoredNames(new.target.name, ignore)
  }

  /** Returns the ignored namespaces, read on first use: a subclass may set them with a class field. */
  private get ignored(): ReadonlySet<string> {
    this.#ignored ??= new Set(ignoredNames(this.constructor.name, this.ignore))
    return this.#ignored
  }

  override compile(): void {
    super.compile()
    this.ignored
  }

  /**
   * Returns the first accepted namespace of the match.
   *
   * @throws {NotFound} if the path is in namespaces, but none of them is accepted.
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
    // A name that begins with "/" is a path of an OpenAPI document.
    const named = /^[^:/][^:]*$/.test(version) && !this.ignored.has(version)
    return named && this.meansItself(version) ? { in: 'namespace', value: version } : undefined
  }

  /**
   * Returns the link to `<version>:<viewname>`, even if that name has the version twice (`v1:v1:users`), as DRF does.
   *
   * @throws {NoReverseMatch} for errors that no other name can fix.
   */
  protected override link(viewname: string, call: LinkCall): Linked {
    return call.plain(named(call.version, viewname))
  }

  /**
   * Makes a link for `req.reverse`, which tries more names: where namespaces nest, the version replaces the current one in its
   * place, and a full name may have its version already.
   *
   * @throws {NoReverseMatch} for errors that no other name can fix.
   */
  override attempt(viewname: string, call: LinkCall): Linked {
    const { version } = call
    if (version === null) return super.attempt(viewname, call)
    const rule = named(version, viewname)
    let missing: Linked | undefined
    let unfit: Linked | undefined
    for (const name of this.versionedNames(viewname, version, call.request)) {
      const made = name === rule ? super.attempt(viewname, call) : call.plain(name)
      if (typeof made === 'string') return made
      if (made[0]?.unknown === true) missing ??= made
      else unfit ??= made
    }
    // The failure of an existing name tells more than that of an unknown one.
    return unfit ?? (missing as Linked)
  }

  /**
   * Lists the names to try, in this order:
   * - a full name of the request's version, renamed to the other version;
   * - the view name in the version alone;
   * - the view name below the namespaces that precede the version in the request's match;
   * - the view name with the version among all namespaces of the match;
   * - a full name in the version itself.
   */
  private versionedNames(viewname: string, version: string, request: Request | undefined): string[] {
    const names = [named(version, viewname)]
    const current = request?.version ?? version
    const namespaces = request?.resolverMatch?.namespaces ?? []
    // Namespaces that do not nest give no other names.
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

  /** Replaces the current version among the namespaces of a full name; returns `undefined` if it has none. */
  private renamed(viewname: string, current: string, version: string): string | undefined {
    const parts = partsOf(viewname)
    // The last part is the view's own.
    const own = parts.slice(0, -1).findLastIndex((part) => this.means(part, current))
    return own === -1 ? undefined : parts.with(own, version).join(':')
  }

  /** Tells whether a namespace means a version. */
  private means(namespace: string, version: string): boolean {
    return namespace === version || this.accepted(namespace) === version
  }
}

nameClass(NamespaceVersioning, 'NamespaceVersioning')

/** Returns a view name in a version; without a version, the name itself. */
function named(version: string | null, viewname: string): string {
  return version === null ? viewname : `${version}:${viewname}`
}
