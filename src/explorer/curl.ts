import type { BaseVersioning } from '../schemes/base'
import { type Address, samplePath } from '../survey/addresses'
import type { VersionCarrier } from '../types'

/** What stands in front of a path: an http(s) origin, and what a proxy takes off behind it. */
export interface Start {
  readonly origin: string
  readonly publicPath: string
  /** Of hosts of the version. */
  readonly label: string | undefined
}

/** What has a place for a version, as `HostNameVersioning` reads a host. */
const THREE_LABELS = /^(https?:\/\/)[a-z\d]+(\.[a-z\d]+\.[a-z\d]+(?::\d+)?)$/i
const TWO_LABELS = /^(https?:\/\/)([a-z\d]+\.[a-z\d]+)(:\d+)?$/i
/** The host below which versions are, where the origin has no place for one and is no domain. */
const DOMAIN = 'example.com'

/** The first label of hosts of a version, if a scheme reads it there. */
export function labelOf(scheme: BaseVersioning, version: string): string | undefined {
  return scheme.carriers(version).find((carrier) => carrier.in === 'host')?.value
}

/** An origin with a version in its host, if it has a place for one. */
export function originOf(origin: string, label: string | undefined): string {
  return label === undefined ? origin : origin.replace(THREE_LABELS, (_, protocol, domain) => protocol + label + domain)
}

/** The origins to which requests of a version go, as a document may name them. */
export function originsOf(origin: string, label: string | undefined): string[] {
  const below = origin.replace(TWO_LABELS, (_, protocol, domain, port = '') => `${protocol}${label}.${domain}${port}`)
  return label === undefined ? [origin] : [originOf(origin, label), below]
}

/** The command by which curl asks for an operation: of printable ASCII characters, safe to paste into a shell. */
export function curlOf(
  method: string,
  { path, carrier }: Address,
  { origin, publicPath, label }: Start,
  body: unknown,
): string {
  const inHost = label !== undefined && THREE_LABELS.test(origin)
  const whole = publicPath + samplePath(path)
  const words = ['curl']
  // Else curl takes brackets for a range, and resolves dots.
  if (/[[\]]/.test(whole)) words.push('-g')
  if (/\/\.{1,2}(?:\/|$)/.test(whole)) words.push('--path-as-is')
  if (method === 'HEAD') words.push('-I')
  else if (method !== 'GET' && method !== 'ALL') words.push('-X', quoted(method))
  const header = inHost && carrier?.in === 'host' ? undefined : headerOf(carrier, origin)
  if (header !== undefined) words.push('-H', quoted(header))
  if (body !== undefined) words.push('-H', quoted('Content-Type: application/json'), '-d', quoted(asciiJson(body)))
  words.push(quoted(`${originOf(origin, label)}${whole}${queryOf(carrier)}`))
  return words.join(' ')
}

function headerOf(carrier: VersionCarrier | undefined, origin: string): string | undefined {
  if (carrier?.in === 'host') return `Host: ${carrier.value}.${TWO_LABELS.exec(origin)?.[2] ?? DOMAIN}`
  if (carrier?.in !== 'header') return undefined
  // With a colon and nothing behind it curl would leave the header out.
  return carrier.value === '' ? `${carrier.name};` : `${carrier.name}: ${carrier.value}`
}

function queryOf(carrier: VersionCarrier | undefined): string {
  if (carrier?.in !== 'query') return ''
  return `?${new URLSearchParams({ [carrier.name as string]: carrier.value })}`
}

/**
 * A text as one word of a POSIX shell. What is no printable ASCII character, such as the latin1 of a header, is written by
 * `printf` as the byte that is to be sent: pasted, it would be another one, or a key press.
 */
function quoted(text: string): string {
  if (/^[\w./:@%+,-]+$/.test(text)) return text
  if (/^[ -~]*$/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text.replace(/[^\w ./:;=,-]/g, (character) => `\\${octal(character)}`)
  return `"$(printf '${escaped}')"`
}

/** JSON of ASCII characters alone. */
function asciiJson(value: unknown): string {
  const unit = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[^ -~]/g, unit)
}

function octal(character: string): string {
  return character.charCodeAt(0).toString(8).padStart(3, '0')
}
