// The scheme that reads the version from a vendor media type in `Accept`.
import type { Request } from 'express'
import { NotAcceptable } from '../errors'
import { type MediaRange, parseAccept, preferredRange, readParameter } from '../http/accept'
import { isToken, UNUSABLE } from '../http/fields'
import type { VersionCarrier, VersioningSettings } from '../types'
import { nameClass } from '../util/brand'
import { badOption } from '../util/options'
import { BaseVersioning, type RejectionClass } from './base'

/** Settings of {@link MediaTypeVersioning}. */
export interface MediaTypeSettings extends VersioningSettings {
  /** The API's media types, with `{version}` in the subtype: `application/vnd.acme.{version}+json`. */
  template: string | readonly string[]
}

/** The text before and after the version, in lower case. Media types are case-insensitive; versions are not. */
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
 * The version is part of a vendor media type (RFC 6838, section 3.2). The client's most preferred range that fits a template
 * decides. Express's own negotiation also sees the type of its suffix (RFC 6839).
 */
export class MediaTypeVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'template']

  override readonly varyOn: readonly string[] = ['Accept']
  override readonly carriedIn: VersionCarrier['in'] = 'header'
  override readonly invalidVersionError: RejectionClass = NotAcceptable
  override readonly invalidVersionMessage: string = 'Invalid version in "Accept" header.'
  /** The first template as given, which is used for sending. The others are only read. */
  readonly #first: Template
  readonly #templates: readonly Template[]

  /** @throws {TypeError} for unknown options, a missing template, and other wrong values. */
  constructor(settings: MediaTypeSettings) {
    super(settings)
    const templates = compileTemplates(new.target.name, settings?.template)
    this.#first = templates[0] as Template
    // Longer templates come first: `{version}+json` before `{version}`.
    this.#templates = templates.toSorted((a, b) => b.before.length + b.after.length - a.before.length - a.after.length)
  }

  override readVersion(req: Request): string | undefined {
    const { accept } = req.headers
    if (accept === undefined) return undefined
    const lower = accept.toLowerCase()
    // A browser's header ends here.
    if (!this.#templates.some(({ before }) => lower.includes(before))) return undefined
    // The fast path: one vendor type alone, which versioned clients send. A token in the version's place rules out further
    // ranges.
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

  /** Tells whether only a mistake excludes a vendor type: a malformed weight, or an unterminated quote before it. */
  private leftOut(range: MediaRange): boolean {
    if (range.malformed && this.fitted(range.text, range.name) !== undefined) return true
    return this.#templates.some(({ before }) => readParameter(range, before) === UNUSABLE)
  }

  /** Returns the text in the version's place, as sent, if a media type fits a template. `name` is in lower case. */
  private fitted(text: string, name: string): string | undefined {
    if (name.endsWith('/*')) return undefined
    for (const { before, after } of this.#templates) {
      const end = name.length - after.length
      if (end < before.length || !name.startsWith(before) || !name.endsWith(after)) continue
      return text.slice(before.length, end)
    }
    return undefined
  }

  /** Returns the media type of the first template, unless another template would read it. */
  override carry(version: string): VersionCarrier | undefined {
    const { before, after } = this.#first
    const value = `${before}${version}${after}`
    const readBack = isToken(version) && this.fitted(value, value.toLowerCase()) === version
    return readBack && this.meansItself(version) ? { in: 'header', name: 'Accept', value } : undefined
  }

  /** Returns the header with the suffix type behind each vendor type, unless the client names that type itself. */
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
      // Leave out the parameters: they belong to the vendor type, and the plain type would have to match them.
      seen += `${accept.slice(from, range.end)}, ${type};q=${range.quality}`
      from = range.end
    }
    return seen + accept.slice(from)
  }
}

nameClass(MediaTypeVersioning, 'MediaTypeVersioning')

function compileTemplates(owner: string, option: unknown): readonly Template[] {
  const list: readonly unknown[] = Array.isArray(option) && option.length > 0 ? option : [option]
  return list.map((entry) => {
    const [, before, after] = (typeof entry === 'string' ? TEMPLATE.exec(entry) : null) ?? []
    if (before === undefined || after === undefined) throw badOption(owner, 'template', TAKES, entry)
    return { before: before.toLowerCase(), after: after.toLowerCase() }
  })
}
