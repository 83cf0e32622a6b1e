// The servers of a document: where the operations of a version start.

import type { PathPart } from '../registry'
import { isHost } from '../schemes/carriers'
import type { Surveyor } from '../survey/survey'
import { versionPlace } from '../survey/versions'

/** The server of a version. `url` and a path of the document make the full URL. */
export interface Server {
  readonly url: string
  /** The start of paths that the URL already has. */
  readonly prefix: string
}

/**
 * Returns the server of a version's document: the origin, the path that a proxy removes, and the mount up to its first
 * parameter.
 *
 * @param byHost `true` if only the host carries the version.
 */
export function serverOf(surveyor: Surveyor, version: string, byHost: boolean): Server {
  const { origin, publicPath = '', scheme } = surveyor.options
  const prefix = fixedStart(surveyor.mountIn(version))
  const carrier = scheme.carriers(version).find(isHost)
  const hosted = origin === undefined || carrier === undefined ? origin : hostedOrigin(origin, version, byHost)
  return { url: `${hosted ?? ''}${publicPath}${prefix}` || '/', prefix }
}

/** Returns the segments before the first parameter. */
function fixedStart(mount: readonly PathPart[]): string {
  const at = mount.findIndex((part) => typeof part !== 'string')
  const text = (at === -1 ? mount : mount.slice(0, at)).join('')
  return at === -1 ? text : text.slice(0, text.lastIndexOf('/'))
}

/** Returns an origin with the version in its host; `undefined` if the host has no place for it. */
export function hostedOrigin(origin: string, version: string, byHost: boolean): string | undefined {
  // URLs have their host in lower case; versions may be in any case.
  const place = /^[a-z0-9]+$/.test(version) ? versionPlace(origin) : undefined
  if (place?.isTaken) return place.filled(version)
  return byHost ? place?.filled(version) : origin
}
