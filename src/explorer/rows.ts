// The rows of the page: which operations share a row, and its name.
import { joinPaths } from '../routes/table'
import type { Operation } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import { ALL_METHODS, partsOf } from '../util/operation'

/** A row of the page: one operation, or the same operation in the namespaces of several versions. */
export interface Row {
  readonly method: string
  readonly name: string
  readonly path: string
  readonly group: string
  /** The operations. Each version has at most one of them. */
  readonly operations: readonly Operation[]
}

/** The name of the version's segment, where the operations of a row differ in it. */
const VERSION = ':version'

/** Sorts operations into rows. Rows of one group stand together, and within it those of one name. */
export function rowsOf(
  operations: readonly Operation[],
  versions: readonly SurveyedVersion[],
  mountPattern: string,
): Row[] {
  const order = new Map(versions.map(({ version }, index) => [version, index]))
  const newest = ({ served }: Operation) =>
    Math.max(-1, ...[...served.keys()].map((version) => order.get(version) as number))
  const rows = folded(operations).map((ones): Row => {
    const operations = ones.toSorted((a, b) => newest(a) - newest(b))
    const { method, namespaces, name } = operations[0] as Operation
    return {
      method,
      name: [...namespaces, name].join(':'),
      path: joinPaths(mountPattern, pathOf(operations)) || '/',
      group: namespaces.join(':'),
      operations,
    }
  })
  const named = grouped(rows, ({ name }) => name).flatMap(allAsOne)
  return grouped(named, ({ group }) => group).flat()
}

/** Groups the operations of each row. Operations that differ only in the version's namespace share a row. */
function folded(operations: readonly Operation[]): Operation[][] {
  const likely = grouped(operations, (operation) => {
    const { method, namespaces, name } = operation
    return JSON.stringify([method, namespaces, name, versionNamespace(operation) === undefined])
  })
  return likely.flatMap((ones) => {
    const rows: Operation[][] = []
    for (const operation of ones) {
      const row = rows.find((row) => row.every((other) => isBeside(operation, other)))
      if (row === undefined) rows.push([operation])
      else row.push(operation)
    }
    return rows
  })
}

function isBeside(one: Operation, other: Operation): boolean {
  if (versionNamespace(one) === versionNamespace(other)) return false
  return [...one.served.keys()].every((version) => !other.served.has(version))
}

/** Returns the namespace of the view name that the survey took for a version's. */
function versionNamespace({ viewName, namespaces }: Operation): string | undefined {
  const parts = partsOf(viewName).slice(0, -1)
  return parts.length === namespaces.length ? undefined : parts.find((part, index) => part !== namespaces[index])
}

/** Joins the methods of one `.all()` into one row, if all are there and served alike. */
function allAsOne(rows: readonly Row[]): Row[] {
  return grouped(rows, alike).flatMap((ones) => {
    const [first] = ones as [Row]
    return isFromAll(first) && ones.length >= ALL_METHODS.length
      ? [{ ...first, method: 'ALL', operations: ones.flatMap(({ operations }) => operations) }]
      : ones
  })
}

function isFromAll({ operations }: Row): boolean {
  return operations.every(({ fromAll }) => fromAll)
}

/** Returns a key that rows of one `.all()` share if they are served alike. */
function alike(row: Row): string {
  if (!isFromAll(row)) return row.method
  return JSON.stringify(
    row.operations.map(({ viewName, served, description }) => {
      const versions = Object.entries(description?.versions ?? {})
      const deprecated = versions.map(([version, said]) => [version, said?.deprecated])
      return [viewName, [...served], description?.deprecated, deprecated]
    }),
  )
}

/** Groups items by key, in the order in which the keys first occur. */
function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const found = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const others = found.get(key)
    if (others === undefined) found.set(key, [item])
    else others.push(item)
  }
  return [...found.values()]
}

/** Returns the pattern of a row. The operations are in the order of their versions. */
function pathOf(operations: readonly Operation[]): string {
  const newest = operations.at(-1) as Operation
  const paths = operations.map((operation) => ({
    segments: operation.pattern.split('/'),
    version: versionNamespace(operation),
  }))
  const segments = newest.pattern.split('/')
  const differing = segments.flatMap((segment, index) =>
    paths.some((path) => path.segments[index] !== segment) ? [index] : [],
  )
  const [at = -1] = differing
  const isVersion =
    differing.length === 1 &&
    paths.every((path) => path.segments.length === segments.length && path.segments[at] === path.version)
  return isVersion ? segments.with(at, VERSION).join('/') : newest.pattern
}
