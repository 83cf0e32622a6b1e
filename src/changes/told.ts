// The changes of a history in the words of its clients: what each says of operations and of shapes.
import type { ListedChange } from '../bound-changes'
import type { ListedOperation, ListedPart } from '../types'
import { ALL, parseOperation } from '../util/operation'
import type { Entry } from './describe/change'
import { sentencesOf } from './describe/fields/sentences'
import type { BoundHistory } from './timeline/bound-history'
import type { ReleasedChange } from './timeline/operation-changes'

/** The parts of operations, and the step of each. */
const STEPS = { query: 'query', body: 'request', response: 'response', error: 'error', item: 'item' } as const

/**
 * Lists the changes of a version, oldest first, and those of the versions between the one before and itself.
 *
 * @param before the accepted version before; undefined for none.
 */
export function toldChanges(history: BoundHistory, version: string, before: string | undefined): ListedChange[] {
  const { changes, positions, versions } = history
  const own = positions.get(version) as number
  const last = positions.get(before as string) ?? own
  const isOwn = ({ versionIndex }: ReleasedChange) =>
    versionIndex === own || (versionIndex > last && versionIndex < own)
  return changes.all.flatMap((change, index) =>
    isOwn(change)
      ? {
          number: index + 1,
          // The oldest version of a history has no changes.
          olderVersion: (last < own ? before : versions[own - 1]) as string,
          description: change.description,
          shapes: shapesOf(history, change, index),
          operations: [...change.entries].map(([key, entry]) => operationOf(history, change, key, entry)),
        }
      : [],
  )
}

function shapesOf({ shapes }: BoundHistory, change: ReleasedChange, index: number): ListedChange['shapes'] {
  return (shapes?.placesOf(index) ?? []).map(({ name, operations, isSent, isReceived }) => {
    const shape = change.shapes.get(name)
    const requires = (property: string) => shapes?.requires(name, property, index) === true
    const sentences =
      shape !== undefined && 'changes' in shape
        ? sentencesOf(shape.changes, { isSent, isReceived, requires }, change.description)
        : [change.description]
    return { name, operations, isReceived, sentences }
  })
}

function operationOf(history: BoundHistory, change: ReleasedChange, key: string, entry: Entry): ListedOperation {
  const { mark, path } = entry
  const parts = partsOf(change.description, entry)
  const kind = mark ?? (path === undefined ? 'changed' : 'moved')
  if (key === ALL) return { method: ALL, viewNames: [], kind, olderPath: undefined, parts }
  const { method, viewName } = parseOperation('changes', key)
  return { method, viewNames: history.names.routesOf(viewName), kind, olderPath: path, parts }
}

function partsOf(description: string, { steps, older, head }: Entry): ListedPart[] {
  const bodies = Object.entries(STEPS).flatMap(([part, step]) => {
    const isSaid = steps[step] !== undefined || older?.[part as keyof typeof older] !== undefined
    return isSaid ? [{ part: part as ListedPart['part'], sentences: [description] }] : []
  })
  const statuses = [...(head?.status ?? [])].map(([newer, older]) => ({
    part: 'status' as const,
    sentences: [`${newer} instead of ${older}.`],
    statuses: { older, newer },
  }))
  const fields = [...(head?.headers.values() ?? [])].map(({ name, step }) =>
    step === null ? `Responses have the header field \`${name}\`.` : description,
  )
  const headers = fields.length === 0 ? [] : [{ part: 'headers' as const, sentences: [...new Set(fields)] }]
  return [...bodies, ...statuses, ...headers]
}
