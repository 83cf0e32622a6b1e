// The curl commands for an operation.
import type { Definitions } from '../schemas/definitions'
import { sampleOf } from '../schemas/sample'
import { carriedParts } from '../schemes/carriers'
import { mayStream, type VersionedOperation } from '../survey/described'
import { type Address, samplePath } from '../survey/operation-addresses'
import { versionPlace } from '../survey/versions'

/** The start of URLs: an http(s) origin, and the path that a proxy removes. */
export interface Start {
  readonly origin: string
  readonly publicPath: string
  /** The first label of the version's hosts. */
  readonly label: string | undefined
}

/** The host for versions, if the origin has no place for one and is not a domain. */
const DOMAIN = 'example.com'

/** Puts a version into the host of an origin that has a place for one. */
function originOf(origin: string, label: string | undefined): string {
  const place = label === undefined ? undefined : versionPlace(origin)
  return label === undefined || place?.isTaken !== true ? origin : place.filled(label)
}

/** Lists the origins of a version's requests, as documents may name them. */
export function originsOf(origin: string, label: string | undefined): string[] {
  const place = label === undefined ? undefined : versionPlace(origin)
  return label === undefined || place === undefined ? [origin] : [origin, place.filled(label)]
}

/**
 * Returns the curl commands for an operation in a version, one a line for each carrier.
 *
 * @param definitions the schemas of the version, by name.
 */
export function commandsFor(
  method: string,
  addresses: readonly Address[],
  said: VersionedOperation,
  definitions: Definitions,
  start: Start,
): string {
  const body = bodyOf(method, said, definitions)
  const commands = plainest(addresses).map((address) => curlOf(method, address, start, body, mayStream(said)))
  return commands.join('\n')
}

/** The methods of commands without a body. */
const BODILESS = new Set(['GET', 'HEAD', 'ALL'])

/** Makes a body for a command; `undefined` without a schema, and for a schema that JSON Schema cannot express. */
function bodyOf(method: string, { body }: VersionedOperation, definitions: Definitions): unknown {
  if (body === undefined || body === null || typeof body === 'string' || BODILESS.has(method)) return undefined
  try {
    return sampleOf(body, definitions)
  } catch {
    return undefined
  }
}

/**
 * Returns for each carrier the address with the fewest parameters: an invented value for an optional parameter is usually wrong.
 */
function plainest(addresses: readonly Address[]): Address[] {
  const parameters = ({ path }: Address) => path.filter((part) => typeof part !== 'string').length
  const ranks = [...new Set(addresses.map(({ rank }) => rank))]
  return ranks.map((rank) =>
    addresses
      .filter((address) => address.rank === rank)
      .reduce((best, address) => (parameters(address) < parameters(best) ? address : best)),
  )
}

/**
 * Returns the curl command for an operation. It has only printable ASCII characters, and is safe to paste into a shell.
 *
 * @param streams `true` if the response is a stream of items.
 */
function curlOf(
  method: string,
  { path, carrier }: Address,
  { origin, publicPath, label }: Start,
  body: unknown,
  streams: boolean,
): string {
  const place = versionPlace(origin)
  const whole = publicPath + samplePath(path)
  // By default, curl holds items back until there are many.
  const words = streams ? ['curl', '-N'] : ['curl']
  // By default, curl reads brackets as a range and resolves dots.
  if (/[[\]]/.test(whole)) words.push('-g')
  if (/\/\.{1,2}(?:\/|$)/.test(whole)) words.push('--path-as-is')
  if (method === 'HEAD') words.push('-I')
  else if (method !== 'GET' && method !== 'ALL') words.push('-X', quoted(method))
  const { headers = {}, query, label: ownLabel } = carriedParts(carrier)
  for (const [name, value] of Object.entries(headers)) words.push('-H', quoted(headerLine(name, value)))
  if (ownLabel !== undefined && place?.isTaken !== true) {
    words.push('-H', quoted(`Host: ${ownLabel}.${place?.domain ?? DOMAIN}`))
  }
  if (body !== undefined) words.push('-H', quoted('Content-Type: application/json'), '-d', quoted(asciiJson(body)))
  words.push(quoted(`${originOf(origin, label)}${whole}${query === undefined ? '' : `?${new URLSearchParams(query)}`}`))
  return words.join(' ')
}

function headerLine(name: string, value: string): string {
  // A semicolon sends an empty header; curl would omit one with a colon.
  return value === '' ? `${name};` : `${name}: ${value}`
}

/**
 * Writes a string as one word of a POSIX shell. Other characters than printable ASCII, such as the latin1 of a header, are
 * written by `printf` as the byte to send. Pasted as they are, they would become another character or a key press.
 */
function quoted(text: string): string {
  if (/^[\w./:@%+,-]+$/.test(text)) return text
  if (/^[ -~]*$/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text.replace(/[^\w ./:;=,-]/g, (character) => `\\${octal(character)}`)
  return `"$(printf '${escaped}')"`
}

/** Writes JSON in ASCII. */
function asciiJson(value: unknown): string {
  const unit = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[^ -~]/g, unit)
}

function octal(character: string): string {
  return character.charCodeAt(0).toString(8).padStart(3, '0')
}
