import type { Surveyor } from '../survey/survey'
import type { PathPart } from '../types'

/** Where the operations of a version stand: `url` and a path of the document make the true URL. */
export interface Server {
  readonly url: string
  /** How much of a path from the host on the url has. */
  readonly prefix: string
}

/**
 * The server of a version's document: the origin, what a proxy takes off, and the mount as far as it has no parameters.
 *
 * @param byHost whether the host is all that says the version.
 */
export function serverOf(surveyor: Surveyor, version: string, byHost: boolean): Server {
  const { origin, publicPath = '', scheme } = surveyor.options
  const prefix = fixedStart(surveyor.mountIn(version))
  const carrier = scheme.carriers(version).find((candidate) => candidate.in === 'host')
  const hosted = origin === undefined || carrier === undefined ? origin : hostedOrigin(origin, version, byHost)
  return { url: `${hosted ?? ''}${publicPath}${prefix}` || '/', prefix }
}

/** The segments in front of the first parameter. */
function fixedStart(mount: readonly PathPart[]): string {
  const at = mount.findIndex((part) => typeof part !== 'string')
  const text = (at === -1 ? mount : mount.slice(0, at)).join('')
  return at === -1 ? text : text.slice(0, text.lastIndexOf('/'))
}

const LABEL = /^[a-z0-9]+$/

/** An origin with the version as the first of three labels; `undefined` for one that has no place for it. */
function hostedOrigin(origin: string, version: string, byHost: boolean): string | undefined {
  const { protocol, hostname, host } = new URL(origin)
  const labels = hostname.split('.')
  // A URL's host is lower case, whatever the version is.
  const fits = LABEL.test(version) && labels.every((label) => LABEL.test(label))
  if (fits && labels.length === 3) return `${protocol}//${version}${host.slice((labels[0] as string).length)}`
  if (!byHost) return origin
  return fits && labels.length === 2 ? `${protocol}//${version}.${host}` : undefined
}
