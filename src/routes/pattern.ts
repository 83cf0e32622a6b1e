import { parse, pathToRegexp, stringify, type Token, TokenData } from 'path-to-regexp'
import { shown } from '../util/options'
import { alternativesOf, type Branches, branchesOf, EVERYWHERE, withoutTrailingSlashes } from './segments'

/** Parameters by name, without a prototype, so that `__proto__` and `constructor` are names like any other. */
export type Params = Record<string, string | string[]>

/** How much of a path a pattern matched, and the parameters in it. */
export interface PatternMatch {
  readonly path: string
  readonly params: Params
  /** Whether a parameter has a malformed escape: `router` answers 400 to it. */
  readonly malformed: boolean
}

/** A path pattern, checked and made ready once, at declaration. */
export interface Pattern {
  /** As it was declared. */
  readonly source: string
  /** As `router` takes it: the same with its literal text percent-encoded. */
  readonly path: string
  readonly tokens: readonly Token[]
  /** Parameter names in the order of the path. */
  readonly params: readonly string[]
  /** Where it stands in a {@link PathIndex}. */
  readonly branches: Branches
  /** Matches as `router` does, but keeps parameters with malformed escapes as they are. */
  match(path: string): PatternMatch | false
}

/** The pattern of a mount. */
export interface PrefixPattern extends Pattern {
  /** The ways to read it, the longest first: one for each choice of its optional parts. */
  readonly readings: readonly Pattern['match'][]
  /** As `readings`, in any letter case: the app's own mounts do not heed it, whatever the table does. */
  readonly reach: readonly Pattern['match'][]
}

/** How a table matches; as `express.Router`'s options of these names. */
export interface MatchSettings {
  readonly caseSensitive: boolean
  readonly strict: boolean
}

/** The pattern of a route: it matches whole paths. */
export function routePattern(where: string, path: unknown, { caseSensitive, strict }: MatchSettings): Pattern {
  return compile(where, path, strict, { sensitive: caseSensitive, end: true, trailing: !strict })
}

/** The pattern of a mount: it matches up to a segment boundary, and `strict` has no say, as in `router.use`. */
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

/** The path of plain middleware, with its literal text percent-encoded: any that `router` takes. */
export function middlewarePath(where: string, source: string): { path: string; branches: () => Branches } {
  const { path } = explaining(where, source, () => encoded(source))
  return { path, branches: () => (path === '/' ? EVERYWHERE : branchesOf(parse(loosen(path)).tokens, false)) }
}

/** An object that inherits no names, as one of `Object.create(null)`; but the engine takes that one for a dictionary. */
class BareObject {
  [name: string]: string | string[]
}
Object.setPrototypeOf(BareObject.prototype, null)
Reflect.deleteProperty(BareObject.prototype, 'constructor')

/** What a path without parameters matched. */
export const NO_PARAMS: Params = Object.freeze(new BareObject())

/** The parameters of a prefix and of what is below it. */
export function joined(outer: Params, inner: Params): Params {
  if (outer === NO_PARAMS) return inner
  if (inner === NO_PARAMS) return outer
  const both: Params = new BareObject()
  for (const name in outer) both[name] = outer[name] as string
  for (const name in inner) both[name] = inner[name] as string
  return both
}

/** `router` keeps a path mounted at '/' whole. */
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

/** As path-to-regexp's own `match`, on parameters that cost a third. */
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
        // One throw for a parameter, however many of its segments are malformed.
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

/** The same pattern with its literal text percent-encoded, in its own spelling if it is so already. */
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

/** What `router` does to the path of a layer that is not strict. */
function loosen(path: string): string {
  return path === '/' ? path : withoutTrailingSlashes(path)
}

function isRooted([first]: readonly Token[]): boolean {
  return first === undefined || (first.type === 'text' && first.value.startsWith('/'))
}

// Everything but what a browser leaves as it is in a path (WHATWG URL, path percent-encode set; a backslash is a slash to it).
const UNSAFE = /%(?![0-9A-Fa-f]{2})|[^!$-;=@-[\]_a-z|~]/gu

/** Literal text as a request carries it: percent-encoded; what is encoded already stays. */
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

/** The parameters that each match of a prefix has. */
export function requiredParams({ tokens }: Pattern): string[] {
  return namesIn(tokens.filter(({ type }) => type !== 'group'))
}

/** Whether a wildcard is anywhere in a pattern. */
function hasWildcard(tokens: readonly Token[]): boolean {
  return tokens.some((token) => token.type === 'wildcard' || (token.type === 'group' && hasWildcard(token.tokens)))
}
