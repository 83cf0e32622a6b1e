// The operations that documents have at other paths.
import { grouped } from '../../util/collections'
import { operationChange, parametersIn } from './operation-drafts'
import { lonePairs } from './proposals'
import { type DocumentView, isSuccess, type OperationView, type SchemaSettings, shapeIn } from './view'

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
      const moves = movesOf(view, newer, views.slice(0, index + 1), settingsOf(view, newer))
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
function movesOf(
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
