// The query of a request: a list of pairs in its url. Steps change the values of some; all other pairs stay byte for byte.
import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'express'
import { queryOf, withQuery } from '../../http/query'
import { isRecord, itemsOf, nameIn, type QueryParser, type QueryReader, readerOf } from '../../http/query-reader'
import { appendQueryAndHash } from '../../request/link-text'
import type { LinkQuery } from '../../types'
import { grouped, put } from '../../util/collections'

/** The names of the parameters that carry the version. They stay, whatever a step returns. */
export type Carriers = ReadonlySet<string>

type Values = Readonly<Record<string, unknown>>

/** The query of a request in the version of its client. */
export class RequestQuery {
  readonly #url: string
  readonly #reader: QueryReader
  /** `true` if nobody parses queries: nothing tells what the pairs mean. */
  readonly #isOff: boolean
  /** The result of the app's parser for all pairs; or the value that middleware has put there. */
  readonly value: Values
  /** `true` if `req.query` has that value. */
  readonly isShown: boolean

  /** @throws {unknown} any error of the app's parser. */
  constructor(req: Request) {
    const { app, url, originalUrl } = req
    // Express 4 has a function for no parser too.
    const parse: QueryParser | undefined = app.get('query parser') === false ? undefined : app.get('query parser fn')
    this.#url = url
    this.#reader = readerOf(parse)
    const { value, isPlain } = this.#reader.read(queryOf(url))
    // Express 5 parses the url again each time. Express 4 has parsed the first url, and knows of no other.
    const found = Object.hasOwn(req, 'query') ? req.query : undefined
    const isFrom = (target: string) => isDeepStrictEqual(found, parse === undefined ? {} : parse(queryOf(target)))
    const isOthers = found !== undefined && !isFrom(url) && !isFrom(originalUrl)
    this.#isOff = parse === undefined && !isOthers
    this.value = (isOthers ? found : value) as Values
    this.isShown = isOthers || (isPlain && (found === undefined || isDeepStrictEqual(found, value)))
  }

  /**
   * Returns the url with other values: only the pairs of changed ones are written anew.
   *
   * @throws {Error} for values that no url can carry.
   */
  urlWith(after: Values, carriers: Carriers): string {
    const before = this.value
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    const changed = [...names].filter((name) => !carriers.has(name) && !isSame(only(name, before), only(name, after)))
    if (this.#isOff || changed.length === 0) return this.#url
    const pairs = queryOf(this.#url).split('&')
    const owned = this.#ownPairs(pairs)
    const replaced = new Map<number, readonly string[]>()
    const added: string[] = []
    for (const name of changed) {
      for (const part of changedParts(name, owned.get(name) ?? [], before, after)) {
        const written = pairsOf(part)
        const last = part.own.length - 1
        for (const [at, { index }] of part.own.entries())
          replaced.set(index, written.slice(at, at === last ? undefined : at + 1))
        if (last === -1) added.push(...written)
      }
    }
    const kept = pairs.flatMap((pair, index) => replaced.get(index) ?? pair)
    // An empty query has one empty pair.
    return withQuery(this.#url, [...(pairs.length === 1 && pairs[0] === '' ? [] : kept), ...added].join('&'))
  }

  /** Lists the pairs of each parameter. */
  #ownPairs(pairs: readonly string[]): ReadonlyMap<string, ReadPair[]> {
    return grouped(
      pairs.flatMap((raw, index) => {
        const alone = raw === '' ? {} : this.#reader.alone(raw)
        return Object.keys(alone).map((name) => [name, { index, raw, alone: only(name, alone) }] as const)
      }),
    )
  }
}

/** Returns a query in which the parameters that carry the version are as before. */
export function withCarriers<Query extends Values>(after: Query, before: Values, carriers: Carriers): Query {
  const kept: Record<string, unknown> = { ...after }
  for (const name of carriers) {
    if (Object.hasOwn(before, name)) put(kept, name, before[name])
    else delete kept[name]
  }
  return kept as Query
}

/** A pair of a query, and the value that it has alone. */
interface ReadPair {
  readonly index: number
  readonly raw: string
  readonly alone: Values
}

/** A value in a query, with the names that lead to it: text, or a list. */
interface Leaf {
  readonly path: readonly string[]
  readonly value: unknown
}

/** A part of a query that changes: its pairs, and its value before and after; undefined for none. */
interface ChangedPart {
  readonly own: readonly (Pick<ReadPair, 'index' | 'raw'> & { readonly value: unknown })[]
  readonly from: Leaf | undefined
  readonly to: Leaf | undefined
}

/** Lists the changed values of a parameter. Each has its own pairs, unless a pair alone is something else than among the others. */
function changedParts(name: string, own: readonly ReadPair[], before: Values, after: Values): ChangedPart[] {
  const [old, made] = [leavesIn(only(name, before)), leavesIn(only(name, after))]
  const pairs = own.map(({ alone, ...pair }) => ({ ...pair, leaves: [...leavesIn(alone)] }))
  if (pairs.some(({ leaves }) => leaves.length !== 1 || !old.has((leaves[0] as KeyedLeaf)[0]))) {
    const to = Object.hasOwn(after, name) ? { path: [name], value: after[name] } : undefined
    return [{ own: own.map(({ alone, ...pair }) => ({ ...pair, value: alone[name] })), from: undefined, to }]
  }
  const owned = grouped(
    pairs.map(({ leaves, ...pair }) => {
      const [key, { value }] = leaves[0] as KeyedLeaf
      return [key, { ...pair, value }] as const
    }),
  )
  const keys = new Set([...old.keys(), ...made.keys()])
  const parts = [...keys].map((key) => ({ own: owned.get(key) ?? [], from: old.get(key), to: made.get(key) }))
  return parts.filter(({ from, to }) => !isSame(from, to))
}

/** Writes the new pairs of a part. Where an item was sent, its pair stays byte for byte; other items of a list get its name. */
function pairsOf({ own, from, to }: ChangedPart): string[] {
  if (to === undefined) return []
  const names = new Set(own.map(({ raw }) => nameIn(raw)))
  // Such as `id[]`. Some programs take `id` for one value.
  const areTexts = [from?.value, to.value].every((one) => itemsOf(one)?.every((item) => typeof item !== 'object'))
  const [listName] = names.size === 1 && areTexts ? names : []
  const written = (value: unknown) =>
    listName === undefined
      ? textsOf(to.path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value))
      : textsOf({ [listName]: value })
  const spare = grouped(
    own.flatMap(({ raw, value }) => {
      const texts = written(value)
      return texts.length === 1 && nameIn(texts[0] as string) === nameIn(raw)
        ? [[texts[0] as string, raw] as const]
        : []
    }),
  )
  return written(itemsOf(to.value) ?? to.value).map((text) => spare.get(text)?.shift() ?? text)
}

/** Writes a query as pairs. */
function textsOf(query: unknown): string[] {
  const text = appendQueryAndHash('', { query: query as LinkQuery }).slice(1)
  return text === '' ? [] : text.split('&')
}

type KeyedLeaf = readonly [key: string, leaf: Leaf]

/** Lists the texts and lists in a value, each by the names that lead to it. */
function leavesIn(value: unknown): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>()
  const visit = (value: unknown, path: readonly string[]) => {
    const names = isRecord(value) && itemsOf(value) === undefined ? Object.keys(value) : []
    if (names.length === 0 && path.length > 0) leaves.set(JSON.stringify(path), { path, value })
    for (const name of names) visit((value as Values)[name], [...path, name])
  }
  visit(value, [])
  return leaves
}

/** Returns one parameter of a query. */
function only(name: string, values: Values): Values {
  return Object.hasOwn(values, name) ? Object.fromEntries([[name, values[name]]]) : {}
}

/** Tells whether two values are written alike: a number is its text. */
function isSame(one: object | undefined, other: object | undefined): boolean {
  return isDeepStrictEqual(asTexts(one), asTexts(other))
}

function asTexts(value: object | undefined): unknown {
  const asText = (_name: string, part: unknown) =>
    typeof part === 'object' || part === undefined ? part : String(part)
  return JSON.parse(JSON.stringify(value ?? {}, asText))
}
