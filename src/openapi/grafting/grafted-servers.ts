// The servers of a given document in a version: where their URLs have the version, they have this one.
import { withoutTrailingSlashes } from '../../routes/pattern'
import { isObject } from '../../schemas/model'
import { isHost } from '../../schemes/carriers'
import type { Surveyor } from '../../survey/survey'
import { hostedOrigin } from '../servers'

const URL_PARTS = /^((?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?)([^?#]*)(.*)$/is

/** Returns the servers with the version in their paths or hosts. */
export function serversIn(surveyor: Surveyor, servers: unknown, version: string, byHost: boolean): unknown {
  const { scheme } = surveyor.options
  const isHosted = scheme.carriers(version).some(isHost)
  if (!Array.isArray(servers) || !(surveyor.isVersioned || isHosted)) return servers
  const versions = scheme.acceptedVersions.filter((one) => one !== null)
  const written = (one: string) => textOf(surveyor.mountIn(one))
  const template = textOf(surveyor.mount)
  const starts = [template, ...versions.map(written)].toSorted((a, b) => b.length - a.length)
  const inPath = (path: string) => {
    const plain = withoutTrailingSlashes(path)
    const start = starts.find((one) => plain.endsWith(one)) ?? ''
    return plain.slice(0, plain.length - start.length) + written(version)
  }
  return servers.map((server) => {
    if (!isObject(server) || typeof server.url !== 'string') return server
    const [, origin, path, rest] = URL_PARTS.exec(server.url) as unknown as [string, string, string, string]
    const hosted = isHosted && origin !== '' ? hostedOrigin(origin, version, byHost) : undefined
    return { ...server, url: `${hosted ?? origin}${surveyor.isVersioned ? inPath(path) : path}${rest}` }
  })
}

/** Writes a mount as servers have it. */
function textOf(mount: Surveyor['mount']): string {
  return mount.map((part) => (typeof part === 'string' ? part : `{${part.name}}`)).join('')
}
