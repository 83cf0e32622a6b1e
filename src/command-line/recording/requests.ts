// The requests of a file: as text, as HAR, or as the access log of a server.
import { parsedJson } from '../../http/json'
import { shown } from '../../util/options'
import { CommandError } from '../arguments'

/** A request that is sent to record its response. */
export interface ListedRequest {
  readonly method: string
  /** Its path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** The fields that belong to one connection, or that follow from the rest. */
const DROPPED =
  /^(?::.*|host|content-length|connection|keep-alive|transfer-encoding|accept-encoding|expect|te|upgrade)$/i
const REQUEST_LINE = /^(?:([A-Z]+) +)?(\S+?)(?: +HTTP\/[\d.]+)?\s*$/

/**
 * Reads the requests of a file.
 *
 * @param host the host that they are sent to. Of a recording of several hosts, its requests count; else those of the first host.
 * @throws {CommandError} for a file without requests.
 */
export function requestsIn(text: string, file: string, host: string): readonly ListedRequest[] {
  const found = entriesOf(text) ?? logged(text) ?? written(text, file)
  const hosts = found.flatMap(({ path }) => (path.startsWith('/') ? [] : [hostOf(path)]))
  const own = hosts.includes(host) ? host : hosts[0]
  const requests = found
    .filter(({ path }) => path.startsWith('/') || hostOf(path) === own)
    .map((one) => ({ ...one, path: one.path.startsWith('/') ? one.path : pathOf(one.path) }))
  if (requests.length === 0) throw new CommandError(`there are no requests in ${shown(file)}.`)
  return requests
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : '')

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

interface HarRequest {
  readonly method?: unknown
  readonly url?: unknown
  readonly headers?: readonly { readonly name: string; readonly value: string }[]
  readonly postData?: { readonly text?: string }
}

/** Reads a HAR file; returns undefined for another. */
function entriesOf(text: string): readonly ListedRequest[] | undefined {
  const { entries } = Object(Object(parsedJson(text)?.value).log)
  if (!Array.isArray(entries)) return undefined
  return entries.map((entry) => {
    const { method, url, headers = [], postData } = Object(Object(entry).request) as HarRequest
    const kept = headers.filter(({ name }) => !DROPPED.test(name)).map(({ name, value }) => [name, value])
    return { method: String(method), path: String(url), headers: Object.fromEntries(kept), body: postData?.text }
  })
}

/** Returns method and path of a line of an access log in the common or the combined format; undefined for another line. */
function loggedIn(line: string): string | undefined {
  const [before, request = '', after = ''] = line.split('"')
  const [method, path] = request.split(' ')
  return String(before).endsWith('] ') && /^ \d{3} /.test(after) && path !== undefined ? `${method} ${path}` : undefined
}

/** Reads an access log, whose GET and HEAD requests count, each once; returns undefined for another file. */
function logged(text: string): readonly ListedRequest[] | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line !== '')
  if (loggedIn(String(lines[0])) === undefined) return undefined
  const safe = [...new Set(lines.map(loggedIn))].filter((one) => one !== undefined && /^(?:GET|HEAD) \//.test(one))
  return safe.map((line) => {
    const [method, path] = String(line).split(' ') as [string, string]
    return { method, path, headers: {}, body: undefined }
  })
}

/** Reads requests as editors write them in `.http` files. */
function written(text: string, file: string): readonly ListedRequest[] {
  return text.split(/^###.*$/m).flatMap((block) => {
    const lines = block.split(/\r?\n/)
    const isComment = (line: string) => /^\s*(?:#|\/\/|@|$)/.test(line)
    while (lines.length > 0 && isComment(lines[0] as string)) lines.shift()
    const [first, ...rest] = lines
    if (first === undefined) return []
    const [, method = 'GET', target = ''] = REQUEST_LINE.exec(first) ?? []
    const path = target.replace(/^\{\{[^}]*\}\}/, '')
    if (!path.startsWith('/') && !URL.canParse(path))
      throw new CommandError(`${shown(file)}: ${shown(first)} is no request, such as GET /users/1.`)
    const end = rest.findIndex((line) => line.trim() === '')
    const fields = (end === -1 ? rest : rest.slice(0, end)).filter((line) => !isComment(line))
    const written = end === -1 ? [] : rest.slice(end + 1)
    const body = written.join('\n').trimEnd()
    return { method, path, headers: headersIn(fields, file), body: body === '' ? undefined : body }
  })
}

/**
 * Reads the lines of header fields.
 *
 * @throws {CommandError} for another line.
 */
export function headersIn(lines: readonly string[], what: string): Record<string, string> {
  const pairs = lines.map((line) => {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    if (colon === -1 || !/^\S+$/.test(name))
      throw new CommandError(`${what}: ${shown(line)} is no header field, such as 'X-Name: value'.`)
    return [name, value]
  })
  return Object.fromEntries(pairs.filter(([name]) => !DROPPED.test(name as string)))
}
