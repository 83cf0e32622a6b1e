// The label of a request's consumer in metrics.
import type { Request, Response } from 'express'
import { inspected } from '../util/inspected'
import { badOption, listOption } from '../util/options'
import { isThenable } from '../util/thenable'

/** Tells who sent a request. */
export type ConsumerOf = (req: Request, res: Response) => unknown

/** The known consumers: a list, or a function that knows them. */
export type KnownConsumers = Iterable<string> | ((consumer: string) => boolean)

/** The label of consumers that are not known. */
const OTHER = 'other'

/** Returns the function that labels the consumer of a request with its response. Its errors and those of the options break nothing. */
export function consumerLabels(
  owner: string,
  consumerOf: unknown,
  consumers: unknown,
): (req: Request, res: Response) => string {
  if (typeof consumerOf !== 'function')
    throw badOption(owner, 'consumer', 'a function of request and response', consumerOf)
  const isKnown = knownBy(owner, consumers)
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
  return (req, res) => {
    try {
      const consumer = awaited(consumerOf(req, res))
      if (consumer === undefined || consumer === null || consumer === '') return ''
      return awaited(isKnown(String(consumer))) ? String(consumer) : OTHER
    } catch (error) {
      warn(error)
      return OTHER
    }
  }
}

function knownBy(owner: string, consumers: unknown): (consumer: string) => unknown {
  if (typeof consumers === 'function') return (consumer) => consumers(consumer)
  const takes =
    'a list of consumers, or a function that tells whether a string is one of them; clients must not choose labels'
  const known = new Set(listOption(owner, 'consumers', consumers, takes).map(String))
  return (consumer) => known.has(consumer)
}
