import express, { type Application, type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, type OperationChange, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { type HttpResponse, type Served, serve } from './serve'

type Changes = Parameters<VersionHistory['version']>[1][]

/** The history of `v1`, `v2` and so on: one more version than there are lists of changes. */
export function historyOf(...releases: Changes[]): VersionHistory {
  const start: VersionHistory = versionHistory('v1')
  return releases.reduce((history, changes, index) => history.version(`v${index + 2}`, ...changes), start)
}

/** Paths of the table that most tests use. */
export const PATHS = { 'user-list': '/users', 'user-detail': '/users/:id', other: '/other' } as const

export const tableOf = () => namedRoutes(PATHS)
export type Table = ReturnType<typeof tableOf>
export type Fill = (table: Table, app: Application) => unknown

type Options = Partial<VersioningOptions> & { front?: RequestHandler[]; parser?: RequestHandler }

/**
 * Serves an app of one table and its history. `X-API-Version` has the version; the oldest is the default. `front` stands in
 * front of `versioning()`, and a parser of JSON behind it.
 */
export function serveChanges(
  changes: VersionHistory,
  fill: Fill,
  { front = [], parser = express.json(), ...options }: Options = {},
): Promise<Served> {
  return serve((app) => {
    const routes = tableOf()
    const [defaultVersion] = changes.versions
    app.use(...front, versioning({ scheme: HeaderVersioning, defaultVersion, changes, routes, ...options }), parser)
    fill(routes, app)
    app.use(routes)
  })
}

/** Serves an app whose GET and POST of `/other` have a change. `fill` adds what the app needs besides. */
export function serveOther(
  changed: OperationChange,
  show: (res: Response, req: Request, next: NextFunction) => unknown,
  fill: (app: Application, table: Table) => void = () => {},
  options: Options = {},
): Promise<Served> {
  const handler: RequestHandler = (req, res, next) => void show(res, req, next)
  const both: Fill = (routes, app) => {
    routes.route('other').get(handler).post(handler)
    fill(app, routes)
  }
  return serveChanges(historyOf([change('Odd.', { 'GET other': changed, 'POST other': changed })]), both, options)
}

type Asked = { method?: string; body?: unknown; headers?: Record<string, string> }
/** Sends a request in a version, with a body of JSON if there is one. */
export function ask({ send }: Served, version: string, path: string, asked: Asked = {}): Promise<HttpResponse> {
  const { method = 'GET', body, headers } = asked
  if (body === undefined) return send(method, path, { 'X-API-Version': version, ...headers })
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const all = { 'X-API-Version': version, 'Content-Type': 'application/json', ...headers }
  return send(method, path, all, bytes.toString('latin1'))
}
