// The operations that documents have at other paths: their `operationId` stayed.
import { templateOf } from '../../openapi/given/templates'
import type { DocumentView, OperationView } from './view'

/**
 * Gives operations that have moved one key in all documents: that of the newest document that has them. An operation has moved
 * if its `operationId` stayed, its path is another one, and its parameters are the same.
 *
 * @param views the documents, oldest first.
 */
export function withMoved(views: readonly DocumentView[]): DocumentView[] {
  const made: DocumentView[] = []
  for (const [index, view] of [...views.entries()].reverse()) {
    const newer = made[0]
    const keys = newer === undefined ? undefined : movedKeys(view, newer, views.slice(0, index + 1))
    made.unshift(keys === undefined ? view : { ...view, operations: renamed(view.operations, keys) })
  }
  return made
}

function renamed(operations: DocumentView['operations'], keys: ReadonlyMap<string, string>) {
  return new Map([...operations].map(([key, operation]) => [keys.get(key) ?? key, operation]))
}

/** Returns the newer keys of operations that moved from a document to the next one, by their older keys. */
function movedKeys(
  older: DocumentView,
  newer: DocumentView,
  before: readonly DocumentView[],
): ReadonlyMap<string, string> {
  const [was, is] = [keysById(older), keysById(newer)]
  const found = [...was].flatMap(([id, key]): [string, string][] => {
    const target = is.get(id)
    if (target === undefined || target === key) return []
    const [one, other] = [older.operations.get(key), newer.operations.get(target)] as [OperationView, OperationView]
    // Another operation of an older document may have that path.
    const isTaken = before.some(({ operations }) => (operations.get(target) ?? one).id !== one.id)
    return isTaken || parametersIn(one) !== parametersIn(other) ? [] : [[key, target]]
  })
  return new Map(found)
}

/** Returns the keys of the operations that have an `operationId` of their own. */
function keysById({ operations }: DocumentView): ReadonlyMap<string, string> {
  const keys = new Map<string, string[]>()
  for (const [key, { method, id }] of operations) {
    if (id === undefined) continue
    const name = `${method} ${id}`
    keys.set(name, [...(keys.get(name) ?? []), key])
  }
  return new Map([...keys].flatMap(([id, [key, ...others]]) => (others.length === 0 ? [[id, key as string]] : [])))
}

function parametersIn({ path }: OperationView): string {
  const names = templateOf(path)
    .segments.flat()
    .flatMap((part) => (typeof part === 'string' ? [] : part.name))
  return JSON.stringify(names.sort())
}
