// The label of a request's consumer in metrics.
import type { Request, Response } from 'express'
import { badOption, listOption } from '../util/options'
import { inspected } from '../util/text'
import { isThenable } from '../util/thenable'

/** Tells who sent a request. */
export type ConsumerOf = (req: Request, res: Response) => unknown

/** The known consumers: a list, or a function that knows them. */
export type KnownConsumers = Iterable<string> | ((consumer: string) => boolean)

/** The label of consumers that are not known. */
export const OTHER = 'other'

/** The labels of consumers. */
export interface ConsumerLabels {
  /** The form in which the known consumers are given. */
  readonly source: 'list' | 'function'
  /** The labels that are known from the start. */
  readonly listed: readonly string[]
  /** Tells whether there were more consumers than are told apart. */
  readonly isLimited: () => boolean
  /** Returns the label of the consumer of a request with its response. */
  readonly of: (req: Request, res: Response) => string
  /** Returns the label of the consumer that a function returns. */
  readonly labelOf: (consumer: () => unknown) => string
}

/** Makes the labels of consumers. Errors of the given functions break nothing. */
export function consumerLabels(
  owner: string,
  consumerOf: unknown,
  consumers: unknown,
  limit: unknown = 1000,
): ConsumerLabels {
  if (typeof consumerOf !== 'function')
    throw badOption(owner, 'consumer', 'a function of request and response', consumerOf)
  if (!Number.isSafeInteger(limit) || (limit as number) < 1)
    throw badOption(owner, 'maxConsumers', 'a whole number from 1', limit)
  const { isKnown, listed } = knownBy(owner, consumers)
  const seen = new Set(listed)
  let isLimited = false
  // A list has its length from the start. A function may know consumers without end.
  const told = (consumer: string) => {
    if (listed !== undefined || seen.has(consumer)) return consumer
    isLimited ||= seen.size >= (limit as number)
    if (isLimited) return OTHER
    seen.add(consumer)
    return consumer
  }
  if (listed !== undefined && listed.length > (limit as number)) warnOfMany(owner, listed.length)
  let warned = false
  const warn = (error: unknown) => {
    if (warned) return
    warned = true
    process.emitWarning(
      'A function about consumers, given to versionMetrics(), failed; its requests count as "other".',
      {
        code: 'EXPRESS_VERSIONING_LISTENER',
        detail: inspected(error),
      },
    )
  }
  const awaited = (value: unknown): unknown => {
    if (!isThenable(value)) return value
    // Nobody else handles a rejection, which would end the process.
    value.then(undefined, () => {})
    throw new TypeError('Functions about consumers return values, not promises.')
  }
  const labelOf = (asked: () => unknown) => {
    try {
      const consumer = awaited(asked())
      if (consumer === undefined || consumer === null || consumer === '') return ''
      return awaited(isKnown(String(consumer))) ? told(String(consumer)) : OTHER
    } catch (error) {
      warn(error)
      return OTHER
    }
  }
  return {
    source: listed === undefined ? 'function' : 'list',
    listed: listed ?? [],
    isLimited: () => isLimited,
    of: (req, res) => labelOf(() => consumerOf(req, res)),
    labelOf,
  }
}

function warnOfMany(owner: string, count: number): void {
  process.emitWarning(
    `${owner}: "consumers" has ${count} names. Each has several series for each version, in each process. List those who matter; others count as "${OTHER}".`,
    { code: 'EXPRESS_VERSIONING_METRICS' },
  )
}

/** Returns the function that knows consumers, and the list, if it is one. */
function knownBy(owner: string, consumers: unknown): { isKnown(consumer: string): unknown; listed?: string[] } {
  if (typeof consumers === 'function') return { isKnown: (consumer) => consumers(consumer) }
  const takes =
    'a list of consumers, or a function that tells whether a string is one of them; clients must not choose labels'
  const known = new Set(listOption(owner, 'consumers', consumers, takes).map(String))
  return { isKnown: (consumer) => known.has(consumer), listed: [...known] }
}
