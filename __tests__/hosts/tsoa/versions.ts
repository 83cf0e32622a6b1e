// The lines that give the app its versions.
import type { Express, RequestHandler } from 'express'
import { versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { options } from '../options'

const isVersioned = process.argv[2] === 'versioned'

/** A middleware of controllers. tsoa authenticates in front of it. */
export const behindAuthentication: RequestHandler = isVersioned ? convertRequest : (_req, _res, next) => next()

/** @param text the document that tsoa wrote. */
export function addVersions(app: Express, text: string): void {
  if (!isVersioned) return
  // tsoa writes that every object takes any property. What old clients send beside their format would be obeyed.
  const document = JSON.parse(text, (key, value) =>
    key === 'additionalProperties' && value === true ? undefined : value,
  )
  app.use('/api', versioning({ ...options, routes: routesOf(document) }))
}
