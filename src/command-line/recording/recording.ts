// The commands `record` and `compare`: the requests of a file, the responses of an app to them, written down and compared.
import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { request as requestByTls } from 'node:https'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { parsedJson } from '../../http/json'
import { shown } from '../../util/options'
import { visible } from '../../util/text'
import { type Asked, CommandError, exampleOf } from '../arguments'
import { checkNew, writeNew } from '../new-file'
import { type Difference, differencesOf, type RecordedResponse } from './differences'

/** A request that is sent to record its response. */
interface ListedRequest {
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
function requestsIn(text: string, file: string, host: string): readonly ListedRequest[] {
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

/** A request with its response, as the file of `record` has it. */
interface Recorded {
  readonly request: ListedRequest
  readonly response: RecordedResponse
  /** The places that differed between the two times. */
  readonly volatile: readonly string[]
}

/** The header fields that clients act on. */
const FIELDS = ['location', 'content-type', 'cache-control', 'etag', 'retry-after', 'www-authenticate', 'link', 'allow']
/** The milliseconds in which a response must come. */
const PATIENCE = 30_000
/** The number of differences that are printed for each request. */
const SHOWN = 10
/** The number of characters of a value that are printed. */
const WIDTH = 120

type Wanted = Pick<Asked, 'file' | 'to' | 'out' | 'ignored' | 'headers' | 'as' | 'once'>

/**
 * Sends the requests of a file twice, or once, and writes their responses.
 *
 * @throws {CommandError} for a file that cannot be read, one of responses that is there already, and an app that does not respond.
 */
export async function record(
  { file, to, out, ignored, headers, once }: Wanted,
  directory: string,
): Promise<{ out: string }> {
  const target = new URL(String(to))
  const path = resolve(directory, out)
  const reason = `${shown(out)} is there already. Give the recording another name, or remove that one.`
  // Requests may change the app, so look before they are sent.
  checkNew(path, reason)
  const requests = requestsIn(textOf(file, directory), file, target.host)
  const first = await sendAll(requests, target, headers)
  const second = once ? first : await sendAll(requests, target, headers)
  const recorded = requests.map((one, at): Recorded => {
    const response = first[at] as RecordedResponse
    const found = differencesOf(response, second[at] as RecordedResponse, { ignored, asValues: false })
    return { request: one, response, volatile: [...new Set([...ignored, ...found.map(({ path }) => path)])] }
  })
  writeNew(path, `${JSON.stringify(recorded, undefined, 2)}\n`, reason)
  const changing = recorded.flatMap(({ request: one, volatile }) =>
    volatile.map((path) => `  ${visible(`${one.method} ${one.path} ${path}`)}\n`),
  )
  const told = changing.length === 0 ? '' : `These places are volatile, and are not compared:\n${changing.join('')}`
  return { out: `${recorded.length} responses are recorded in ${visible(out)}.\n${told}` }
}

/**
 * Sends recorded requests again, and prints the differences.
 *
 * @throws {CommandError} for a file that `record` has not written, and for an app that does not respond.
 */
export async function compare(
  { file, to, ignored, headers, as }: Wanted,
  directory: string,
): Promise<{ code: 0 | 1; out: string }> {
  const recorded = recordedIn(textOf(file, directory), file)
  const responses = await sendAll(
    recorded.map((one) => one.request),
    new URL(String(to)),
    headers,
  )
  const reports = recorded.flatMap(({ request: one, response, volatile }, at) => {
    const comparison = { ignored: [...ignored, ...volatile], asValues: as === 'json' }
    const found = differencesOf(response, responses[at] as RecordedResponse, comparison)
    return found.length === 0 ? [] : [reportOf(one, found)]
  })
  const same = recorded.length - reports.length
  const out = `${reports.join('')}${same} of ${recorded.length} responses are the same.\n`
  return { code: reports.length === 0 ? 0 : 1, out }
}

function reportOf({ method, path }: ListedRequest, found: readonly Difference[]): string {
  const lines = found
    .slice(0, SHOWN)
    .map((one) => `  ${visible(`${one.path}: ${brief(one.before)} -> ${brief(one.after)}`)}\n`)
  const more = found.length > SHOWN ? `  and ${found.length - SHOWN} more\n` : ''
  return `${visible(`${method} ${path}`)}\n${lines.join('')}${more}`
}

function brief(json = 'nothing'): string {
  return json.length > WIDTH ? `${json.slice(0, WIDTH)}...` : json
}

function textOf(file: string, directory: string): string {
  try {
    return readFileSync(resolve(directory, file), 'utf8')
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}

function recordedIn(text: string, file: string): readonly Recorded[] {
  const recorded = parsedJson(text)?.value
  const isRecorded = (one: unknown) => {
    const { request: sent, response, volatile } = Object(one) as Partial<Recorded>
    return typeof sent?.path === 'string' && typeof response?.status === 'number' && Array.isArray(volatile)
  }
  if (Array.isArray(recorded) && recorded.every(isRecorded)) return recorded
  throw new CommandError(`${shown(file)} is no file of record. Write one: ${exampleOf('record')}`)
}

/** Sends requests, one after the other: some change what others get. */
async function sendAll(
  requests: readonly ListedRequest[],
  to: URL,
  more: readonly string[],
): Promise<readonly RecordedResponse[]> {
  const added = headersIn(more, '--header')
  const responses: RecordedResponse[] = []
  for (const one of requests) {
    try {
      responses.push(await send({ ...one, headers: { ...one.headers, ...added } }, to))
    } catch (error) {
      throw new CommandError(
        `${one.method} ${visible(one.path)}: no response of ${to.host}: ${(error as Error).message}`,
      )
    }
  }
  return responses
}

async function send({ method, path, headers, body }: ListedRequest, to: URL): Promise<RecordedResponse> {
  const base = to.pathname.replace(/\/$/, '')
  const fields = body === undefined ? headers : { ...headers, 'Content-Length': String(Buffer.byteLength(body)) }
  const make = to.protocol === 'https:' ? requestByTls : request
  const signal = AbortSignal.timeout(PATIENCE)
  const asking = make(new URL(to.origin), { method, path: base + path, headers: fields, agent: false, signal })
  const response = await new Promise<IncomingMessage>((done, failed) =>
    asking.once('response', done).once('error', failed).end(body),
  )
  const bytes = await buffer(response)
  const text = bytes.toString()
  const isText = Buffer.from(text).equals(bytes)
  return {
    status: response.statusCode as number,
    headers: fieldsOf(response.headers, to),
    body: isText ? text : { base64: bytes.toString('base64') },
  }
}

/** Returns the header fields that count. URLs of the app itself are without its origin: it may be another one the next time. */
function fieldsOf(headers: IncomingHttpHeaders, { origin }: URL): Record<string, string> {
  const found = FIELDS.filter((name) => headers[name] !== undefined)
  return Object.fromEntries(
    found.map((name) => [name, name === 'etag' ? 'present' : String(headers[name]).replaceAll(`${origin}/`, '/')]),
  )
}
