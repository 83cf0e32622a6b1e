// Finds out which values could make a link ambiguous.
import type { Token } from 'path-to-regexp'
import { type Plain, plainBut } from './link-values'
import { alternativesOf } from './pattern'

// A request for a link must arrive with the values that the link was made from. path-to-regexp tries the alternatives
// of a pattern (its optional parts taken or left out) one after the other. Within an alternative, a parameter takes as
// much as it can. Encoded values have no slash, so the pattern alone tells what can go wrong: a value has text at which
// it could be cut, or by which another alternative could match. This file collects such characters. A link without any
// of them need not be read back.

/** A parameter in a path. */
export interface Capture {
  readonly name: string
  readonly wildcard: boolean
  /** The characters in its encoded text that make the link doubtful; undefined: there are no such characters. */
  readonly doubts: readonly string[] | undefined
  /** The characters that are neither encoded nor doubtful. */
  readonly plain: Plain
  /** A value without doubtful characters. */
  readonly sample: string
}

/** A pattern with a choice of its optional parts. */
export interface Variant {
  /** The literal text around the captures: one part more than there are captures. */
  readonly texts: readonly string[]
  readonly captures: readonly Capture[]
  /** `true` if its links are doubtful with any values. */
  readonly doubtful: boolean
}

/** Tells whether an encoded value has one of the characters. */
export function isDoubtful(text: string, doubts: readonly string[]): boolean {
  for (let index = 0; index < doubts.length; index++) if (text.includes(doubts[index] as string)) return true
  return false
}

/**
 * Returns the variants of a pattern.
 *
 * @param ordered `true` if a request's path is tried on the variants in their order, so that later ones cannot
 *   interfere.
 */
export function variantsOf(tokens: readonly Token[], ordered: boolean): Variant[] {
  const shapes = alternativesOf(tokens).map(shapeOf)
  return shapes.map((shape, index) => {
    const doubts = shape.captures.map(() => new Set<string>())
    let doubtful = shape.texts.join('-').includes('//') || !ownDoubts(shape, doubts)
    for (const other of ordered ? shapes.slice(0, index) : shapes) {
      if (other !== shape && !setApart(shape, other, doubts)) doubtful = true
    }
    const captures = shape.captures.map(({ name, wildcard }, at) =>
      captureOf(name, wildcard, doubts[at] as Set<string>),
    )
    return { texts: shape.texts, captures, doubtful }
  })
}

interface Shape {
  readonly texts: readonly string[]
  readonly captures: readonly { readonly name: string; readonly wildcard: boolean }[]
  /** The concatenated texts, in lower case and without slashes. */
  readonly text: string
  /** The segments, each with its literal text in lower case and its captures. A trailing slash makes no segment. */
  readonly segments: readonly Segment[]
  readonly wildcards: number
}

interface Segment {
  text: string
  readonly captures: number[]
}

function shapeOf(tokens: ReturnType<typeof alternativesOf>[number]): Shape {
  const texts = ['']
  const captures: { name: string; wildcard: boolean }[] = []
  const segments: Segment[] = [{ text: '', captures: [] }]
  for (const token of tokens) {
    if (token.type !== 'text') {
      segments.at(-1)?.captures.push(captures.length)
      captures.push({ name: token.name, wildcard: token.type === 'wildcard' })
      texts.push('')
      continue
    }
    texts[texts.length - 1] += token.value
    const [first, ...rest] = token.value.toLowerCase().split('/') as [string, ...string[]]
    ;(segments.at(-1) as Segment).text += first
    for (const text of rest) segments.push({ text, captures: [] })
  }
  const last = segments.at(-1) as Segment
  if (segments.length > 1 && last.text === '' && last.captures.length === 0) segments.pop()
  const text = texts.join('').toLowerCase().replaceAll('/', '')
  return { texts, captures, text, segments, wildcards: captures.filter(({ wildcard }) => wildcard).length }
}

/**
 * Notes the characters at which values could be cut elsewhere within their own variant. These are the characters of the
 * texts between captures that share a segment. With two wildcards, they are those of all texts between the first and
 * the last capture. If no value has one of them, the texts match only where they were written.
 *
 * @returns `true` if that is enough.
 */
function ownDoubts({ texts, captures, wildcards }: Shape, doubts: readonly Set<string>[]): boolean {
  if (wildcards > 1) {
    const between = texts.slice(1, -1)
    note(between.join(''), doubts)
    // Two wildcards need text other than slashes between them.
    let pinned = true
    for (const [index, { wildcard }] of captures.entries()) {
      if (wildcard && !pinned) return false
      if (wildcard) pinned = false
      pinned ||= /[^/]/.test(texts[index + 1] as string)
    }
    return true
  }
  for (let first = 0, last = 0; first < captures.length; first = ++last) {
    while (last + 1 < captures.length && !texts[last + 1]?.includes('/')) last++
    note(texts.slice(first + 1, last + 1).join(''), doubts.slice(first, last + 1))
  }
  return true
}

/**
 * Notes the characters that a link of a variant must not have, so that another variant cannot match it. Some pairs of
 * variants need no such characters.
 *
 * @returns `true` if the variants can be kept apart.
 */
function setApart(shape: Shape, other: Shape, doubts: readonly Set<string>[]): boolean {
  const few = other.wildcards === 0 && other.segments.length < shape.segments.length
  const many = shape.wildcards === 0 && other.segments.length > shape.segments.length
  if (few || many) return true
  if (shape.wildcards > 0 || other.wildcards > 0) {
    const character = excess(other.text, shape.text)
    if (character === undefined) return false
    note(character, doubts)
    return true
  }
  const apart = other.segments.map(({ text }, at) => excess(text, shape.segments[at]?.text as string))
  const fixed = apart.some((character, at) => character !== undefined && shape.segments[at]?.captures.length === 0)
  if (fixed) return true
  const at = apart.findIndex((character) => character !== undefined)
  if (at === -1) return false
  const within = (shape.segments[at] as Segment).captures.map((index) => doubts[index] as Set<string>)
  note(apart[at] as string, within)
  return true
}

/**
 * Returns a character that a text has more often than another text. It avoids letters and digits, which values often
 * have.
 */
function excess(text: string, other: string): string | undefined {
  const found = [...text].filter((character) => text.split(character).length > other.split(character).length)
  return found.find((character) => /\W/.test(character)) ?? found[0]
}

function note(text: string, doubts: readonly Set<string>[]): void {
  for (const character of text.replaceAll('/', '')) for (const noted of doubts) noted.add(character.toLowerCase())
}

function captureOf(name: string, wildcard: boolean, doubts: ReadonlySet<string>): Capture {
  const sample = [...'xyz0123456789abcdefghijklmnopqrstuvw~_'].find((character) => !doubts.has(character)) ?? ''
  // A table may ignore letter case.
  const either = new Set([...doubts].flatMap((character) => [character, character.toUpperCase()]))
  return { name, wildcard, doubts: doubts.size === 0 ? undefined : [...either], plain: plainBut(either), sample }
}
