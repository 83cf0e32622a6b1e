import express from 'express'
import { HeaderVersioning, type VersioningOptions, versioning } from 'express-versioning'
import type { VersionHistory } from 'express-versioning/changes'
import { tableOf } from './changes'
import { type Served, serve } from './serve'

/** As `serveChanges`, with a table that says all before `versioning()` looks at it. */
export function serveShapes(
  history: VersionHistory,
  fill: (table: ReturnType<typeof tableOf>) => void,
  options: Partial<VersioningOptions> = {},
): Promise<Served> {
  const routes = tableOf()
  fill(routes)
  const defaultVersion = history.versions[0]
  return serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion, changes: history, routes, ...options }))
    app.use(express.json({ strict: false }), routes)
  })
}
