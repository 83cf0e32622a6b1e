// Builds the paths of named routes, from templates of their patterns.
import type { Token } from 'path-to-regexp'
import { encodeValue, explainUnfit, isPlain, plainBut } from '../request/link-text'
import type { LinkArgs, LinkFailure, LinkKwargs } from '../types'
import { kindOf } from '../util/options'
import { alternativesOf, type Params, withoutTrailingSlashes } from './pattern'
import { fullPath, type LinkTemplate, type MountedRoute, type Table } from './table'
import { below, match, mergedParams } from './walk'

// A request for a link must arrive with the values that the link was made from. path-to-regexp tries the alternatives
// of a pattern (its optional parts taken or left out) one after the other, and a parameter takes as much as it can.
// Encoded values have no slash, so the pattern alone tells what can go wrong: a value has text at which it could be
// cut, or by which an earlier alternative could match. A template knows the characters of such texts. It reads a link
// back only if a value has one of them.

type Capture = Exclude<ReturnType<typeof alternativesOf>[number][number], { type: 'text' }>

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
type ReadBack = (path: string) => Params | undefined

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
  /** The fillings, from all optional parts to none: the first one that fits has all optional parts that fit. */
  readonly #fillings: readonly Filling[]

  constructor(
    readonly viewName: string,
    /** The full pattern, for messages. */
    readonly pattern: string,
    tokens: readonly Token[],
    private readonly readBack: ReadBack,
    /** The path of a pattern without text: `'/'`, or `''` for a prefix itself. */
    bare: '/' | '' = '/',
  ) {
    this.#fillings = fillingsOf(tokens, bare).map((filling) => this.#probed(filling))
    this.names = namesOf(this.#fillings[0] as Filling)
    this.#taken = this.names.length === 0 ? 'it has no parameters' : `it takes ${quoted(this.names)}`
  }

  /**
   * Returns the path for some arguments, or the failure. `args` fill the parameters that `kwargs` leave open, in the
   * order of the pattern.
   */
  link(args: LinkArgs | undefined, kwargs: LinkKwargs | undefined): string | LinkFailure {
    const path = args === undefined ? this.#written(kwargs ?? NO_VALUES) : undefined
    if (path !== undefined) return path
    const values = this.#given(args, kwargs ?? NO_VALUES)
    if (typeof values === 'string') return this.#failure(values)
    return this.#written(values) ?? this.#unfit(values)
  }

  /**
   * Returns the path for values by name; `undefined` if their names are not those of the pattern, or a value does not
   * fit or would be misread.
   */
  #written(values: Values): string | undefined {
    const fillings = this.#fillings
    let count = 0
    for (const name in values) {
      // `#given` leaves inherited values out.
      if (!isOwn.call(values, name)) return undefined
      if (values[name] !== undefined) count++
    }
    for (let index = 0; index < fillings.length; index++) {
      const filling = fillings[index] as Filling
      if (filling.captures.length !== count || filling.moves) continue
      const path = this.#filled(filling, values)
      if (path !== undefined) return path
    }
    return undefined
  }

  #filled({ texts, captures, plain, doubts, doubtful }: Filling, values: Values): string | undefined {
    let path = texts[0] as string
    let doubt = doubtful
    for (let index = 0; index < captures.length; index++) {
      const capture = captures[index] as Capture
      const value = values[capture.name]
      const simple = typeof value === 'string' && capture.type === 'param' && isPlain(value, plain)
      const text = simple ? value : encodeValue(value, capture.type === 'wildcard')
      if (text === undefined) return undefined
      if (!simple) doubt ||= isDoubtful(text, doubts)
      path += text + texts[index + 1]
    }
    return doubt && !this.#reads(path, captures, values) ? undefined : path
  }

  /** Tells whether a request for a path arrives with these values. */
  #reads(path: string, captures: readonly Capture[], values: Values): boolean {
    const read = this.readBack(path)
    if (read === undefined || Object.keys(read).length !== captures.length) return false
    return captures.every((capture) => encodedIn(read, capture) === encodedIn(values, capture))
  }

  /**
   * Checks a filling with a sample. If the sample is misread, all links of the filling must be read back. A wildcard, for
   * example, takes the slash at the end of its pattern.
   */
  #probed(filling: Filling): Filling {
    const sample = [...'xyz0123456789_~'].find((character) => !filling.doubts.includes(character))
    const values = filling.captures.map(({ name, type }) => [name, type === 'param' ? sample : [sample, sample]])
    const path = this.#filled({ ...filling, doubtful: true }, Object.fromEntries(values))
    return path === undefined ? { ...filling, doubtful: true } : filling
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
    for (const { name, type } of (this.#fillings[0] as Filling).captures) {
      const unfit = name in values ? explainUnfit(values[name], type === 'wildcard') : undefined
      if (unfit !== undefined) return this.#failure(`cannot take "${name}": ${unfit.reason}`, unfit.values)
    }
    const missing = namesOf(this.#fillings.at(-1) as Filling).filter((name) => !(name in values))
    if (missing.length > 0) {
      const got = given.length === 0 ? '' : `; got ${quoted(given)}`
      return { ...this.#failure(`needs ${quoted(missing)}${got}`), missing }
    }
    const fits = ({ captures }: Filling) => captures.every(({ name }) => name in values)
    const { captures, moves, doubts } = this.#fillings.find(fits) as Filling
    const dropped = given.filter((name) => !captures.some((capture) => capture.name === name))
    if (dropped.length > 0) {
      return this.#failure(`takes ${quoted(dropped)} only together with the rest of its optional part`)
    }
    if (moves) return this.#failure('would give a path that browsers change')
    const doubted = captures.filter((capture) => isDoubtful(encodedIn(values, capture) as string, doubts))
    const unfit = doubted.map(({ name }) => values[name])
    return this.#failure('would read other values from that path', unfit)
  }

  #failure(reason: string, unfit: readonly unknown[] = []): LinkFailure {
    return { viewName: this.viewName, pattern: this.pattern, reason, unknown: false, unfit }
  }
}

/** Returns the fillings of a pattern, with the characters that make their links doubtful. */
function fillingsOf(tokens: readonly Token[], bare: string): Filling[] {
  const shapes = alternativesOf(tokens).map(shapeOf)
  return shapes.map((shape, index) => {
    const { texts, captures } = shape
    const literal = texts.join('-')
    // A value could be cut at the text between two captures of a segment.
    const cuts = texts.slice(1, -1).filter((text) => !text.includes('/'))
    const excesses = shapes.slice(0, index).map((earlier) => excess(earlier, shape))
    const noted = cuts.join('') + excesses.join('').replaceAll('/', '')
    // A table may ignore letter case.
    const doubts = [...new Set(noted.toLowerCase() + noted.toUpperCase())]
    return {
      texts: captures.length === 0 && literal === '' ? [bare] : texts,
      captures,
      doubts,
      plain: plainBut(doubts),
      doubtful: excesses.includes(undefined),
      moves: literal.startsWith('//') || DOT_SEGMENT.test(literal),
    }
  })
}

type Shape = Pick<Filling, 'texts' | 'captures'>

function shapeOf(tokens: ReturnType<typeof alternativesOf>[number]): Shape {
  const texts = ['']
  for (const token of tokens) {
    if (token.type === 'text') texts[texts.length - 1] += token.value
    else texts.push('')
  }
  return { texts, captures: tokens.filter((token) => token.type !== 'text') }
}

/**
 * Returns a character that an earlier alternative has more often than another one: it cannot match a path of the other
 * one whose values lack the character. Only values of wildcards have slashes. Letters and digits are avoided, because
 * values often have them.
 */
function excess(earlier: Shape, { texts, captures }: Shape): string | undefined {
  const [text, other] = [literalOf(earlier.texts), literalOf(texts)]
  const wildcard = captures.some(({ type }) => type === 'wildcard')
  const exceeds = (character: string) => text.split(character).length > other.split(character).length
  const found = [...text].filter((character) => exceeds(character) && !(wildcard && character === '/'))
  return found.find((character) => /\W/.test(character)) ?? found[0]
}

/** Returns the literal text as routes match it: in any letter case, without slashes at the end. */
function literalOf(texts: readonly string[]): string {
  const last = withoutTrailingSlashes(texts.at(-1) as string)
  return texts.with(-1, last).join('').toLowerCase()
}

function isDoubtful(text: string, doubts: readonly string[]): boolean {
  return doubts.some((character) => text.includes(character))
}

function encodedIn(values: Values, { name, type }: Capture): string | undefined {
  return encodeValue(values[name], type === 'wildcard')
}

function namesOf({ captures }: Filling): string[] {
  return captures.map(({ name }) => name)
}

/** Returns names as a message lists them. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(' and ')
}

/** Returns the path of a name below the mount of `table`, or the failure. The path of the mount itself may be `''`. */
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
export function templateOf(place: MountedRoute): LinkTemplate {
  place.template ??= compiled(place)
  return place.template
}

function compiled(place: MountedRoute): Template {
  const tokens = [...place.mounts.flatMap(({ prefix }) => prefix.tokens), ...place.route.pattern.tokens]
  const bare = place.route.pattern.source === '' ? '' : '/'
  return new Template(place.name, fullPath(place), tokens, (path) => readBack(place, path || '/'), bare)
}

/**
 * Returns the parameters with which a request for a path arrives at a place. As in dispatch, the longest reading of a
 * prefix wins that leaves a path of this route.
 */
export function readBack(place: MountedRoute, path: string, from = 0): Params | undefined {
  const mount = place.mounts[from]
  if (mount === undefined) {
    const found = match(place.route.pattern, path)
    return found === false ? undefined : found.params
  }
  for (const reading of mount.prefix.readings) {
    const found = match(reading, path)
    if (found === false) continue
    const inner = readBack(place, below(path, found), from + 1)
    if (inner !== undefined) return mergedParams(found.params, inner)
  }
  return undefined
}
