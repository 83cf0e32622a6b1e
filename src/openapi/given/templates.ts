// The path templates of a document: their order, and their paths as patterns.
import { stringify, type Token, TokenData } from 'path-to-regexp'
import { encodeLiteral, type MatchSettings } from '../../routes/pattern'

/** A part of a segment: literal text, percent-encoded, or a parameter. */
type Part = string | { readonly name: string }

/** A path template of a document. */
export interface Template {
  /** The path as the document has it. It is the name of the route. */
  readonly source: string
  /** The path in the syntax of path-to-regexp. */
  readonly pattern: string
  /** The parts by segment. */
  readonly segments: readonly (readonly Part[])[]
  /** The key by which templates sort: those with more literal text go first. */
  readonly sortKey: string
}

/**
 * Reads a path template.
 *
 * @throws {TypeError} with a sentence, for a path that no router can tell.
 */
export function templateOf(source: string): Template {
  if (!source.startsWith('/')) throw new TypeError('a path begins with "/".')
  const segments: Part[][] = []
  const names = new Set<string>()
  for (const [text, name] of partsOf(source)) {
    if (name === undefined) {
      const [first, ...others] = encodeLiteral(text).split('/') as [string, ...string[]]
      if (first !== '') segments.at(-1)?.push(first)
      for (const other of others) segments.push(other === '' ? [] : [other])
      continue
    }
    if (name === '') throw new TypeError('a parameter has no name. Write one: {id}.')
    if (names.has(name)) throw new TypeError(`the parameter "${name}" is there twice. Give each its own name.`)
    names.add(name)
    const segment = segments.at(-1) as Part[]
    if (typeof segment.at(-1) === 'object') {
      throw new TypeError(
        `nothing tells where "${(segment.at(-1) as { name: string }).name}" ends and "${name}" begins. Write text between them, such as "-".`,
      )
    }
    segment.push({ name })
  }
  return { source, pattern: patternOf(segments), segments, sortKey: sortKeyOf(segments, source) }
}

/** Splits a template into literal texts and parameters. Braces without a partner are literal text. */
function* partsOf(source: string): Iterable<readonly [text: string, name?: string]> {
  let at = 0
  while (at < source.length) {
    const open = source.indexOf('{', at)
    const close = open === -1 ? -1 : source.indexOf('}', open)
    if (close === -1) {
      yield [source.slice(at)]
      return
    }
    if (open > at) yield [source.slice(at, open)]
    yield [source.slice(open, close + 1), source.slice(open + 1, close)]
    at = close + 1
  }
}

function patternOf(segments: Template['segments']): string {
  const tokens = segments.flatMap((segment): Token[] => [
    { type: 'text', value: '/' },
    ...segment.map(
      (part): Token => (typeof part === 'string' ? { type: 'text', value: part } : { type: 'param', name: part.name }),
    ),
  ])
  const joined: Token[] = []
  for (const token of tokens) {
    const last = joined.at(-1)
    if (token.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = { ...last, value: last.value + token.value }
    else joined.push(token)
  }
  return stringify(new TokenData(joined))
}

/** Returns a template without the names of its parameters, as requests see it. */
export function shapeOf({ segments }: Template, { caseSensitive, strict }: MatchSettings): string {
  const texts = segments.map((segment) => segment.map((part) => (typeof part === 'string' ? part : '{}')).join(''))
  if (!strict && texts.length > 1 && texts.at(-1) === '') texts.pop()
  const shape = texts.map((text) => `/${text}`).join('')
  return caseSensitive ? shape : shape.toLowerCase()
}

/**
 * Returns a key by which templates sort. More literal text goes first, segment by segment, from the left (OpenAPI 3.1.1, section
 * 4.8.8.2: concrete before templated paths). Of two that no request tells apart by that, the source decides, so that the order is total.
 */
function sortKeyOf(segments: Template['segments'], source: string): string {
  const keys = segments.map((segment) => String.fromCharCode(0xfffe - textIn(segment), segment.length))
  // The end comes behind each segment, so that the longer of two paths goes first.
  return `${keys.join('')}\uffff${source}`
}

/** Returns the length of the literal text in a segment, as far as it counts. A segment that is nothing else has more than any other. */
function textIn(segment: readonly Part[]): number {
  if (segment.every((part) => typeof part === 'string')) return 0xfffe
  return Math.min(
    segment.reduce((length, part) => length + (typeof part === 'string' ? part.length : 0), 0),
    0xfffd,
  )
}
