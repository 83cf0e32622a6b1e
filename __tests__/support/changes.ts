import express, { type Application, type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, type OperationChange, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { type Answer, type Served, serve } from './serve'

type Changes = Parameters<VersionHistory['version']>[1][]

/** The history of `v1`, `v2` and so on: one more version than there are lists of changes. */
export function historyOf(...releases: Changes[]): VersionHistory {
  return releases.reduce(
    (history, changes, index) => history.version(`v${index + 2}`, ...changes),
    versionHistory('v1'),
  )
}

/** Paths of the table that most tests use. */
export const PATHS = { 'user-list': '/users', 'user-detail': '/users/:id', other: '/other' } as const

/** A table of those paths. */
export const tableOf = () => namedRoutes(PATHS)
export type Table = ReturnType<typeof tableOf>
/** Fills a table and its app. */
export type Fill = (table: Table, app: Application) => unknown

/** Serves an app of one table and its history with JSON bodies. `X-API-Version` has the version; the oldest is the default. */
export function serveChanges(
  history: VersionHistory,
  fill: Fill,
  { parser = express.json(), ...options }: Partial<VersioningOptions> & { parser?: RequestHandler } = {},
): Promise<Served> {
  return serve((app) => {
    const routes = tableOf()
    const defaultVersion = history.versions[0]
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion, changes: history, routes, ...options }), parser)
    fill(routes, app)
    app.use(routes)
  })
}

/** Serves an app whose GET and POST of `/other` have a change. `fill` adds what the app needs besides. */
export function serveOther(
  changed: OperationChange,
  show: (res: Response, req: Request, next: NextFunction) => unknown,
  fill: (app: Application, table: Table) => void = () => {},
): Promise<Served> {
  const history = historyOf([change('Odd.', { 'GET other': changed, 'POST other': changed })])
  return serveChanges(history, (routes, app) => {
    const handler: RequestHandler = (req, res, next) => void show(res, req, next)
    routes.route('other').get(handler).post(handler)
    fill(app, routes)
  })
}

/** Sends a request in a version, with a body of JSON if there is one. */
export async function ask(
  served: Served,
  version: string,
  path: string,
  { method = 'GET', body, headers = {} }: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  if (body === undefined) return served.send(method, path, { 'X-API-Version': version, ...headers })
  const answer = await fetch(served.origin + path, {
    method,
    headers: { 'X-API-Version': version, 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text, json: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
