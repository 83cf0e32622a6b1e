// Parses and matches the path patterns of routes, mounts and middleware.
import { parse, pathToRegexp, stringify, type Token, TokenData } from 'path-to-regexp'
import { shown } from '../util/options'
import { alternativesOf, type Branches, branchesOf, EVERYWHERE, withoutTrailingSlashes } from './segments'

/** Parameters by name, without a prototype. `__proto__` and `constructor` are ordinary names. */
export type Params = Record<string, string | string[]>

/** The part of a path that a pattern matched, and the parameters in it. */
export interface PatternMatch {
  readonly path: string
  readonly params: Params
  /** `true` if a parameter has a malformed escape. `router` answers it with 400. */
  readonly malformed: boolean
}

/** A path pattern, checked and compiled once, at declaration. */
export interface Pattern {
  /** The pattern as declared. */
  readonly source: string
  /** The pattern with its literal text percent-encoded, as `router` takes it. */
  readonly path: string
  readonly tokens: readonly Token[]
  /** The parameter names in the order of the path. */
  readonly params: readonly string[]
  /** The places of the pattern in a {@link PathIndex}. */
  readonly branches: Branches
  /** Matches a path as `router` does, but keeps parameters with malformed escapes unchanged. */
  match(path: string): PatternMatch | false
}

/** The pattern of a mount. */
export interface PrefixPattern extends Pattern {
  /** The matchers for each choice of its optional parts, the longest first. */
  readonly readings: readonly Pattern['match'][]
  /** The `readings` in any letter case. The app's own mounts ignore the case, whatever the table does. */
  readonly reach: readonly Pattern['match'][]
}

/** The match settings of a table, as the options of `express.Router` with these names. */
export interface MatchSettings {
  readonly caseSensitive: boolean
  readonly strict: boolean
}

/** Compiles the pattern of a route. It matches whole paths. */
export function routePattern(where: string, path: unknown, { caseSensitive, strict }: MatchSettings): Pattern {
  return compile(where, path, strict, { sensitive: caseSensitive, end: true, trailing: !strict })
}

/** Compiles the pattern of a mount. It matches up to a segment boundary and ignores `strict`, as `router.use` does. */
export function prefixPattern(where: string, path: unknown, { caseSensitive }: MatchSettings): PrefixPattern {
  const pattern = compile(where, path, false, { sensitive: caseSensitive, end: false, trailing: true })
  if (hasWildcard(pattern.tokens)) throw new TypeError(`${where}: a prefix takes no wildcard; got ${shown(path)}.`)
  if (pattern.path === '/') {
    return { ...pattern, tokens: [], branches: EVERYWHERE, match: matchAll, readings: [matchAll], reach: [matchAll] }
  }
  const readings = readingsOf(pattern, caseSensitive)
  if (!caseSensitive) return { ...pattern, readings, reach: readings }
  const loose = compile(where, path, false, { sensitive: false, end: false, trailing: true })
  return { ...pattern, readings, reach: readingsOf(loose, false) }
}

function readingsOf({ tokens, match }: Pattern, sensitive: boolean): readonly Pattern['match'][] {
  const alternatives = alternativesOf(tokens)
  if (alternatives.length === 1) return [match]
  return alternatives
    .toSorted((a, b) => segmentsIn(b) - segmentsIn(a) || b.length - a.length)
    .map((tokens) =>
      tokens.length === 0 ? matchAll : matcher(new TokenData(tokens), { sensitive, end: false, trailing: true }),
    )
}

function segmentsIn(tokens: readonly Token[]): number {
  return tokens.reduce((count, token) => count + (token.type === 'text' ? token.value.split('/').length - 1 : 0), 0)
}

/**
 * Returns the path of plain middleware with its literal text percent-encoded. Any path that `router` takes is allowed.
 */
export function middlewarePath(where: string, source: string): { path: string; branches: () => Branches } {
  const { path } = explaining(where, source, () => encoded(source))
  return { path, branches: () => (path === '/' ? EVERYWHERE : branchesOf(parse(loosen(path)).tokens, false)) }
}

/**
 * An object without inherited names, like `Object.create(null)`, but one that the engine does not make a dictionary.
 */
class BareObject {
  [name: string]: string | string[]
}
Object.setPrototypeOf(BareObject.prototype, null)
Reflect.deleteProperty(BareObject.prototype, 'constructor')

/** The parameters of a path without any. */
export const NO_PARAMS: Params = Object.freeze(new BareObject())

/** Joins the parameters of a prefix and of the path below it. */
export function joined(outer: Params, inner: Params): Params {
  if (outer === NO_PARAMS) return inner
  if (inner === NO_PARAMS) return outer
  const both: Params = new BareObject()
  for (const name in outer) both[name] = outer[name] as string
  for (const name in inner) both[name] = inner[name] as string
  return both
}

/** The match of a mount at '/': `router` then removes nothing from the path. */
const EVERYTHING: PatternMatch = { path: '', params: NO_PARAMS, malformed: false }
function matchAll(): PatternMatch {
  return EVERYTHING
}

type Key = ReturnType<typeof pathToRegexp>['keys'][number]
type MatchOptions = { sensitive: boolean; end: boolean; trailing: boolean }

function compile(where: string, source: unknown, strict: boolean, options: MatchOptions): Pattern {
  if (typeof source !== 'string') throw new TypeError(`${where} takes a path (a string); got ${shown(source)}.`)
  return explaining(where, source, () => {
    const { path, data } = encoded(source)
    const loosePath = strict ? path : loosen(path)
    const loose = loosePath === path ? data : parse(loosePath)
    if (source === '' || !alternativesOf(data.tokens).every(isRooted)) throw new TypeError('it must start with "/"')
    const params = namesIn(data.tokens)
    const twice = params.find((name, index) => params.indexOf(name) !== index)
    if (twice !== undefined) throw new TypeError(`parameter "${twice}" is there twice`)
    return {
      source,
      path,
      tokens: options.end ? data.tokens : loose.tokens,
      params,
      branches: branchesOf(loose.tokens, options.end),
      match: matcher(loose, options),
    }
  })
}

function decode(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text
}

/** Returns a matcher like path-to-regexp's own `match`. It reads parameters in a third of the time. */
function matcher(loose: TokenData, options: MatchOptions): Pattern['match'] {
  const { regexp, keys } = pathToRegexp(loose, options)
  return (path) => {
    const found = regexp.exec(path)
    if (found === null) return false
    if (keys.length === 0) return { path: found[0], params: NO_PARAMS, malformed: false }
    const params: Params = new BareObject()
    let malformed = false
    for (let index = 0; index < keys.length; index++) {
      const value = found[index + 1]
      if (value === undefined) continue
      const { type, name } = keys[index] as Key
      try {
        params[name] = type === 'param' ? decode(value) : value.split('/').map(decode)
      } catch {
        // One `catch` serves the whole parameter, whatever the number of its malformed segments.
        malformed = true
        params[name] = type === 'param' ? value : value.split('/')
      }
    }
    return { path: found[0], params, malformed }
  }
}

function explaining<Result>(where: string, source: string, parsing: () => Result): Result {
  try {
    return parsing()
  } catch (cause) {
    const hint =
      'Optional parts are written {/:id}, wildcards /*rest, and other characters of a pattern are escaped with a backslash.'
    throw new TypeError(`${where}: ${shown(source)} is no path: ${(cause as Error).message}. ${hint}`, { cause })
  }
}

/** Returns a pattern with its literal text percent-encoded. Encoded patterns keep their spelling. */
function encoded(source: string): { path: string; data: TokenData } {
  let changed = false
  const encodePath = (text: string) => {
    const literal = encodeLiteral(text)
    changed ||= literal !== text
    return literal
  }
  const data = parse(source, { encodePath })
  if (!changed) return { path: source, data }
  const path = stringify(data)
  return { path, data: parse(path) }
}

/** Removes trailing slashes, as `router` does for a layer that is not strict. */
function loosen(path: string): string {
  return path === '/' ? path : withoutTrailingSlashes(path)
}

function isRooted([first]: readonly Token[]): boolean {
  return first === undefined || (first.type === 'text' && first.value.startsWith('/'))
}

// All characters that a browser encodes in a path (WHATWG URL, path percent-encode set), and the backslash, which
// browsers read as a slash.
const UNSAFE = /%(?![0-9A-Fa-f]{2})|[^!$-;=@-[\]_a-z|~]/gu

/** Encodes literal text as in a request. Encoded characters stay. */
function encodeLiteral(text: string): string {
  try {
    return text.replace(UNSAFE, encodeURIComponent)
  } catch {
    throw new TypeError('it has a lone surrogate')
  }
}

function namesIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.type === 'group') return namesIn(token.tokens)
    return token.type === 'text' ? [] : [token.name]
  })
}

/** Returns the parameters that each match of a prefix has. */
export function requiredParams({ tokens }: Pattern): string[] {
  return namesIn(tokens.filter(({ type }) => type !== 'group'))
}

/** Tells whether a pattern has a wildcard. */
function hasWildcard(tokens: readonly Token[]): boolean {
  return tokens.some((token) => token.type === 'wildcard' || (token.type === 'group' && hasWildcard(token.tokens)))
}
