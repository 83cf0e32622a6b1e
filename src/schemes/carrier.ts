import type { Request } from 'express'
import { UNUSABLE } from '../http/unusable'
import { markDefaulted } from '../request/state'
import type { RouteParams } from '../types'
import { BaseVersioning } from './base'

/** What a request carries: a version, none (`undefined`), or something unusable in a version's place. */
export type Carried = string | undefined | typeof UNUSABLE

/**
 * The decision that the built-in schemes share: read what the request carries, check it, fall back to the default. A scheme
 * says where the version is (`carried`), how a wrong one is refused (`refusal`), and whether the default is checked too.
 */
export abstract class CarrierVersioning extends BaseVersioning {
  /** Whether the default must be an accepted version as well. */
  protected readonly checksDefault: boolean = true

  /** What the request carries in this scheme's place. */
  protected abstract carried(req: Request, kwargs: RouteParams): Carried

  override namedVersion(req: Request, _args: readonly unknown[], kwargs: RouteParams): string | undefined {
    const version = this.carried(req, kwargs)
    if (version === undefined) return undefined
    if (version === UNUSABLE) throw this.refusal(undefined)
    if (!this.isAllowedVersion(version)) throw this.refusal(version)
    // The listed string, so that no request's own bytes are kept alive.
    return this.settings.allowed?.get(version) ?? version
  }

  override determineVersion(req: Request, args: readonly unknown[], kwargs: RouteParams): string | null {
    const version = this.namedVersion(req, args, kwargs)
    if (version !== undefined) return version
    markDefaulted(req)
    const { defaultVersion } = this.settings
    if (this.checksDefault && !this.isAllowedVersion(defaultVersion)) throw this.refusal(defaultVersion)
    return defaultVersion
  }
}
