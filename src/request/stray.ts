// Tells which strings in the version's place of an optional prefix are no versions.
import type { Request } from 'express'
import { VersioningError } from '../errors'
import type { PrefixQuestion } from '../registry'
import type { RouteParams } from '../types'
import { isThenable } from '../util/thenable'
import type { Scheme } from './state'

/**
 * Returns the test of a scheme; `undefined` if the scheme does not read parameters of the path, or accepts every
 * version. A scheme that waits is not told in time: there no text is stray.
 */
export function strayTest(scheme: Scheme): PrefixQuestion['isStray'] {
  const readers = scheme.routeReaders.filter(({ carriedIn }) => carriedIn !== 'namespace')
  if (readers.length === 0 || scheme.acceptedVersions.length === 0) return undefined
  return (params, req) => readers.some((reader) => rejects(reader, req, params))
}

/** Tells whether a scheme rejects parameters as it rejects a version that is not accepted. */
function rejects(scheme: Scheme, req: Request, params: RouteParams): boolean {
  try {
    const named = scheme.named(req, params, { viewName: null, namespaces: [], namespace: '', params })
    // Nobody else handles this promise, and an unhandled rejection ends the process.
    if (isThenable(named)) named.then(undefined, () => {})
    return false
  } catch (error) {
    return error instanceof VersioningError && error.code === scheme.invalidVersion().code
  }
}
