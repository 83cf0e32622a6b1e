import type { Token } from 'path-to-regexp'
import type { LinkArgs, LinkFailure, LinkKwargs } from '../types'
import { givenValues, quoted } from './link-arguments'
import { encodeSegment, unfitness } from './link-values'
import type { Params } from './pattern'

/** Reads the parameters of a path as the route will; `undefined` when the path does not reach it. */
export type ReadBack = (path: string) => Params | undefined

// a segment that a browser would take for `.` or `..` (WHATWG URL, "single-dot" and "double-dot URL path segment")
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i

/** The reversal of one full path pattern, compiled once. */
export class Template {
  /** Literal text around the parameters, one more than there are parameters; only if it has no optional part and no wildcard. */
  readonly #texts: readonly string[] | undefined
  readonly #names: readonly string[]
  readonly #wildcards: ReadonlySet<string>
  /** Whether what a link says can be read in more than one way, so that each link must be read back. */
  readonly #ambiguous: boolean

  constructor(
    readonly viewName: string,
    /** The full pattern, for messages. */
    readonly pattern: string,
    private readonly tokens: readonly Token[],
    private readonly readBack: ReadBack,
  ) {
    const keys = keysOf(tokens)
    this.#names = keys.map(({ name }) => name)
    this.#wildcards = new Set(keys.filter(({ type }) => type === 'wildcard').map(({ name }) => name))
    const texts = textsOf(tokens)
    this.#ambiguous =
      texts === undefined ||
      !texts.every(standsAlone) ||
      DOT_SEGMENT.test(texts.join('-')) ||
      texts.join('-').includes('//')
    this.#texts = this.#ambiguous ? undefined : texts
  }

  /** The path for some arguments, or why there is none. `args` fill what `kwargs` leave open, in the order of the pattern. */
  link(args: LinkArgs | undefined, kwargs: LinkKwargs | undefined): string | LinkFailure {
    return (args === undefined ? this.#direct(kwargs) : undefined) ?? this.#checked(args, kwargs)
  }

  /** The path of an unambiguous pattern, if its parameters are given by name, and nothing else is; else `undefined`. */
  #direct(kwargs: LinkKwargs | undefined): string | undefined {
    const texts = this.#texts
    if (texts === undefined) return undefined
    const names = this.#names
    let path = texts[0] as string
    if (kwargs === undefined || kwargs === null) return names.length === 0 ? path : undefined
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string
      if (!Object.hasOwn(kwargs, name)) return undefined
      const segment = encodeSegment(kwargs[name])
      if (segment === undefined) return undefined
      path += segment + texts[index + 1]
    }
    let given = 0
    for (const _ in kwargs) given++
    return given === names.length ? path : undefined
  }

  #checked(args: LinkArgs | undefined, kwargs: LinkKwargs | undefined): string | LinkFailure {
    const values = givenValues(this.#names, args, kwargs)
    if (typeof values === 'string') return this.#failure(values)
    const encoded = new Map<string, string>()
    for (const [name, value] of values) {
      const fit = this.#wildcards.has(name) ? encodeList(value) : encodeSegment(value)
      if (fit === undefined) return this.#failure(this.#misfit(name, value))
      encoded.set(name, fit)
    }
    const missing = requiredOf(this.tokens).filter((name) => !encoded.has(name))
    if (missing.length > 0) {
      const got = encoded.size === 0 ? '' : `; got ${quoted(encoded.keys())}`
      return this.#failure(`needs ${quoted(missing)}${got}`)
    }
    const used = new Set<string>()
    const path = emit(this.tokens, encoded, used) || '/'
    const dropped = [...encoded.keys()].filter((name) => !used.has(name))
    if (dropped.length > 0)
      return this.#failure(`takes ${quoted(dropped)} only together with the rest of its optional part`)
    if (path.startsWith('//') || DOT_SEGMENT.test(path)) return this.#failure('would give a path that browsers change')
    if (this.#ambiguous && !this.#readsBack(path, values))
      return this.#failure('would read other values from that path')
    return path
  }

  #failure(reason: string): LinkFailure {
    return { viewName: this.viewName, pattern: this.pattern, reason, unknown: false }
  }

  #misfit(name: string, value: unknown): string {
    if (!this.#wildcards.has(name)) return `cannot take "${name}": ${unfitness(value)}`
    if (!Array.isArray(value) || value.length === 0) return `cannot take "${name}": it takes a non-empty list`
    return `cannot take "${name}": ${unfitness(value.find((item) => encodeSegment(item) === undefined))}`
  }

  #readsBack(path: string, values: ReadonlyMap<string, unknown>): boolean {
    const read = this.readBack(path)
    if (read === undefined || Object.keys(read).length !== values.size) return false
    for (const [name, value] of values) {
      const found = read[name]
      const same = Array.isArray(value)
        ? Array.isArray(found) &&
          found.length === value.length &&
          found.every((item, index) => item === String(value[index]))
        : found === String(value)
      if (!same) return false
    }
    return true
  }
}

type Key = Extract<Token, { name: string }>

function keysOf(tokens: readonly Token[]): Key[] {
  return tokens.flatMap((token) =>
    token.type === 'group' ? keysOf(token.tokens) : token.type === 'text' ? [] : [token],
  )
}

function requiredOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => ('name' in token ? [token.name] : []))
}

function textsOf(tokens: readonly Token[]): string[] | undefined {
  const texts = ['']
  for (const token of tokens) {
    if (token.type === 'text') texts[texts.length - 1] += token.value
    else if (token.type === 'param') texts.push('')
    else return undefined
  }
  return texts
}

/** Whether the parameters on both sides of a text have their segments to themselves. */
function standsAlone(text: string, index: number, texts: readonly string[]): boolean {
  const fromParameter = index > 0 && text !== '' && !text.startsWith('/')
  const toParameter = index < texts.length - 1 && !text.endsWith('/')
  return !fromParameter && !toParameter
}

function encodeList(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const items = value.map(encodeSegment)
  return items.includes(undefined) ? undefined : items.join('/')
}

/** The text of tokens; an optional part is there if all of its own parameters are. */
function emit(tokens: readonly Token[], values: ReadonlyMap<string, string>, used: Set<string>): string {
  let text = ''
  for (const token of tokens) {
    if (token.type === 'text') text += token.value
    else if (token.type !== 'group') {
      used.add(token.name)
      text += values.get(token.name)
    } else if (requiredOf(token.tokens).every((name) => values.has(name))) text += emit(token.tokens, values, used)
  }
  return text
}
