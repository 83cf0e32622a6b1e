import { METHODS as KNOWN_METHODS } from 'node:http'
import type { Sent } from './client'

/** Where the generated requests get their numbers from: the same seed gives the same request (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    // Neighbouring seeds must not give neighbouring requests.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0
  }

  /** A number from 0 up to `below`, exclusive. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * below)
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }
}

const VERSIONS = 'v1|v2|v9|v7|V9|v|admin||v9 |%769|v%39|v9,v9|v1,v9|"v9"|null'.split('|')
const PARAMETERS = ['version', 'version', 'version', '%76ersion', 'Version', 'version[]']
const METHODS = ['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE']
const ODD_METHODS = ['PROPFIND', 'PURGE', 'M-SEARCH', 'LINK', 'SEARCH', 'REPORT', 'UNLOCK', 'get', 'FOO', 'CONNECT']
const SEPARATORS = '/|//|\\|\\\\|/\\|%2f|%2F|%5c|%5C|/./|/%2e/|/x/../|/%2e%2e/|/;/|/;x=1/|///'.split('|')
const PIECES = [
  ...'"<>^{|}`\'#?;,:@!$&()*+=[]~.-_%\\/ab0',
  ...'%00 %0d%0a %20 %23 %3f %2e %2f %5c %25 %252f %E0%A4%A % %% %zz %c3%a9 %ff %F0%9F%98%80'.split(' '),
  ...'.. /.. /. /../ // ? # #x #/ ?# #? ;v=1 /v9 /v1 /v2 \\v9 /users /api /latest :80 @a * { .json'.split(' '),
]
const SCHEMES = 'http://|http://|http://|https://|HTTP://|ftp://|x://|javascript://'.split('|')
const [AUTHORITIES = [], HOSTS = []] = [
  'a|a|a:80|a:443|a:0|a:99999|a:b|a:|u:p@a|u@v9.example.com|v9.example.com|v1.example.com:8080|[::1]|[|127.0.0.1|a%2fb||xn--9|a@b@c|-',
  'a|a|localhost|127.0.0.1:3000|v9.example.com|v1.example.com|V9.example.com:80|v7.example.com|www.example.com||a, b|[::1]|u@v9.example.com|a/b|v9.example.com#',
].map((text) => text.split('|'))
const ENDS = ['#', '#', '#x', '#/', '#?version=v9', '?', '?#', '?x', '/', '//', '\\', '/.', '/..', '%2f', ';', ' ']
const ACTS = ['next', 'next', 'next', 'route', 'router', 'later', 'move', 'move', 'move-later', 'again', 'again-later']
const MIDS = '||next|later|move|move|move-later|again|again-later|response|route|router'.split('|')
const FIELD = /^[\x21-\x7e\x80-\xff]*$/

/** The bytes of a request of `shapes.ts`: `<METHOD> <path>`, then header fields on lines of their own. */
export const plainRequest = (request: string): Sent => written(partsOf(request))

/** A request, taken apart. */
type Parts = ReturnType<typeof partsOf>
function partsOf(request: string) {
  const [first = '', ...fields] = request.split('\n')
  const [method = '', target = ''] = first.split(' ')
  return { method, target, protocol: 'HTTP/1.1', fields }
}

function written({ method, target, protocol, fields }: Parts): Sent {
  const host = fields.some((field) => /^host:/i.test(field)) ? [] : ['Host: localhost']
  const bytes = `${[`${method} ${target} ${protocol}`, ...host, ...fields].join('\r\n')}\r\n\r\n`
  return { bytes, broken: isBroken(method, target, protocol) }
}

/** Tells whether Node may read these bytes as anything but one request, or close the socket after it. */
function isBroken(method: string, target: string, protocol: string): boolean {
  if (protocol !== 'HTTP/1.1' || method === 'CONNECT' || !KNOWN_METHODS.includes(method)) return true
  return !/^(?:\/|\*$|[a-z]+:\/\/[\w.:@%[\]-]*(?:[/?]|$))[\x21-\x7e]*$/i.test(target)
}

/** A request that attacks, made from some of a shape's plain ones. */
export function attack(random: Random, plain: readonly string[]): Sent {
  const parts = partsOf(random.of(plain))
  parts.target = target(random, parts.target, plain)
  if (random.chance(25)) parts.method = random.of(METHODS)
  if (random.chance(2)) parts.method = random.of(ODD_METHODS)
  if (random.chance(1)) parts.protocol = random.of(['HTTP/1.0', 'HTTP/1.0', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9'])
  orders(random, parts, plain)
  carriers(random, parts)
  if (random.chance(20)) surroundings(random, parts)
  if (random.chance(2)) {
    if (random.chance(80)) parts.method = 'OPTIONS'
    parts.fields.push('Origin: http://b', `Access-Control-Request-Method: ${random.of(METHODS)}`)
  }
  const sent = written(parts)
  return random.chance(1) ? { ...sent, bytes: noise(random, sent.bytes), broken: true } : sent
}

/** Adds orders for the handlers to the request. */
function orders(random: Random, { fields }: Parts, plain: readonly string[]): void {
  const words = (list: readonly string[]) =>
    Array.from({ length: 1 + random.below(3) }, () => random.of(list)).join(',')
  if (random.chance(30)) fields.push(`X-Act: ${words(ACTS)}`)
  if (random.chance(20)) fields.push(`X-Mid: ${words(MIDS)}`)
  if (random.chance(40)) {
    // As middleware below a mount would write it, and as it stands in the request.
    const whole = target(random, pathOf(random.of(plain)), plain)
    const to = random.chance(50) ? whole.replace(/^\/[^/]*/, '') : whole
    if (FIELD.test(to)) fields.push(`${random.of(['X-To', 'X-To', 'X-To', 'X-Before', 'X-Between'])}: ${to}`)
  }
}

/** The version in several places at once. */
function carriers(random: Random, parts: Parts): void {
  if (random.chance(15)) parts.fields.push(`X-API-Version: ${random.of(VERSIONS)}`)
  if (random.chance(3)) parts.fields.push(`x-api-version: ${random.of(VERSIONS)}`)
  if (random.chance(5)) parts.fields.push(`Accept: application/json; version=${random.of(VERSIONS)}`)
  if (!random.chance(15)) return
  const pair = `${random.of(PARAMETERS)}=${random.of(VERSIONS).trim()}`
  parts.target += (random.chance(20) ? '#?' : parts.target.includes('?') ? '&' : '?') + pair
}

function surroundings(random: Random, { fields }: Parts): void {
  const add = [
    () => fields.push(`Host: ${random.of(HOSTS)}`),
    () => fields.push(`Host: ${random.of(HOSTS)}`, `Host: ${random.of(HOSTS)}`),
    () => fields.push(`X-Forwarded-Host: ${random.of(HOSTS)}`),
    () => fields.push(`X-Forwarded-Proto: ${random.of(['http', 'https', 'javascript', 'http, https', ''])}`),
    () => fields.push(`X-Forwarded-For: ${random.of(['1.2.3.4', 'v9', '', '::1, 1.1.1.1'])}`),
    () => fields.push(`X-HTTP-Method-Override: ${random.of(METHODS)}`),
    () => fields.push(`X-Original-URL: ${random.of(['/v9/users', '/api/v9/users'])}`),
    () => fields.push('Origin: http://b'),
    () => fields.push('Content-Length: 0'),
    () => fields.push('If-None-Match: *'),
  ]
  random.of(add)()
}

const pathOf = (request: string): string => partsOf(request).target

/** A target in any form. */
function target(random: Random, path: string, plain: readonly string[]): string {
  let text = random.chance(15) ? spliced(random, path, pathOf(random.of(plain))) : path
  for (let times = random.of([0, 0, 0, 1, 1, 1, 1, 2, 2, 3]); times > 0; times--) text = mutated(random, text)
  if (random.chance(30)) text += random.of(ENDS)
  if (random.chance(20)) return random.of(SCHEMES) + random.of(AUTHORITIES) + text
  const odd = ['*', 'a:80', text.slice(1), `http:${text}`, `http:/${text}`, `//a${text}`, `/\\a${text}`]
  return random.chance(1) ? random.of(odd) : text
}

/** Some segments of one path, then some of another. */
function spliced(random: Random, one: string, other: string): string {
  const [first, second] = [one.split('/'), other.split('/')]
  return [...first.slice(0, 1 + random.below(first.length)), ...second.slice(random.below(second.length))].join('/')
}

function mutated(random: Random, text: string): string {
  // Seldom in front of the first slash: Node rejects most of that.
  const at = random.chance(3) ? 0 : 1 + random.below(text.length)
  const [before, char, behind] = [text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1)]
  const swapped = char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()
  const cased = [text.slice(at).toUpperCase(), text.slice(at).toLowerCase()]
  const changes = [
    () => separated(random, text),
    () => separated(random, separated(random, text)),
    () => before + random.of(PIECES) + char + behind,
    () => before + escaped(random, char) + behind,
    () => before + random.of(cased),
    () => before + swapped + behind,
    () => text.replace(/v[1279]/, random.of(VERSIONS).trim()),
    () => respliced(random, text.split('/')),
    () => before + String.fromCharCode(0x21 + random.below(0x5e)) + text.slice(at + random.below(2)),
  ]
  return random.of(changes)()
}

/** A segment less, or another one in its place or in front of it. */
function respliced(random: Random, parts: string[]): string {
  parts.splice(random.below(parts.length), random.below(2), ...(random.chance(60) ? [random.of(parts)] : []))
  return parts.join('/')
}

/** One of the slashes as something that another reader takes for one. */
function separated(random: Random, text: string): string {
  const parts = text.split('/')
  const index = 1 + random.below(parts.length)
  const between = index < parts.length ? random.of(SEPARATORS) : ''
  return parts.slice(0, index).join('/') + between + parts.slice(index).join('/')
}

function escaped(random: Random, char: string): string {
  const hex = char.charCodeAt(0).toString(16).padStart(2, '0')
  return char && `%${random.chance(10) ? '25' : ''}${random.chance(50) ? hex : hex.toUpperCase()}`
}

/** Changes, removes or inserts some bytes anywhere, and keeps the last blank line. */
function noise(random: Random, bytes: string): string {
  let text = bytes.slice(0, -4)
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(text.length)
    const put = random.chance(70)
      ? String.fromCharCode(random.below(256))
      : random.of(['\r\n', '\n', '\0', ' ', '\t', '\r\n\r\n', ': '])
    text = text.slice(0, at) + (random.chance(30) ? '' : put) + text.slice(at + random.below(2))
  }
  return `${text}\r\n\r\n`
}
