// The changes of operations from a document to the next one, and the operations that it has at other paths.
import { oddKeyword } from '../../changes/describe/fields/field-schemas'
import { isBodyless } from '../../http/representation'
import { templateOf } from '../../openapi/given/templates'
import { aloneChainOf, resolveOwn } from '../../schemas/graph'
import { isKeyword } from '../../schemas/keywords'
import type { SchemaReading } from '../../schemas/model'
import { grouped } from '../../util/collections'
import { type Literal, nameOf, noted, step, todo } from './draft-text'
import { bare, lonePairs, pairsOf, sideOf } from './proposals'
import { type Content, type DocumentView, isSuccess, type OperationView, type SchemaSettings, shapeIn } from './view'

type Entries = Record<string, Literal>

/** A response of both documents, by its status in each. */
type Matched = readonly [newer: string, older: string]

const NO_QUERY: SchemaReading = { schema: { type: 'object', properties: {} }, definitions: new Map() }

/** Makes the change of an operation that both documents have; without entries if there is none. */
export function operationChange(
  name: string,
  older: OperationView,
  newer: OperationView,
  { same, written }: SchemaSettings,
): { readonly change: Entries; readonly unsaid: readonly string[] } {
  const change: Entries = {}
  const said: Entries = {}
  const unsaid: string[] = []
  if (shapeIn(older.path) !== shapeIn(newer.path)) {
    const path = pathIn(older, newer)
    change.path = older.isGuess === true ? noted(`A guess: it is ${newer.path} now.`, path) : path
  }
  if (pathIn(older, newer) !== older.path) unsaid.push(`the path ${older.path} is ${newer.path} now`)
  const { matched, status, only } = matchedStatuses(older, newer)
  if (status !== undefined) change.status = status
  unsaid.push(...only.map(([one, which]) => `only the ${which} document has the response ${one} of ${name}`))
  const isSameBody =
    older.body === null || newer.body === null ? older.body === newer.body : same(older.body, newer.body)
  if (!isSameBody) {
    change.request = stepOf('body', newer.body, older.body, 'request')
    said.body = older.body === null ? null : written(older.body)
  }
  const [before, after] = [older.query ?? NO_QUERY, newer.query ?? NO_QUERY]
  if (!same(before, after)) {
    change.query = stepOf('query', after, before, 'request')
    said.query = written(before)
  }
  for (const [kind, isKind] of [
    ['response', isSuccess],
    ['error', isError],
  ] as const) {
    const pairs = matched.filter(([newest]) => isKind(newest))
    const different = pairs.filter((pair) => !isStreamAlone(newer, pair[0]) && differs(pair))
    if (different.length === 0) continue
    change[kind] = responseStep(kind, different)
    said[kind] = Object.fromEntries(
      pairs.flatMap(([, oldest]) => {
        const content = older.responses.get(oldest) as Content
        return content === null && older.items.get(oldest) ? [] : [[oldest, writtenContent(content)]]
      }),
    )
  }
  for (const pair of matched) {
    const [newest] = pair
    if (!isSuccess(newest) && !isError(newest) && differs(pair)) {
      unsaid.push(`the response ${newest} of ${name} has changed`)
    }
  }
  const item = itemChange()
  if (typeof item === 'string') unsaid.push(item)
  else if (item !== undefined) [change.item, said.item] = item
  if (Object.keys(said).length > 0) change.older = said
  return { change, unsaid }

  /**
   * Makes the step of the items of an operation's streams, and their older schema. A change says one for all streams.
   *
   * @returns a sentence if it cannot say them; undefined if they are the same.
   */
  function itemChange(): readonly [step: Literal, older: Literal] | string | undefined {
    const streams = matched.flatMap(([newest, oldest]) => {
      const [before, after] = [older.items.get(oldest), newer.items.get(newest)]
      const types = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])
      return [...types].map((type) => ({ status: newest, before: before?.get(type), after: after?.get(type) }))
    })
    const isSame = ({ before, after }: (typeof streams)[number]) =>
      before !== undefined && after !== undefined && same(before, after)
    const [first] = streams.filter((stream) => !isSame(stream))
    if (first === undefined) return undefined
    const { before, after } = first
    const isLikeFirst = ({ status, ...other }: (typeof streams)[number]) =>
      isSuccess(status) && other.before !== undefined && same(other.before, before as SchemaReading)
    if (before === undefined || after === undefined || !streams.every(isLikeFirst)) {
      return `the items of ${name} have changed`
    }
    return [stepOf('item', after, before, 'response'), written(before)]
  }

  function differs([newest, oldest]: Matched): boolean {
    const [before, after] = [older.responses.get(oldest) as Content, newer.responses.get(newest) as Content]
    // A body that a status without one cannot have is left out.
    if (before === null && isBodyless(Number(oldest))) return false
    if (before === null || after === null) return before !== after
    return (
      before.size !== after.size ||
      [...before].some(([type, reading]) => !after.has(type) || !same(reading, after.get(type) as SchemaReading))
    )
  }

  function writtenContent(content: Content): Literal {
    if (content === null) return null
    const only = content.size === 1 ? content.get('application/json') : undefined
    if (only !== undefined) return written(only)
    return { content: Object.fromEntries([...content].map(([one, schema]) => [one, written(schema)])) }
  }

  function responseStep(kind: 'response' | 'error', different: readonly Matched[]): Literal {
    const [[newest, oldest], ...others] = different as [Matched, ...Matched[]]
    const [before, after] = [older.responses.get(oldest), newer.responses.get(newest)]
    const isOnly =
      others.length === 0 &&
      [...newer.responses.keys()].filter((one) => isSuccess(one) === isSuccess(newest)).length === 1
    if (kind === 'response' && isOnly && before?.size === 1 && after?.size === 1) {
      const [from, to] = [[...after.values()][0], [...before.values()][0]] as [SchemaReading, SchemaReading]
      return stepOf(`response ${newest}`, from, to, 'response')
    }
    return todo(`${name}: make the older body of ${different.map(([status]) => status).join(', ')}`)
  }

  /** Makes a step that leaves properties out where that is all; else one that somebody has to write. */
  function stepOf(
    part: string,
    after: SchemaReading | null,
    before: SchemaReading | null,
    direction: 'request' | 'response',
  ): Literal {
    const isRequest = direction === 'request'
    const moves =
      before === null || after === null
        ? undefined
        : isRequest
          ? movesOf(before, after, same)
          : movesOf(after, before, (one, other) => same(other, one))
    if (moves === undefined) {
      const [made, given] = isRequest ? ['newer', 'older'] : ['older', 'newer']
      return todo(`${name}: make the ${made} ${part} of the ${given} one`)
    }
    const { dropped, renamed } = moves
    const names = [...dropped, ...renamed.keys()]
    if (names.length === 0) return step('(value) => value')
    const taken = names.map((one, index) => `${nameOf(one)}: _${index}`).join(', ')
    if (renamed.size === 0) return step(`({ ${taken}, ...others }) => others`)
    const given = [...renamed].map(
      ([one, other]) => `...(_${names.indexOf(one)} !== undefined && { ${nameOf(other)}: _${names.indexOf(one)} })`,
    )
    const made = step(`({ ${taken}, ...others }) => ({ ...others, ${given.join(', ')} })`)
    const pairs = [...renamed].map(([one, other]) => `"${one}" and "${other}"`).join(', ')
    return noted(`A guess: ${pairs} are the only ones of their kind.`, made)
  }
}

/** Tells whether a response is nothing but streams, which no step gets as a whole. */
function isStreamAlone({ responses, items, isStreaming }: OperationView, status: string): boolean {
  return responses.get(status) === null && (items.get(status) !== null || (isStreaming && isSuccess(status)))
}

/** Returns the older path with the newer names of its parameters: a history has one name for each. */
function pathIn(older: OperationView, newer: OperationView): string {
  const [was, is] = [older, newer].map(parametersIn) as [string[], string[]]
  const gone = was.filter((name) => !is.includes(name))
  const brought = is.filter((name) => !was.includes(name))
  const named = (name: string) => brought[gone.indexOf(name)] ?? name
  return older.path.replace(/\{([^{}]+)\}/g, (_, name: string) => `{${named(name)}}`)
}

/** Lists the names of the parameters in a path. */
function parametersIn({ path }: OperationView): string[] {
  return templateOf(path)
    .segments.flat()
    .flatMap((part) => (typeof part === 'string' ? [] : part.name))
}

function isError(status: string): boolean {
  return /^[45]|default/.test(status)
}

/** Matches the statuses of two documents. If each has one success that the other lacks, it is the same response. */
function matchedStatuses(older: OperationView, newer: OperationView) {
  const both = [...newer.responses.keys()].filter((status) => older.responses.has(status))
  const gone = [...older.responses.keys()].filter((status) => !newer.responses.has(status))
  const brought = [...newer.responses.keys()].filter((status) => !older.responses.has(status))
  const isOne = (status: string) => /^2\d\d$/.test(status)
  const [[from, ...moreGone], [to, ...moreBrought]] = [gone.filter(isOne), brought.filter(isOne)]
  const isMoved = from !== undefined && to !== undefined && moreGone.length + moreBrought.length === 0
  const others = (list: readonly string[], which: string) =>
    list.filter((status) => !isMoved || (status !== from && status !== to)).map((status) => [status, which] as const)
  return {
    matched: [...both.map((status): Matched => [status, status]), ...(isMoved ? [[to, from] as Matched] : [])],
    status: isMoved ? noted(`A guess: ${to} was ${from}.`, { [to]: Number(from) }) : undefined,
    only: [...others(gone, 'older'), ...others(brought, 'newer')],
  }
}

/**
 * Returns the names that a step leaves out of an object, and those that it changes; undefined if more is to do.
 *
 * @param from the side that the value comes from.
 */
function movesOf(
  from: SchemaReading,
  to: SchemaReading,
  same: (given: SchemaReading, wanted: SchemaReading) => boolean,
) {
  const [a, b] = [from, to].map(objectOf)
  if (a === undefined || b === undefined || !same(bare(a, isOfProperties), bare(b, isOfProperties))) return undefined
  const [given, wanted] = [sideOf(a), sideOf(b)]
  const isSame = (one: string, other: string) =>
    same(given.properties.get(one) as SchemaReading, wanted.properties.get(other) as SchemaReading)
  const gone = [...given.properties.keys()].filter((name) => !wanted.properties.has(name))
  const brought = [...wanted.properties.keys()].filter((name) => !given.properties.has(name))
  const renamed = new Map(pairsOf(gone, brought, isSame).map((pair) => [pair.from, pair.to]))
  const kept = [...given.properties.keys()].filter((name) => wanted.properties.has(name))
  const there = new Set([...given.required].map((name) => renamed.get(name) ?? name))
  if (!kept.every((name) => isSame(name, name)) || [...wanted.required].some((name) => !there.has(name)))
    return undefined
  // What was sent under a name that only the other side has must not be taken for it.
  return { dropped: [...gone.filter((name) => !renamed.has(name)), ...brought], renamed }
}

function isOfProperties(keyword: string): boolean {
  return keyword === 'properties' || keyword === 'required'
}

/** Returns the schema of a plain object. */
function objectOf(reading: SchemaReading): SchemaReading | undefined {
  const counts = (keyword: string) => !isKeyword(keyword, 'text')
  const found = aloneChainOf(reading, resolveOwn, counts).at(-1) as SchemaReading
  const isPlain = oddKeyword(found.schema) === undefined && ![found.schema.type].flat().includes('null')
  return isPlain ? found : undefined
}

/** The key of an operation in the next document, and whether it is a guess. */
interface Move {
  readonly to: string
  readonly isGuess: boolean
}

/**
 * Gives operations that have moved one key in all documents: that of the newest document that has them. An operation has moved
 * if its path is another one, and its `operationId` stayed; or its method, its schemas and all but one segment of its path.
 *
 * @param views the documents, oldest first.
 */
export function withMoved(
  views: readonly DocumentView[],
  settingsOf: (older: DocumentView, newer: DocumentView) => SchemaSettings,
): DocumentView[] {
  const made: DocumentView[] = []
  for (const [index, view] of [...views.entries()].reverse()) {
    const newer = made[0]
    if (newer === undefined) made.unshift(view)
    else {
      const moves = keysMoved(view, newer, views.slice(0, index + 1), settingsOf(view, newer))
      const operations = [...view.operations].map(([key, operation]): [string, OperationView] => {
        const { to = key, isGuess = false } = moves.get(key) ?? {}
        return [to, { ...operation, isGuess }]
      })
      made.unshift({ ...view, operations: new Map(operations) })
    }
  }
  return made
}

/** Returns where the operations of a document are in the next one, by their keys. */
function keysMoved(
  older: DocumentView,
  newer: DocumentView,
  before: readonly DocumentView[],
  settings: SchemaSettings,
): ReadonlyMap<string, Move> {
  const moves = new Map<string, Move>()
  const [was, is] = [keysById(older), keysById(newer)]
  /** Tells whether no other operation of an older document has the path. */
  const isFree = (to: string, id: unknown) =>
    before.every(({ operations }) => {
      const there = operations.get(to)
      return there === undefined || (id !== undefined && there.id === id)
    })
  for (const [id, from] of was) {
    const to = is.get(id)
    const [one, other] = [older.operations.get(from), newer.operations.get(String(to))]
    if (one === undefined || other === undefined || to === undefined || to === from) continue
    if (isFree(to, one.id) && parametersIn(one).length === parametersIn(other).length) {
      moves.set(from, { to, isGuess: false })
    }
  }
  const taken = new Set([...moves.values()].map(({ to }) => to))
  const gone = [...older.operations].filter(([key]) => !newer.operations.has(key) && !moves.has(key))
  const brought = [...newer.operations].filter(([key]) => !taken.has(key) && isFree(key, undefined))
  const candidates = gone.flatMap(([from, one]) =>
    brought.flatMap(([to, other]) => {
      const segment = movedSegment(one, other)
      return segment !== undefined && isAlike(one, other, settings) ? [{ from, to, segment, other }] : []
    }),
  )
  const sure = lonePairs(candidates)
  // A segment that has another name for sure has it elsewhere too.
  const known = new Set(sure.filter(({ other }) => hasMore(other)).map(({ segment }) => segment))
  for (const { from, to, segment } of [...sure, ...candidates]) {
    const isTaken = moves.has(from) || [...moves.values()].some((move) => move.to === to)
    if (!isTaken && known.has(segment)) moves.set(from, { to, isGuess: true })
  }
  return moves
}

/** Returns the keys of the operations that have an `operationId` of their own. */
function keysById({ operations }: DocumentView): ReadonlyMap<string, string> {
  const named = [...operations].filter(([, { id }]) => id !== undefined)
  const keys = grouped(named.map(([key, { method, id }]) => [`${method} ${id}`, key] as const))
  return new Map([...keys].flatMap(([id, [key, ...others]]) => (others.length === 0 ? [[id, key as string]] : [])))
}

/** Returns the segment that alone differs in the paths of two operations of one method, as it was and is. */
function movedSegment(one: OperationView, other: OperationView): string | undefined {
  const [was, is] = [one, other].map(({ path }) => shapeIn(path).split('/')) as [string[], string[]]
  if (one.method !== other.method || was.length !== is.length) return undefined
  const [[from, to] = [], ...others] = was.map((text, index) => [text, is[index]]).filter(([text, now]) => text !== now)
  const isOne = others.length === 0 && from?.split('{}').length === to?.split('{}').length
  return isOne ? `${from} ${to}` : undefined
}

function isAlike(one: OperationView, other: OperationView, settings: SchemaSettings): boolean {
  const { change, unsaid } = operationChange('', one, { ...other, path: one.path }, settings)
  return Object.keys(change).length === 0 && unsaid.length === 0
}

/** Tells whether an operation has anything that tells it apart, beside a segment: other segments, or schemas. */
function hasMore({ path, body, responses, items }: OperationView): boolean {
  const isTold = ([status, content]: [string, unknown]) => isSuccess(status) && content !== null
  return path.split('/').length > 2 || body !== null || [...responses, ...items].some(isTold)
}
