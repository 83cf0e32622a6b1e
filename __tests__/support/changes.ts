import express, { type Application, type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { type VersionHistory, versionHistory } from 'express-versioning/changes'
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
export const PATHS = {
  'user-list': '/users',
  'user-detail': '/users/:id',
  other: '/other',
} as const

/** A table of those paths. */
export const tableOf = () => namedRoutes(PATHS)

/** Serves an app of one table and its history with JSON bodies. `X-API-Version` has the version; the oldest is the default. */
export function serveChanges(
  history: VersionHistory,
  fill: (table: ReturnType<typeof tableOf>, app: Application) => void,
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
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text, json }
}
