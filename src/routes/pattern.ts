// Checks and compiles the path patterns of routes, mounts and middleware.
import { type Key, parse, pathToRegexp, stringify, type Token, TokenData } from 'path-to-regexp'
import { shown } from '../util/options'

/** Parameters by name, without a prototype. `__proto__` and `constructor` are ordinary names. */
export type Params = Record<string, string | string[]>

/** A path pattern, checked at declaration. */
export interface Pattern {
  /** The pattern as declared. */
  readonly source: string
  /** The pattern with its literal text percent-encoded, as `router` takes it. */
  readonly path: string
  readonly tokens: readonly Token[]
  /** The parameter names in the order of the path. `required` leaves out those of optional parts. */
  readonly params: readonly string[]
  readonly required: readonly string[]
}

/** A compiled pattern, and the parameters that it captures. `match()` reads paths with it. */
export interface Matcher {
  readonly regexp: RegExp
  readonly keys: readonly Key[]
}

/** The pattern of a route. */
export interface RoutePattern extends Pattern, Matcher {}

/** The pattern of a mount. */
export interface PrefixPattern extends Pattern {
  /** The matchers for each choice of its optional parts, the longest first. */
  readonly readings: readonly [Matcher, ...Matcher[]]
  /** The `readings` in any letter case. The app's own mounts ignore the case, whatever the table does. */
  readonly reach: readonly Matcher[]
}

/** The match settings of a table, as the options of `express.Router` with these names. */
export interface MatchSettings {
  readonly caseSensitive: boolean
  readonly strict: boolean
}

/** Compiles the pattern of a route. It matches whole paths. */
export function routePattern(where: string, path: unknown, { caseSensitive, strict }: MatchSettings): RoutePattern {
  return explaining(where, path, (source) => {
    const pattern = parsed(source)
    const tokens = strict ? pattern.tokens : loosened(pattern)
    return { ...pattern, ...compiled(tokens, { sensitive: caseSensitive, end: true, trailing: !strict }) }
  })
}

/** Compiles the pattern of a mount. It matches up to a segment boundary and ignores `strict`, as `router.use` does. */
export function prefixPattern(where: string, path: unknown, { caseSensitive }: MatchSettings): PrefixPattern {
  const { tokens, ...pattern } = explaining(where, path, (source) => {
    const found = parsed(source)
    return { ...found, tokens: found.path === '/' ? [] : loosened(found) }
  })
  const alternatives = alternativesOf(tokens).toSorted((a, b) => segmentsIn(b) - segmentsIn(a) || b.length - a.length)
  if (alternatives.flat().some(({ type }) => type === 'wildcard')) {
    throw new TypeError(`${where}: a prefix takes no wildcard; got ${shown(path)}.`)
  }
  const readings = alternatives.map((alternative) =>
    alternative.length === 0
      ? EVERYTHING
      : compiled(alternative, { sensitive: caseSensitive, end: false, trailing: true }),
  ) as [Matcher, ...Matcher[]]
  const reach = readings.map(({ regexp, keys }) => ({ regexp: new RegExp(regexp, 'i'), keys }))
  return { ...pattern, tokens, readings, reach }
}

/** Matches every path. `router` removes nothing from the path for a mount at '/'. */
const EVERYTHING: Matcher = { regexp: /^/, keys: [] }

/**
 * Reads the path of plain middleware. Any path that `router` takes is allowed.
 *
 * @returns the path with its literal text percent-encoded, and its tokens.
 */
export function middlewarePattern(where: string, path: string): Pick<Pattern, 'path' | 'tokens'> {
  const pattern = explaining(where, path, encoded)
  return { path: pattern.path, tokens: loosened(pattern) }
}

function segmentsIn(tokens: readonly Token[]): number {
  return tokens.reduce((count, token) => count + (token.type === 'text' ? token.value.split('/').length - 1 : 0), 0)
}

type MatchOptions = { sensitive: boolean; end: boolean; trailing: boolean }

function compiled(tokens: readonly Token[], options: MatchOptions): Matcher {
  const { regexp, keys } = pathToRegexp(new TokenData([...tokens]), options)
  return { regexp, keys }
}

/** Parses the pattern of a route or mount. */
function parsed(source: string): Pattern {
  const { path, tokens } = encoded(source)
  const alternatives = alternativesOf(tokens)
  if (source === '' || !alternatives.every(isRooted)) throw new TypeError('it must start with "/"')
  if (alternatives.length > 256) throw new TypeError('Too many path combinations')
  const params = namesIn(tokens)
  const twice = params.find((name, index) => params.indexOf(name) !== index)
  if (twice !== undefined) throw new TypeError(`parameter "${twice}" is there twice`)
  return { source, path, tokens, params, required: namesIn(tokens.filter(({ type }) => type !== 'group')) }
}

function explaining<Result>(where: string, source: unknown, parsing: (source: string) => Result): Result {
  if (typeof source !== 'string') throw new TypeError(`${where} takes a path (a string); got ${shown(source)}.`)
  try {
    return parsing(source)
  } catch (cause) {
    const hint =
      'Optional parts are written {/:id}, wildcards /*rest, and other characters of a pattern are escaped with a backslash.'
    throw new TypeError(`${where}: ${shown(source)} is no path: ${(cause as Error).message}. ${hint}`, { cause })
  }
}

/** Returns a pattern with its literal text percent-encoded. Encoded patterns keep their spelling. */
function encoded(source: string): { path: string; tokens: readonly Token[] } {
  let changed = false
  const encodePath = (text: string) => {
    const literal = encodeLiteral(text)
    changed ||= literal !== text
    return literal
  }
  const data = parse(source, { encodePath })
  if (!changed) return { path: source, tokens: data.tokens }
  const path = stringify(data)
  return { path, tokens: parse(path).tokens }
}

/** Returns the tokens without trailing slashes, which `router` removes for a layer that is not strict. */
function loosened({ path, tokens }: Pick<Pattern, 'path' | 'tokens'>): readonly Token[] {
  return path === '/' || !path.endsWith('/') ? tokens : parse(withoutTrailingSlashes(path)).tokens
}

function isRooted([first]: readonly Token[]): boolean {
  return first === undefined || (first.type === 'text' && first.value.startsWith('/'))
}

// All characters that a browser encodes in a path (WHATWG URL, path percent-encode set), and the backslash, which
// browsers read as a slash.
const UNSAFE = /%(?![0-9A-Fa-f]{2})|[^!$-;=@-[\]_a-z|~]/gu

/** Encodes literal text as in a request. Encoded characters stay. */
export function encodeLiteral(text: string): string {
  try {
    return text.replace(UNSAFE, encodeURIComponent)
  } catch {
    throw new TypeError('it has a lone surrogate')
  }
}

/** Removes the slashes at the end of a path. It is a loop because `/\/+$/` takes time in the square of the slashes. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (path.charCodeAt(end - 1) === 47) end--
  return path.slice(0, end)
}

/** A token that is not a group. */
type FlatToken = Exclude<Token, { type: 'group' }>

/** Returns the alternatives of a pattern: each combination of its optional groups, taken or left out. */
export function alternativesOf(tokens: readonly Token[]): FlatToken[][] {
  let found: FlatToken[][] = [[]]
  for (const token of tokens) {
    if (token.type === 'group') {
      const inner = alternativesOf(token.tokens)
      found = found.flatMap((before) => [...inner.map((group) => [...before, ...group]), before])
    } else {
      for (const alternative of found) alternative.push(token)
    }
  }
  return found
}

/**
 * Decides about the optional parts of a pattern that have a parameter.
 *
 * @param isThere `true` if the parts are there, `false` if they are left out.
 * @returns the pattern without these choices.
 */
export function decided(pattern: string, parameter: string, isThere: boolean): string {
  const told = (tokens: readonly Token[]): Token[] =>
    tokens.flatMap((token) => {
      if (token.type !== 'group' || !namesIn(token.tokens).includes(parameter)) return [token]
      return isThere ? told(token.tokens) : []
    })
  return stringify(new TokenData(told(parse(pattern).tokens)))
}

function namesIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.type === 'group') return namesIn(token.tokens)
    return token.type === 'text' ? [] : [token.name]
  })
}
