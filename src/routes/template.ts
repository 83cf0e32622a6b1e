// Builds the paths of named routes, from templates of their patterns.
import type { Token } from 'path-to-regexp'
import { encodeList, encodeSegment, explainUnfit, isPlain, plainBut } from '../request/link-text'
import type { LinkArgs, LinkFailure, LinkKwargs } from '../types'
import { kindOf } from '../util/options'
import { joined, type Params } from './pattern'
import { alternativesOf, withoutTrailingSlashes } from './segments'
import { fullPath, type LinkTemplate, type Place, type Table } from './table'
import { below } from './walk'

// A request for a link must arrive with the values that the link was made from. path-to-regexp tries the alternatives
// of a pattern (its optional parts taken or left out) one after the other, and a parameter takes as much as it can.
// Encoded values have no slash, so the pattern alone tells what can go wrong: a value has text at which it could be
// cut, or by which an earlier alternative could match. A template knows the characters of such texts. It reads a link
// back only if a value has one of them.

interface Capture {
  readonly name: string
  readonly wildcard: boolean
}

/** A pattern with a choice of its optional parts. */
interface Filling {
  /** The literal text around the captures: one part more than there are captures. */
  readonly texts: readonly string[]
  readonly captures: readonly Capture[]
  /** The characters that make a link doubtful. */
  readonly doubts: readonly string[]
  /** The characters that are neither encoded nor doubtful. */
  readonly plain: Uint8Array
  /** `true` if all of its links are doubtful. */
  readonly doubtful: boolean
  /** `true` if browsers change the path because of its literal text, or take part of it for a host. */
  readonly moves: boolean
}

type Values = Readonly<Record<string, unknown>>

/** Reads the parameters of a path as its route will. It returns `undefined` if the path does not reach the route. */
export type ReadBack = (path: string) => Params | undefined

// A segment that browsers take for `.` or `..` (WHATWG URL, "single-dot" and "double-dot URL path segment").
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i

const NO_VALUES: Values = Object.freeze({})

/** The method behind `Object.hasOwn`. The compiler can optimize this one for names from for-in. */
const { hasOwnProperty: isOwn } = Object.prototype

/** A template for the links of one full path pattern, compiled once. */
export class Template implements LinkTemplate {
  readonly names: readonly string[]
  /** The clause that lists them, for messages. */
  readonly #taken: string
  /** The parameters outside of optional parts. */
  readonly #required: readonly string[]
  /** The fillings. Among those with the same names, the one with most optional parts is first. */
  readonly #fillings: readonly Filling[]

  constructor(
    readonly viewName: string,
    /** The full pattern, for messages. */
    readonly pattern: string,
    tokens: readonly Token[],
    private readonly readBack: ReadBack,
    /** `true` if a request's path is tried on the alternatives of the pattern in their order. */
    ordered: boolean,
  ) {
    this.#fillings = fillingsOf(tokens, ordered).map((filling) => this.#probed(filling))
    this.names = namesOf(this.#fillings[0])
    this.#taken = this.names.length === 0 ? 'it has no parameters' : `it takes ${quoted(this.names)}`
    this.#required = namesOf(this.#fillings.at(-1))
  }

  /**
   * Returns the path for some arguments, or the failure. `args` fill the parameters that `kwargs` leave open, in the
   * order of the pattern.
   */
  link(args: LinkArgs | undefined, kwargs: LinkKwargs | undefined): string | LinkFailure {
    const path = args === undefined ? this.#inOrder(kwargs ?? NO_VALUES) : undefined
    if (path !== undefined) return path
    const values = this.#given(args, kwargs ?? NO_VALUES)
    if (typeof values === 'string') return this.#failure(values)
    return this.#written(values) ?? this.#unfit(values)
  }

  /** Returns the path for values in the order of the pattern, as most are; `undefined` for others and doubtful ones. */
  #inOrder(values: Values): string | undefined {
    const fillings = this.#fillings
    const count = fillings.length === 1 ? this.names.length : countOf(values)
    for (let index = 0; index < fillings.length; index++) {
      const filling = fillings[index] as Filling
      const path = filling.captures.length === count ? inOrder(filling, values) : undefined
      if (path !== undefined) return path
    }
    return undefined
  }

  /** Returns the path for own values in any order; `undefined` if one does not fit or would be misread. */
  #written(values: Values): string | undefined {
    const count = Object.keys(values).length
    for (const filling of this.#fillings) {
      const { captures, texts, doubts, doubtful, moves } = filling
      if (moves || captures.length !== count) continue
      const encoded = captures.map((capture) => encodeBy(capture, values[capture.name]))
      if (encoded.includes(undefined)) continue
      const path = texts.map((text, index) => text + (encoded[index] ?? '')).join('')
      const doubt = doubtful || encoded.some((text) => isDoubtful(text as string, doubts))
      if (!doubt || this.#reads(path, captures, values)) return path
    }
    return undefined
  }

  /** Tells whether a request for a path arrives with these values. */
  #reads(path: string, captures: readonly Capture[], values: Values): boolean {
    const read = this.readBack(path)
    if (read === undefined || Object.keys(read).length !== captures.length) return false
    return captures.every(
      (capture) => encodeBy(capture, read[capture.name]) === encodeBy(capture, values[capture.name]),
    )
  }

  /**
   * Checks a filling with a sample. If the sample is misread, as can happen in a strict table, all links of the filling
   * must be read back.
   */
  #probed(filling: Filling): Filling {
    const { captures, doubts } = filling
    const sample = [...'xyz0123456789_~'].find((character) => !doubts.includes(character))
    const values = Object.fromEntries(
      captures.map(({ name, wildcard }) => [name, wildcard ? [sample, sample] : sample]),
    )
    const path = inOrder(filling, values)
    return path !== undefined && this.#reads(path, captures, values) ? filling : { ...filling, doubtful: true }
  }

  /** Returns all values by name, those of `args` too; or the reason, as a clause, why they do not fit the pattern. */
  #given(args: LinkArgs | undefined, kwargs: Values): Values | string {
    // This check is first: a scheme's fallback begins with a parameter that the route does not take.
    for (const name in kwargs) {
      const strange = !this.names.includes(name) && kwargs[name] !== undefined && isOwn.call(kwargs, name)
      if (strange) return `takes no "${name}"; ${this.#taken}`
    }
    const values: Record<string, unknown> = Object.create(null)
    for (const name of Object.keys(kwargs)) if (kwargs[name] !== undefined) values[name] = kwargs[name]
    if (args === undefined || args === null) return values
    if (!Array.isArray(args)) return `takes a list of args; got ${kindOf(args)}`
    const open = this.names.filter((name) => !(name in values))
    if (args.length > open.length) return `takes ${open.length} args here, and got ${args.length}; ${this.#taken}`
    // A missing argument stays missing; an undefined one does not fit.
    for (const [index, value] of args.entries()) values[open[index] as string] = value ?? null
    return values
  }

  /** Returns the failure for values that have names of the pattern, but make no path. */
  #unfit(values: Values): LinkFailure {
    const given = this.names.filter((name) => name in values)
    const fitting = this.#fillings.filter(({ captures }) => captures.every(({ name }) => name in values))
    for (const { name, wildcard } of this.#fillings[0]?.captures ?? []) {
      const unfit = name in values ? explainUnfit(values[name], wildcard) : undefined
      if (unfit !== undefined) return this.#failure(`cannot take "${name}": ${unfit.reason}`, { unfit: unfit.unfit })
    }
    const missing = this.#required.filter((name) => !(name in values))
    if (missing.length > 0) {
      return this.#failure(`needs ${quoted(missing)}${given.length === 0 ? '' : `; got ${quoted(given)}`}`, { missing })
    }
    const [fullest] = fitting.toSorted((a, b) => b.captures.length - a.captures.length) as [Filling]
    const taken = namesOf(fullest)
    if (taken.length < given.length) {
      const dropped = given.filter((name) => !taken.includes(name))
      return this.#failure(`takes ${quoted(dropped)} only together with the rest of its optional part`)
    }
    if (fullest.moves) return this.#failure('would give a path that browsers change')
    const doubted = fullest.captures.filter((capture) =>
      isDoubtful(encodeBy(capture, values[capture.name]) as string, fullest.doubts),
    )
    return this.#failure('would read other values from that path', { unfit: doubted.map(({ name }) => values[name]) })
  }

  #failure(reason: string, details?: Pick<LinkFailure, 'unfit' | 'missing'>): LinkFailure {
    return { viewName: this.viewName, pattern: this.pattern, reason, unknown: false, ...details }
  }
}

/** Returns the fillings of a pattern, with the characters that make their links doubtful. */
function fillingsOf(tokens: readonly Token[], ordered: boolean): Filling[] {
  const shapes = alternativesOf(tokens).map(shapeOf)
  return shapes.map((shape, index) => {
    const { texts, captures } = shape
    const literal = texts.join('-')
    // A value could be cut at the text between two captures of a segment.
    const doubts = [
      ...texts
        .slice(1, -1)
        .filter((text) => !text.includes('/'))
        .join(''),
    ]
    const excesses = shapes.slice(0, index).map((earlier) => excess(earlier, shape))
    const apart = ordered ? excesses.every((character) => character !== undefined) : shapes.length === 1
    for (const character of excesses) if (character !== '/') doubts.push(character ?? '')
    // A table may ignore letter case.
    const either = [...new Set(doubts.flatMap((character) => [character.toLowerCase(), character.toUpperCase()]))]
    return {
      texts: captures.length === 0 && literal === '' ? ['/'] : texts,
      captures,
      doubts: either,
      plain: plainBut(either),
      doubtful: !apart || literal.includes('//') || captures.filter(({ wildcard }) => wildcard).length > 1,
      moves: literal.startsWith('//') || DOT_SEGMENT.test(literal),
    }
  })
}

type Shape = Pick<Filling, 'texts' | 'captures'>

function shapeOf(tokens: ReturnType<typeof alternativesOf>[number]): Shape {
  const texts = ['']
  const captures: Capture[] = []
  for (const token of tokens) {
    if (token.type === 'text') texts[texts.length - 1] += token.value
    else {
      captures.push({ name: token.name, wildcard: token.type === 'wildcard' })
      texts.push('')
    }
  }
  return { texts, captures }
}

/**
 * Returns a character that an earlier alternative has more often than another one: it cannot match a path of the other
 * one whose values lack the character. Only values of wildcards have slashes. Letters and digits are avoided, because
 * values often have them.
 */
function excess(earlier: Shape, { texts, captures }: Shape): string | undefined {
  const [text, other] = [earlier.texts, texts].map((parts) =>
    parts
      .with(-1, withoutTrailingSlashes(parts.at(-1) as string))
      .join('')
      .toLowerCase(),
  ) as [string, string]
  const found = [...text].filter((character) => text.split(character).length > other.split(character).length)
  const usable = captures.some(({ wildcard }) => wildcard) ? found.filter((character) => character !== '/') : found
  return usable.find((character) => character === '/') ?? usable.find((character) => /\W/.test(character)) ?? usable[0]
}

function inOrder({ texts, captures, doubts, plain, doubtful, moves }: Filling, values: Values): string | undefined {
  if (doubtful || moves) return undefined
  let path = texts[0] as string
  let at = 0
  for (const name in values) {
    const value = values[name]
    if (value === undefined) continue
    const capture = captures[at++]
    if (capture === undefined || capture.name !== name || !isOwn.call(values, name)) return undefined
    const simple = typeof value === 'string' && !capture.wildcard && isPlain(value, plain)
    const text = simple ? value : encodeBy(capture, value)
    if (text === undefined || (!simple && isDoubtful(text, doubts))) return undefined
    path += text + texts[at]
  }
  return at === captures.length ? path : undefined
}

function countOf(values: Values): number {
  let count = 0
  for (const name in values) if (values[name] !== undefined) count++
  return count
}

function isDoubtful(text: string, doubts: readonly string[]): boolean {
  return doubts.some((character) => text.includes(character))
}

function encodeBy({ wildcard }: Capture, value: unknown): string | undefined {
  return wildcard ? encodeList(value) : encodeSegment(value)
}

function namesOf(filling: Filling | undefined): string[] {
  return (filling as Filling).captures.map(({ name }) => name)
}

/** Returns names as a message lists them. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(' and ')
}

/** Returns the path of a name below the mount of `table`, or the failure. */
export function linkTo(table: Table, viewName: string, args?: LinkArgs, kwargs?: LinkKwargs): string | LinkFailure {
  const place = table.places.get(viewName)
  if (place === undefined) return { viewName, reason: 'is not the name of a route', unknown: true }
  return templateOf(place).link(args, kwargs)
}

/** Tells whether a table has a name whose path has a parameter. */
export function takes(table: Table, viewName: string, parameter: string): boolean {
  const place = table.places.get(viewName)
  return place !== undefined && templateOf(place).names.includes(parameter)
}

/** Returns the template of a place. It is compiled for the first link. */
function templateOf(place: Place): LinkTemplate {
  place.template ??= compiled(place)
  return place.template
}

function compiled(place: Place): Template {
  const tokens = [...place.mounts.flatMap(({ prefix }) => prefix.tokens), ...place.route.pattern.tokens]
  // The readings of a prefix are sorted by length, not by alternative.
  const ordered = place.mounts.every(({ prefix }) => alternativesOf(prefix.tokens).length <= 2)
  return new Template(place.name, fullPath(place), tokens, (path) => readBack(place, path), ordered)
}

/**
 * Returns the parameters with which a request for a path arrives at a place. As in dispatch, the longest reading of a
 * prefix wins that leaves a path of this route.
 */
function readBack(place: Place, path: string, from = 0): Params | undefined {
  const mount = place.mounts[from]
  if (mount === undefined) {
    const found = place.route.pattern.match(path)
    return found === false ? undefined : found.params
  }
  for (const reading of mount.prefix.readings) {
    const found = reading(path)
    const inner = found === false ? undefined : readBack(place, below(path, found), from + 1)
    if (found !== false && inner !== undefined) return joined(found.params, inner)
  }
  return undefined
}
