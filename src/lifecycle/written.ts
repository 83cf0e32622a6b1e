// The header fields about versions in a response: writing them, and taking them back.
import type { Response } from 'express'
import type { Announcement, RequestState, WrittenField, WrittenHeaders } from '../request/state'

/**
 * The header fields about versions in responses. Browsers show them to scripts of other origins only if
 * `Access-Control-Expose-Headers` lists them (Fetch Standard, section 3.3.4).
 *
 * @example app.use(cors({ exposedHeaders: [...exposedHeaders] }))
 */
export const exposedHeaders: readonly string[] = Object.freeze([
  'API-Supported-Versions',
  'API-Deprecated-Versions',
  'API-Version',
  'API-Changes-Met',
  'Deprecation',
  'Sunset',
  'Link',
])

const NOTHING: WrittenHeaders = { fields: [], routes: [] }

/** Writes a field, and notes it. */
export function write(res: Response, state: RequestState, field: WrittenField): void {
  const { fields, routes } = state.written ?? NOTHING
  state.written = { fields: [...fields, { ...field, before: res.getHeader(field.name) }], routes }
  const link = field.name === 'Link' ? currentLink(res) : ''
  res.setHeader(field.name, link === '' ? field.value : `${link}, ${field.value}`)
}

/** Announces that a route is deprecated, in addition to its version. */
export function announceRoute(res: Response, state: RequestState, route: Announcement): void {
  if (res.headersSent) return
  announce(res, state, route)
  const { fields, routes } = state.written as WrittenHeaders
  state.written = { fields, routes: [...routes, route] }
}

/** Writes dates and links. The earlier date of version and route wins; both links are sent. */
export function announce(res: Response, state: RequestState, { dates, links }: Announcement): void {
  for (const date of dates) {
    const other = state.written?.fields.findLast(({ name }) => name === date.name)?.at
    if (other === undefined || date.at < other) write(res, state, date)
  }
  if (links.length > 0) write(res, state, { name: 'Link', value: links.join(', ') })
}

/**
 * Writes the last fields again, because somebody took them away with others.
 *
 * @param since the number of fields before them.
 */
export function writeAgain(res: Response, state: RequestState, since: number): void {
  const { fields, routes } = state.written ?? NOTHING
  state.written = { fields: fields.slice(0, since), routes }
  for (const field of fields.slice(since)) write(res, state, field)
}

function currentLink(res: Response): string {
  const link = res.getHeader('Link') ?? ''
  return Array.isArray(link) ? link.join(', ') : String(link)
}

/** Takes back the fields that an outer `versioning()` wrote, unless others have changed them: the last `versioning()` decides. */
export function retract(res: Response, state: RequestState): void {
  // The deprecation of a route does not depend on which `versioning()` decides.
  for (const route of takeBack(res, state, () => false)) announceRoute(res, state, route)
}

/** Takes back the fields of the decided version and of its routes, because the request is rejected. */
export function retractVersion(res: Response, state: RequestState): void {
  takeBack(res, state, ({ isReport = false }) => isReport)
}

/** Takes back fields, the last one first, because one may have replaced another. Returns the announcements of routes. */
function takeBack(res: Response, state: RequestState, isKept: (field: WrittenField) => boolean) {
  const { fields, routes } = state.written ?? NOTHING
  state.written = { fields: fields.filter(isKept), routes: [] }
  const taken = res.headersSent ? [] : fields.filter((field) => !isKept(field))
  for (const { name, value, before } of taken.toReversed()) {
    const isLink = name === 'Link'
    if (!isLink && res.getHeader(name) !== value) continue
    const rest = isLink ? withoutLinks(currentLink(res), value) : before
    if (rest === undefined) res.removeHeader(name)
    else res.setHeader(name, rest)
  }
  return routes
}

/** Removes the links that were appended last with a string. Others may have appended links since. */
function withoutLinks(links: string, text: string): string | undefined {
  const all = `, ${links}, `
  const at = all.lastIndexOf(`, ${text}, `)
  return (at === -1 ? links : (all.slice(0, at) + all.slice(at + text.length + 2)).slice(2, -2)) || undefined
}

/** Forbids caches to store a rejection, unless the response says what they may: some statuses are stored by default (RFC 9111, section 4.2.2). */
export function forbidStoring(res: Response, state: RequestState): void {
  if (!res.headersSent && !res.hasHeader('Cache-Control'))
    write(res, state, { name: 'Cache-Control', value: 'no-store' })
}
