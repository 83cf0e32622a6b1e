// The choice of one address, where several places of the version lead to an operation.

import { decided } from '../routes/pattern'
import type { Address } from './operation-addresses'
import type { Operation, Served } from './surveyed-operation'

/**
 * Leaves the address of the first carrier. It compares the addresses of one route whose path may leave the version out, and those
 * of a table that is included again, below other namespaces or prefixes for the version.
 *
 * @param handlersOf returns the handlers of an operation. Operations with other handlers are others.
 * @returns the operations without those that lost all addresses.
 */
export function withOneAddress(
  operations: readonly Operation[],
  handlersOf: (operation: Operation) => readonly object[],
): Operation[] {
  const ids = new Map<object, number>()
  const groups = new Map<string, Operation[]>()
  const groupOf = (operation: Operation): Operation[] => {
    const handlers = handlersOf(operation).map((handler) => {
      const id = ids.get(handler) ?? ids.size
      ids.set(handler, id)
      return id
    })
    const key = JSON.stringify([operation.method, operation.neutral, operation.name, handlers])
    const group = groups.get(key) ?? []
    groups.set(key, group)
    return group
  }
  const alike = operations.map((operation) => {
    const group = groupOf(operation)
    group.push(operation)
    return { operation, group }
  })
  return alike.flatMap(({ operation, group }) => {
    const served = [...operation.served].flatMap(([version, { addresses, by }]) => {
      const kept = addresses.filter(
        (address) =>
          !group.some((other) => other.served.get(version)?.addresses.some(isBefore(operation, address, other))),
      )
      return kept.length === 0 ? [] : [[version, { addresses: kept, by }] as const]
    })
    if (served.length === 0 && operation.served.size > 0) return []
    return [{ ...operation, pattern: patternOf(operation, served), served: new Map(served) }]
  })
}

/** Returns the pattern of the addresses that are left: an optional place for the version is there in all of them, or in none. */
function patternOf({ pattern, served: before }: Operation, served: readonly (readonly [string, Served])[]): string {
  const parameterIn = (all: Iterable<Served>) =>
    new Set([...all].flatMap(({ addresses }) => addresses.map(({ parameter }) => parameter)))
  const [all, left] = [parameterIn(before.values()), parameterIn(served.map(([, one]) => one))]
  const lost = [...all].filter((parameter) => !left.has(parameter))
  const parameter = [...all].find((one) => one !== undefined)
  return lost.length === 0 || parameter === undefined ? pattern : decided(pattern, parameter, left.has(parameter))
}

/** Returns the test for addresses of another operation, or of the same, that lead to the same place by an earlier carrier. */
function isBefore(operation: Operation, { rank, place }: Address, other: Operation): (rival: Address) => boolean {
  const isNamedAlike = other !== operation && other.namespaces.join(':') === operation.namespaces.join(':')
  return (rival) => rival.rank < rank && (isNamedAlike || rival.place === place)
}
