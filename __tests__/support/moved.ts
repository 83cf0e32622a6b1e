// Requests in words, which may be moved to another path after the decision about their version.
import type { Application, RequestHandler } from 'express'
import { type VersioningOptions, versioning } from 'express-versioning'
import { serve } from './serve'

export type Build = (app: Application) => unknown

/** Makes middleware that does something and goes on. */
export const act =
  (change: (...args: Parameters<RequestHandler>) => unknown): RequestHandler =>
  (req, res, next) =>
    next(void change(req, res, next))
/** Moves the request to another path after `versioning()`, which decided about the old one. */
export const move = act((req) => Object.assign(req, { url: req.get('X-To') ?? req.url }))
export const decide = (scheme: unknown, more: object = {}) => versioning({ scheme, ...more } as VersioningOptions)

/** The rejections of schemes, and the response where no route is. */
export const INVALID_IN_PATH = '404 ERR_VERSION_NOT_FOUND Invalid version in URL path.'
export const NO_NAMESPACE = `${INVALID_IN_PATH} Does not match any version namespace.`
export const NO_ROUTE = '404 undefined'

const PREFLIGHT = { Origin: 'https://x.example', 'Access-Control-Request-Method': 'GET' }

/** Requests to an app, and the response that each of them gets. */
export interface Asked {
  /** The apps of a table of cases that get the requests. */
  readonly apps?: readonly string[]
  readonly method?: string
  /** `true` for preflights of CORS. */
  readonly preflight?: true
  readonly paths: readonly string[]
  /** The paths to which `move` takes the request, behind `versioning()`: one request for each. */
  readonly movedTo?: readonly string[]
  /** The value of `X-API-Version`. */
  readonly version?: string
  /** A string of JSON, or an error in one line, or what a handler makes of its path; in front of it is the field `X-Noted`. */
  readonly response: string | ((path: string) => string)
}

/** The response of a handler that writes its version and its path. */
export const at =
  (version: string, end = '') =>
  (path: string): string =>
    `${version} at ${path}${end}`

/** Expects an app to respond to requests as each row says. */
export async function check(build: Build, rows: readonly Asked[]): Promise<void> {
  const { send } = await serve((app) => void build(app))
  for (const { method = 'GET', preflight, paths, movedTo = [''], version, response } of rows) {
    for (const [path, to] of paths.flatMap((path) => movedTo.map((to) => [path, to] as const))) {
      const moved = { ...(version && { 'X-API-Version': version }), ...(to && { 'X-To': to }) }
      const fields = { ...(preflight && PREFLIGHT), ...moved }
      const { status, json, headers } = await send(preflight ? 'OPTIONS' : method, path, fields)
      const { code, error } = Object(json)
      const told = typeof json === 'string' ? json : `${status}${code ? ` ${code}` : ''} ${error}`
      const expected = typeof response === 'string' ? response : response(to || path)
      expect([path, to, (headers['x-noted'] ?? '') + told]).toEqual([path, to, expected])
    }
  }
}

/** Declares a test for each name, which checks the apps of that name with the rows that list it. */
export function checkEach(apps: Record<string, Build | readonly Build[]>, rows: readonly Asked[]): void {
  test.each(Object.entries(apps))('%s', async (name, builds) => {
    const own = rows.filter(({ apps = [] }) => apps.includes(name))
    expect(own).not.toEqual([])
    for (const build of [builds].flat()) await check(build, own)
  })
}
