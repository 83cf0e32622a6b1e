import type { IncomingHttpHeaders } from 'node:http'
import * as library from 'express-versioning'
import { UNACCEPTABLE, UNUSABLE } from '../../src/http/accept'
import { model as modelAccept } from './accept-model'

// The decision of SPEC.md once more: slow, literal, and without the code under test but for two of its symbols.

/** The settings that a decision depends on. */
export type Rules = { defaultVersion: string | null; allowedVersions: (string | null)[] }

/** The parts of a request that a server reads, and the number of its `Host` lines. */
export type Received = { method?: string; url: string; headers: Fields; hosts?: number }
type Fields = IncomingHttpHeaders | Record<string, string>

/** A version that is served, or a rejection. */
type Verdict = { version: string | null } | 'rejected'

/** The versions in a request: none, an unusable one, or a list. The first accepted version of a list counts. */
type Versions = undefined | 'unusable' | string[]

/** A scheme, the way to serve it, and the literal reading of a request for it. */
export interface SchemeOracle {
  name: string
  options(rules: Rules): library.VersioningOptions
  /** True if the default must be accepted too. */
  checked: boolean
  named(request: Received): Versions
}

const SPEC_HOST = /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/

/** The path of a request target, of which an absolute form (RFC 9112, section 3.2.2) has an authority too. */
const pathOf = (url: string): string => url.replace(/^\w+:\/\/[^/?#]*/, '').split(/[?#]/)[0] as string
const queryOf = (url: string): string => (url.split('#')[0] as string).split('?').slice(1).join('?')

function decodedOrRaw(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The routes of a version in the tables of {@link oracles}; `v9` has some but is never accepted. */
const users = () => library.namedRoutes({ list: '/items', detail: '/items/:id' })
const versioned = library.namedRoutes({ list: '/:version/items', detail: '/:version/items/:id' })
const nested = library.namedRoutes({ home: '/' }).include('/v3', users(), { namespace: 'v3' })
const spaces = library.namedRoutes({})
for (const namespace of ['v1', 'v2', 'v9']) spaces.include(`/${namespace}`, users(), { namespace })
spaces.include('/api', nested, { namespace: 'api' })

/** The prefixes of the namespace scheme's table, which are the namespaces that each says. */
const PREFIXES = ['v1', 'v2', 'v9', 'api/v3', 'api']

type More = Partial<library.VersioningOptions>
type Named = SchemeOracle['named']
const oracle = (scheme: library.SchemeClass, checked: boolean, more: More, named: Named): SchemeOracle => {
  return { name: scheme.name, options: (rules) => ({ scheme, ...more, ...rules }), checked, named }
}

/** All five schemes, each on its plainest app. */
export const oracles: SchemeOracle[] = [
  oracle(library.AcceptHeaderVersioning, true, {}, ({ headers }) => {
    const found = headers.accept === undefined ? undefined : modelAccept(headers.accept, 'version', undefined)
    if (found === UNUSABLE || found === UNACCEPTABLE) return 'unusable'
    return found === undefined ? undefined : [found]
  }),
  oracle(library.URLPathVersioning, true, { routes: versioned }, ({ url }) => {
    const version = /^\/([^/]+)\/items(?:\/[^/]+)?\/?$/i.exec(pathOf(url))?.[1]
    return version === undefined ? undefined : [decodedOrRaw(version)]
  }),
  oracle(library.NamespaceVersioning, false, { routes: spaces }, ({ url }) =>
    PREFIXES.find((one) => `${pathOf(url)}/`.toLowerCase().startsWith(`/${one}/`))?.split('/'),
  ),
  // With a parser, versions that no host can name are no error.
  oracle(library.HostNameVersioning, false, { parseVersion: (text) => text }, ({ url, headers, hosts = 1 }) => {
    const host = (headers.host ?? '').toLowerCase()
    const authority = /^(\w+):\/\/([^/?#]*)/.exec(url)
    const port = authority?.[1]?.toLowerCase() === 'https' ? /:(443)?$/ : /:(80)?$/
    const other = authority !== null && authority[2]?.toLowerCase().replace(port, '') !== host.replace(port, '')
    if (hosts > 1 || other) return 'unusable'
    const hostname = (headers.host ?? '').split(':')[0] as string
    const version = SPEC_HOST.exec(hostname)?.[1]
    return version === undefined ? undefined : [version]
  }),
  oracle(library.QueryParameterVersioning, true, {}, ({ url }) => {
    const values = new Set(new URLSearchParams(`?${queryOf(url)}`).getAll('version'))
    if (values.size > 1) return 'unusable'
    return values.size === 0 ? undefined : [...values]
  }),
]

/** SPEC.md 9.1. */
function isAllowed(version: string | null, { defaultVersion, allowedVersions }: Rules): boolean {
  if (allowedVersions.length === 0) return true
  if (version !== null && version === defaultVersion) return true
  return allowedVersions.includes(version)
}

/** Returns the specification's verdict about a request. */
export function verdict({ checked, named }: SchemeOracle, rules: Rules, request: Received): Verdict {
  const decided = decide(checked, rules, named(request))
  const { origin, 'access-control-request-method': asked } = request.headers as IncomingHttpHeaders
  const preflight = request.method === 'OPTIONS' && origin !== undefined && asked !== undefined
  return decided === 'rejected' && preflight ? { version: null } : decided
}

function decide(checked: boolean, rules: Rules, named: Versions): Verdict {
  if (named === 'unusable') return 'rejected'
  const { defaultVersion } = rules
  if (named === undefined)
    return checked && !isAllowed(defaultVersion, rules) ? 'rejected' : { version: defaultVersion }
  const version = named.find((one) => isAllowed(one, rules))
  return version === undefined ? 'rejected' : { version }
}
