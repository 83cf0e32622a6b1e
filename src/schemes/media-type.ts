import type { Request } from 'express'
import { NotAcceptable } from '../errors'
import { type MediaRange, parseAccept, rankRanges } from '../http/accept'
import { isToken } from '../http/token'
import { UNUSABLE } from '../http/unusable'
import type { VersioningSettings } from '../types'
import { badOption } from '../validate'
import { type Carried, CarrierVersioning } from './carrier'

/** Settings of {@link MediaTypeVersioning}. */
export interface MediaTypeSettings extends VersioningSettings {
  /** The API's media types, with `{version}` in the subtype: `application/vnd.acme.{version}+json`. */
  template: string | readonly string[]
}

/** What stands before and after the version, in lower case: media types are case-insensitive, versions are not. */
interface Template {
  readonly before: string
  readonly after: string
}

const PLACE = '{version}'

/**
 * ```http
 * GET /users HTTP/1.1
 * Host: api.example.com
 * Accept: application/vnd.acme.v1+json
 * ```
 *
 * The version is part of a vendor media type (RFC 6838, section 3.2). Of the ranges that fit a template, the client's most
 * preferred one decides; Express's own negotiation sees the type of its suffix as well (RFC 6839).
 */
export class MediaTypeVersioning extends CarrierVersioning {
  static override readonly optionNames: readonly string[] = [...CarrierVersioning.optionNames, 'template']

  override readonly varyOn: readonly string[] = ['Accept']
  override readonly readsRoute: boolean = false
  readonly #templates: readonly Template[]

  constructor(settings: MediaTypeSettings) {
    super(settings)
    const { template } = settings
    const list: readonly unknown[] = Array.isArray(template) && template.length > 0 ? template : [template]
    this.#templates = list.map((entry) => compileTemplate(new.target.name, entry))
  }

  protected override carried(req: Request): Carried {
    const { accept } = req.headers
    if (accept === undefined) return undefined
    const ranges = parseAccept(accept)
    for (const range of rankRanges(ranges)) {
      const version = this.fitted(accept, range)
      if (version !== undefined) return version === '' ? UNUSABLE : version
    }
    // A vendor type that only a malformed weight left out was meant all the same.
    return ranges.some((range) => range.malformed && this.fitted(accept, range) !== undefined) ? UNUSABLE : undefined
  }

  /** The version in a range that fits a template, as it was sent. */
  private fitted(accept: string, { name, start }: MediaRange): string | undefined {
    for (const { before, after } of this.#templates) {
      if (name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after)) {
        return accept.slice(start + before.length, start + name.length - after.length)
      }
    }
    return undefined
  }

  override refusal(version: string | null | undefined): NotAcceptable {
    const allowedVersions = this.acceptedVersions
    return new NotAcceptable('Invalid version in "Accept" header.', { version, allowedVersions })
  }

  /** The header with the suffix type of each vendor type behind it, unless the client says something of that type itself. */
  override negotiableAccept(accept: string): string {
    const ranges = parseAccept(accept)
    const said = new Set(ranges.map(({ name }) => name))
    let seen = ''
    let from = 0
    for (const range of ranges) {
      const suffix = range.name.lastIndexOf('+')
      const type = `application/${range.name.slice(suffix + 1)}`
      if (suffix === -1 || said.has(type) || this.fitted(accept, range) === undefined) continue
      const parameters = accept.slice(range.start + range.name.length, range.end)
      seen += `${accept.slice(from, range.end)}, ${type}${parameters}`
      from = range.end
    }
    return seen + accept.slice(from)
  }
}

function compileTemplate(owner: string, template: unknown): Template {
  const takes = `a media type with ${PLACE} once in its subtype, such as 'application/vnd.acme.${PLACE}+json', or a list of them`
  if (typeof template !== 'string') throw badOption(owner, 'template', takes, template)
  const [before = '', after, ...more] = template.toLowerCase().split(PLACE)
  const [type, subtype, ...rest] = before.split('/')
  const wellFormed =
    isToken(type) && isToken(`x${subtype}`) && isToken(`x${after}`) && rest.length === 0 && !before.includes('*')
  if (subtype === undefined || after === undefined || more.length > 0 || !wellFormed)
    throw badOption(owner, 'template', takes, template)
  return { before, after }
}
