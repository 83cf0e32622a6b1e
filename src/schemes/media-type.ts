import type { Request } from 'express'
import { NotAcceptable } from '../errors'
import { type MediaRange, parseAccept, preferredRange, readParameter } from '../http/accept'
import { isToken, UNUSABLE } from '../http/fields'
import type { VersionCarrier, VersioningSettings } from '../types'
import { badOption } from '../util/options'
import { BaseVersioning, type RefusalClass } from './base'

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

// The characters of a media type's names (RFC 6838, section 4.2).
const TEMPLATE = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]*)\{version\}([\w!#$&^.+-]*)$/
const TAKES =
  "a media type with {version} once in its subtype, such as 'application/vnd.acme.{version}+json', or a list of them"

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
export class MediaTypeVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'template']

  override readonly varyOn: readonly string[] = ['Accept']
  override readonly carriedIn: VersionCarrier['in'] = 'header'
  override readonly invalidVersionError: RefusalClass = NotAcceptable
  override readonly invalidVersionMessage: string = 'Invalid version in "Accept" header.'
  /** As they were given, the first; the others serve reading alone. */
  readonly #first: Template
  readonly #templates: readonly Template[]

  /** @throws {TypeError} for unknown options, no template, and other wrong values. */
  constructor(settings: MediaTypeSettings) {
    super(settings)
    const templates = compileTemplates(new.target.name, settings?.template)
    this.#first = templates[0] as Template
    // Those that say more come first: `{version}+json` before `{version}`.
    this.#templates = templates.toSorted((a, b) => b.before.length + b.after.length - a.before.length - a.after.length)
  }

  override readVersion(req: Request): string | undefined {
    const { accept } = req.headers
    if (accept === undefined) return undefined
    const lower = accept.toLowerCase()
    // A browser's header ends here.
    if (!this.#templates.some(({ before }) => lower.includes(before))) return undefined
    // What versioned clients send: a vendor type alone, for with a token in the version's place there is no room for more.
    const only = this.fitted(accept, lower)
    if (isToken(only)) return only
    const ranges = parseAccept(accept)
    const range = preferredRange(ranges.filter((one) => this.fitted(one.text, one.name) !== undefined))
    if (range === undefined) {
      if (ranges.some((one) => this.leftOut(one))) throw this.invalidVersion()
      return undefined
    }
    const version = this.fitted(range.text, range.name)
    if (isToken(version)) return version
    throw this.invalidVersion()
  }

  /** Whether a vendor type was meant that only a mistake left out: a malformed weight, or a quote left open before it. */
  private leftOut(range: MediaRange): boolean {
    if (range.malformed && this.fitted(range.text, range.name) !== undefined) return true
    return this.#templates.some(({ before }) => readParameter(range, before) === UNUSABLE)
  }

  /** What stands in the version's place of a media type that fits a template, as it was sent: `name` is lower case. */
  private fitted(text: string, name: string): string | undefined {
    if (name.endsWith('/*')) return undefined
    for (const { before, after } of this.#templates) {
      const end = name.length - after.length
      if (end < before.length || !name.startsWith(before) || !name.endsWith(after)) continue
      return text.slice(before.length, end)
    }
    return undefined
  }

  /** By the first template, unless another one would read it. */
  override carry(version: string): VersionCarrier | undefined {
    const { before, after } = this.#first
    const value = `${before}${version}${after}`
    const readBack = isToken(version) && this.fitted(value, value.toLowerCase()) === version
    return readBack && this.meansItself(version) ? { in: 'header', name: 'Accept', value } : undefined
  }

  /** The header with the suffix type of each vendor type behind it, unless the client says something of that type itself. */
  negotiableAccept(accept: string): string {
    const ranges = parseAccept(accept)
    const said = new Set(ranges.map(({ name }) => name))
    let seen = ''
    let from = 0
    for (const range of ranges) {
      const suffix = range.name.lastIndexOf('+')
      const type = `application/${range.name.slice(suffix + 1)}`
      if (suffix === -1 || !(range.quality > 0) || said.has(type)) continue
      if (this.fitted(range.text, range.name) === undefined) continue
      // Without the parameters: they are the vendor type's, and the plain type would have to match them.
      seen += `${accept.slice(from, range.end)}, ${type};q=${range.quality}`
      from = range.end
    }
    return seen + accept.slice(from)
  }
}

function compileTemplates(owner: string, option: unknown): readonly Template[] {
  const list: readonly unknown[] = Array.isArray(option) && option.length > 0 ? option : [option]
  return list.map((entry) => {
    const [, before, after] = (typeof entry === 'string' ? TEMPLATE.exec(entry) : null) ?? []
    if (before === undefined || after === undefined) throw badOption(owner, 'template', TAKES, entry)
    return { before: before.toLowerCase(), after: after.toLowerCase() }
  })
}
