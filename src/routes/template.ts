// Compiles a full path pattern into a template that builds links.
import type { Token } from 'path-to-regexp'
import type { LinkArgs, LinkFailure, LinkKwargs } from '../types'
import { kindOf } from '../util/options'
import { encodeList, encodeOther, encodeSegment, isPlain, unfitItem, unfitness } from './link-values'
import { type Capture, isDoubtful, variantsOf } from './link-variants'
import type { Params } from './pattern'

/**
 * The function that reads the parameters of a path as its route will. It returns `undefined` if the path does not reach
 * the route.
 */
export type ReadBack = (path: string) => Params | undefined

/** The path with a choice of its optional parts, ready to be filled. */
interface Filling {
  /** The literal text around the captures: one part more than there are captures. */
  readonly texts: readonly string[]
  readonly captures: readonly Capture[]
  /** `true` if all of its links must be read back. */
  readonly doubtful: boolean
  /** `true` if browsers change the path because of its literal text, or take part of it for a host. */
  readonly moves: boolean
}

type Values = Readonly<Record<string, unknown>>

// A segment that browsers take for `.` or `..` (WHATWG URL, "single-dot" and "double-dot URL path segment").
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i

const NO_VALUES: Values = Object.freeze({})

/** The method behind `Object.hasOwn`. The compiler can optimize this one for names from for-in. */
const { hasOwnProperty: isOwn } = Object.prototype

/** A template for the links of one full path pattern, compiled once. */
export class Template {
  /** The names of the parameters, in the order of the path. */
  readonly names: readonly string[]
  /** The clause that lists the parameters, for messages. */
  readonly #taken: string
  /**
   * The fillings by the number of their captures. Among those with the same names, the one with most optional parts is
   * first.
   */
  readonly #fillings: readonly (readonly Filling[])[]
  /** The one filling of a pattern without optional parts. */
  readonly #only: Filling | undefined

  constructor(
    readonly viewName: string,
    /** The full pattern, for messages. */
    readonly pattern: string,
    private readonly tokens: readonly Token[],
    private readonly readBack: ReadBack,
    /** `true` if a request's path is tried on the alternatives of the pattern in their order. */
    ordered: boolean,
  ) {
    this.names = namesOf(tokens)
    this.#taken = this.names.length === 0 ? 'it has no parameters' : `it takes ${quoted(this.names)}`
    const fillings: Filling[][] = this.names.map(() => [])
    fillings.push([])
    for (const { texts, captures, doubtful } of variantsOf(tokens, ordered)) {
      const literal = texts.join('-')
      const moves = literal.startsWith('//') || DOT_SEGMENT.test(literal)
      const filling = { texts: texts.length === 1 && literal === '' ? ['/'] : texts, captures, moves, doubtful }
      fillings[captures.length]?.push(moves || doubtful ? filling : this.#probed(filling))
    }
    this.#fillings = fillings
    this.#only = fillings.flat().length === 1 ? fillings.at(-1)?.[0] : undefined
  }

  /**
   * Returns the path for some arguments, or the failure. `args` fill the parameters that `kwargs` leave open, in the
   * order of the pattern.
   */
  link(args: LinkArgs | undefined, kwargs: LinkKwargs | undefined): string | LinkFailure {
    const path = args === undefined ? this.#filled(kwargs ?? NO_VALUES) : undefined
    return path ?? this.#explained(args, kwargs ?? NO_VALUES)
  }

  /**
   * Returns the path for values by name; `undefined` if their names are not those of the pattern, or a value does not
   * fit or would be misread.
   */
  #filled(values: Values): string | undefined {
    // Most patterns have no optional parts, and most values come in the order of the pattern.
    const usual = this.#only === undefined ? undefined : this.#inOrder(this.#only, values)
    if (usual !== undefined) return usual
    const fillings = this.#fillings[countOf(values)]
    if (fillings === undefined) return undefined
    for (let index = 0; index < fillings.length; index++) {
      const filling = fillings[index] as Filling
      const path = this.#inOrder(filling, values) ?? this.#written(filling, values)
      if (path !== undefined) return path
    }
    return undefined
  }

  /**
   * Returns the path for values in the order of the pattern; `undefined` for another order, or if the links could be
   * misread.
   */
  #inOrder({ texts, captures, doubtful, moves }: Filling, values: Values): string | undefined {
    if (doubtful || moves) return undefined
    let path = texts[0] as string
    let at = 0
    for (const name in values) {
      const value = values[name]
      if (value === undefined) continue
      const capture = captures[at++]
      if (capture === undefined || capture.name !== name || capture.wildcard || !isOwn.call(values, name))
        return undefined
      const text = typeof value === 'string' && isPlain(value, capture.plain) ? value : certain(value, capture)
      if (text === undefined) return undefined
      path += text + texts[at]
    }
    return at === captures.length ? path : undefined
  }

  #written({ texts, captures, doubtful, moves }: Filling, values: Values): string | undefined {
    if (moves) return undefined
    let path = texts[0] as string
    let doubt = doubtful
    for (let index = 0; index < captures.length; index++) {
      const capture = captures[index] as Capture
      if (!Object.hasOwn(values, capture.name)) return undefined
      const value = values[capture.name]
      const text = capture.wildcard ? encodeList(value) : encodeSegment(value)
      if (text === undefined) return undefined
      if (capture.doubts !== undefined && isDoubtful(text, capture.doubts)) doubt = true
      path += text + texts[index + 1]
    }
    return doubt && this.#misread(path, captures, values) ? undefined : path
  }

  /** Tells whether a request for a path would get other parameters than the given ones. */
  #misread(path: string, captures: readonly Capture[], values: Values): boolean {
    const read = this.readBack(path)
    if (read === undefined || Object.keys(read).length !== captures.length) return true
    return captures.some(({ name }) => !isRead(read[name], values[name]))
  }

  /**
   * Checks a filling with a sample. If the sample is misread, as can happen in a strict table, all links of the filling
   * must be read back.
   */
  #probed(filling: Filling): Filling {
    const values: Record<string, unknown> = Object.create(null)
    for (const { name, wildcard, sample } of filling.captures) values[name] = wildcard ? [sample, sample] : sample
    const path = this.#written(filling, values)
    const misread = path === undefined || this.#misread(path, filling.captures, values)
    return misread ? { ...filling, doubtful: true } : filling
  }

  /** Returns all values by name, those of `args` too; or the reason, as a clause, why they do not fit the pattern. */
  #given(args: LinkArgs | undefined, kwargs: Values): Values | string {
    const names = Object.keys(kwargs).filter((name) => kwargs[name] !== undefined)
    // This check is first: a scheme's fallback begins with a parameter that the route does not take.
    const strange = names.find((name) => !this.names.includes(name))
    if (strange !== undefined) return `takes no "${strange}"; ${this.#taken}`
    const values: Record<string, unknown> = Object.create(null)
    for (const name of names) values[name] = kwargs[name]
    if (args === undefined || args === null) return values
    if (!Array.isArray(args)) return `takes a list of args; got ${kindOf(args)}`
    const open = this.names.filter((name) => !(name in values))
    if (args.length > open.length) {
      return `takes ${open.length} args here, and got ${args.length}; ${this.#taken}`
    }
    // A missing argument stays missing; an undefined one does not fit.
    for (const [index, value] of args.entries()) values[open[index] as string] = value ?? null
    return values
  }

  /** Returns the path or the failure for arguments that must be checked one by one. Most of them make no path. */
  #explained(args: LinkArgs | undefined, kwargs: Values): string | LinkFailure {
    const values = this.#given(args, kwargs)
    if (typeof values === 'string') return this.#failure(values)
    return this.#filled(values) ?? this.#unfit(values)
  }

  /** Returns the failure for values that have the names of the pattern, but make no path. */
  #unfit(values: Values): LinkFailure {
    const given = this.names.filter((name) => name in values)
    for (const name of given) {
      const value = values[name]
      const reason = isWildcard(this.tokens, name) ? unfitList(value) : unfitSegment(value)
      if (reason !== undefined) return this.#failure(`cannot take "${name}": ${reason}`, [value, unfitItem(value)])
    }
    const missing = requiredOf(this.tokens).filter((name) => !(name in values))
    if (missing.length > 0) {
      const got = given.length === 0 ? '' : `; got ${quoted(given)}`
      return { ...this.#failure(`needs ${quoted(missing)}${got}`), missing }
    }
    const filling = this.#fillings[given.length]?.find(({ captures }) => captures.every(({ name }) => name in values))
    if (filling === undefined) {
      const dropped = given.filter((name) => !takenWith(this.tokens, given).includes(name))
      return this.#failure(`takes ${quoted(dropped)} only together with the rest of its optional part`)
    }
    if (filling.moves) return this.#failure('would give a path that browsers change')
    const doubted = filling.captures.filter(({ name, wildcard, doubts }) => {
      const text = wildcard ? encodeList(values[name]) : encodeSegment(values[name])
      return doubts !== undefined && isDoubtful(text as string, doubts)
    })
    return this.#failure(
      'would read other values from that path',
      doubted.map(({ name }) => values[name]),
    )
  }

  #failure(reason: string, unfit: readonly unknown[] = []): LinkFailure {
    return { viewName: this.viewName, pattern: this.pattern, reason, unknown: false, unfit }
  }
}

/** Encodes a value as a path segment, unless it could be misread. */
function certain(value: unknown, { doubts }: Capture): string | undefined {
  const text = typeof value === 'string' ? encodeOther(value) : encodeSegment(value)
  return text === undefined || (doubts !== undefined && isDoubtful(text, doubts)) ? undefined : text
}

function countOf(values: Values): number {
  let count = 0
  for (const name in values) if (values[name] !== undefined) count++
  return count
}

function isRead(read: unknown, given: unknown): boolean {
  if (!Array.isArray(given)) return read === String(given)
  return Array.isArray(read) && read.length === given.length && read.every((item, at) => item === String(given[at]))
}

function unfitSegment(value: unknown): string | undefined {
  return encodeSegment(value) === undefined ? unfitness(value) : undefined
}

function unfitList(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return 'it takes a non-empty list'
  return encodeList(value) === undefined ? unfitness(unfitItem(value)) : undefined
}

function namesOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) =>
    token.type === 'group' ? namesOf(token.tokens) : token.type === 'text' ? [] : token.name,
  )
}

function requiredOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => ('name' in token ? token.name : []))
}

/** Returns the given names that a path uses. An optional part is used only if all of its own names are given. */
function takenWith(tokens: readonly Token[], given: readonly string[]): string[] {
  const own = requiredOf(tokens)
  if (!own.every((name) => given.includes(name))) return []
  return [...own, ...tokens.flatMap((token) => (token.type === 'group' ? takenWith(token.tokens, given) : []))]
}

function isWildcard(tokens: readonly Token[], name: string): boolean {
  return tokens.some((token) =>
    token.type === 'group' ? isWildcard(token.tokens, name) : token.type === 'wildcard' && token.name === name,
  )
}

/** Returns names as a message lists them. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(' and ')
}
