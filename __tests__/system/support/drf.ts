import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Request } from 'express'
import * as library from 'express-versioning'
import { type LinkOptions, namedRoutes, VersioningError, versioning } from 'express-versioning'
import { run } from '../../support/dispatch'
import type { Table } from '../../support/tables'
import { python } from './debian'

const CLASSES = {
  Accept: library.AcceptHeaderVersioning,
  Path: library.URLPathVersioning,
  Namespace: library.NamespaceVersioning,
  Host: library.HostNameVersioning,
  Query: library.QueryParameterVersioning,
} as const
export type SchemeName = keyof typeof CLASSES

/** Routes by name, and children by prefix with a namespace or none. */
export interface Routes {
  readonly paths: Readonly<Record<string, string>>
  readonly children?: readonly (readonly [prefix: string, namespace: string | null, routes: Routes])[]
}

/** A link that a handler makes. */
export interface Asked {
  readonly name: string
  readonly args?: readonly (string | number)[] | undefined
  readonly kwargs?: Readonly<Record<string, string | number>> | undefined
  readonly format?: string | undefined
}

/** A request, the settings that it meets, and the links that are made for it. */
export interface Case {
  readonly scheme: SchemeName
  readonly routes: Routes
  readonly defaultVersion?: string | undefined
  readonly allowedVersions?: readonly (string | null)[] | undefined
  readonly versionParam?: string | undefined
  readonly hostnamePattern?: RegExp | undefined
  /** The media types of the API. `loose` has them for DRF alone. */
  readonly mediaTypes?: readonly string[] | undefined
  readonly loose?: boolean | undefined
  /** The options of the table, which Django lacks. */
  readonly table?: { readonly strict?: boolean; readonly caseSensitive?: boolean } | undefined
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly links: readonly Asked[]
}

/** A link, or the class of the error. */
export type Made = string | { readonly raised: string }
/** The link of `reverse()`, that of the scheme alone, and (of DRF) that without a scheme. */
export interface Links {
  readonly made: Made
  readonly own: Made
  readonly plain?: Made
}

/** What became of a request. `matched` is DRF's: it found a route. */
export interface Result {
  readonly version?: string | null
  readonly links?: readonly Links[]
  readonly status?: number
  readonly message?: string
  readonly raised?: string
  readonly matched?: boolean
}

/** Starts DRF, and returns a function that asks it many cases at once, in order. */
export function startDrf() {
  const child = spawn(python('rest_framework'), [join(__dirname, 'drf.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // DRF puts media types into sets.
    env: { ...process.env, PYTHONHASHSEED: '0' },
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (cases: readonly Case[]): Promise<readonly Result[]> => {
    child.stdin.write(`${JSON.stringify(cases.map(forDjango))}\n`)
    const { value } = await lines.next()
    return JSON.parse(value)
  }
  return { ask, stop: () => child.kill() }
}

function forDjango(one: Case): object {
  const { scheme, routes, defaultVersion, allowedVersions, versionParam, hostnamePattern, mediaTypes } = one
  const settings = {
    ...(defaultVersion === undefined ? {} : { default_version: defaultVersion }),
    ...(allowedVersions === undefined ? {} : { allowed_versions: allowedVersions }),
    ...(versionParam === undefined ? {} : { version_param: versionParam }),
    ...(hostnamePattern === undefined ? {} : { hostname_regex: hostnamePattern.source }),
  }
  const renderers = mediaTypes ?? ['application/json']
  const { url, headers, links } = one
  return { scheme: CLASSES[scheme].name, settings, renderers, routes: patterns(routes), url, headers, links }
}

type Pattern = [pattern: string, name: string | null, children: Pattern[] | null]

/** Writes routes as Django's patterns, each without its first slash. */
function patterns({ paths, children = [] }: Routes): Pattern[] {
  const inner = children.flatMap(([prefix, namespace, routes]): Pattern[] => {
    const below = patterns(routes)
    const optional = /^\{(.*)\}$/.exec(prefix)?.[1]
    if (optional === undefined) return [[`${pattern(prefix)}/`, namespace, below]]
    return [
      [`${pattern(optional)}/`, namespace, below],
      ['^', namespace, below],
    ]
  })
  return [...Object.entries(paths).map(([name, path]): Pattern => [`${pattern(path)}\\Z`, name, null]), ...inner]
}

const pattern = (path: string) =>
  `^${path
    .slice(1)
    .replace(/\./g, '\\.')
    .replace(/:(\w+)/g, path.includes('.') ? '(?P<$1>[^/.]+)' : '(?P<$1>[^/]+)')}`

/** Makes a table as exact as Django's patterns. */
export function tableFor({ paths, children = [] }: Routes, options: object = {}): Table {
  const table = namedRoutes({ ...paths }, { strict: true, caseSensitive: true, ...options }) as Table
  for (const [prefix, namespace, routes] of children)
    table.include(prefix, tableFor(routes, options), namespace === null ? {} : { namespace })
  return table
}

const apps = new Map<string, ReturnType<typeof appFor>>()

function appFor(one: Case) {
  const { scheme: name, defaultVersion, allowedVersions, versionParam, hostnamePattern, loose } = one
  const mediaTypes = loose || name !== 'Accept' ? {} : { mediaTypes: one.mediaTypes ?? ['application/json'] }
  const settings = { defaultVersion, allowedVersions, versionParam, ...mediaTypes }
  const Scheme: new (settings: object) => library.BaseVersioning = CLASSES[name]
  const scheme = new Scheme(hostnamePattern === undefined ? settings : { ...settings, hostnamePattern })
  const routes = tableFor(one.routes, one.table)
  return { scheme, handler: versioning({ scheme, routes }) }
}

/** Asks this package, in process. */
export function ask(one: Case): Result {
  const { url, headers, links, hostnamePattern, ...settings } = one
  const key = JSON.stringify([settings, hostnamePattern?.source])
  const app = apps.get(key) ?? appFor(one)
  apps.set(key, app)
  const { handler, scheme } = app
  const { req, served, errors } = run(handler, { url, headers: { ...headers } })
  const [error] = errors
  if (error instanceof VersioningError) return { status: error.status, message: error.message }
  if (served !== 1 || error !== undefined) throw error ?? new Error(`No version was decided at once: ${url}`)
  return { version: req.version as string | null, links: links.map((link) => linksOf(req, scheme, link)) }
}

function linksOf(req: Request, scheme: library.BaseVersioning, { name, ...asked }: Asked): Links {
  const options: LinkOptions = { ...asked, absolute: true }
  const made = (make: () => string): Made => {
    try {
      return make()
    } catch (error) {
      if (error instanceof library.NoReverseMatch) return { raised: 'NoReverseMatch' }
      throw error
    }
  }
  return {
    made: made(() => req.reverse(name, options)),
    own: made(() => scheme.reverse(name, { ...options, request: req })),
  }
}
