// An API whose requests and responses a contract judges.
import express, { type Application, type ErrorRequestHandler, type RequestHandler } from 'express'
import { HeaderVersioning, type VersioningOptions, versioning } from 'express-versioning'
import { type ContractOptions, contract } from 'express-versioning/contract'
import { ask, historyOf, type Table, tableOf } from '../support/changes'
import { type Served, serve } from '../support/serve'

export const text = { type: 'string' }
/** An object that requires all of its properties, unless `more` says which. */
export const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
})

type Api = Partial<VersioningOptions> & { parsers?: RequestHandler[]; behind?: ErrorRequestHandler[] }
type Fill = (routes: Table) => unknown

/** Adds a table with a contract to an app. Its history is that of v1 and v2 without changes, unless another one is given. */
export function addJudged(app: Application, fill: Fill, options: Partial<ContractOptions>, api: Api = {}): void {
  const { parsers = [express.json()], behind = [], ...more } = api
  const routes = tableOf()
  fill(routes)
  const own = { scheme: HeaderVersioning, changes: historyOf([]), routes, ...more }
  app.use(versioning({ ...own, contract: contract(options as ContractOptions) }), ...parsers, routes, ...behind)
}

/** Serves a table with a contract. */
export const judged = (fill: Fill, options: Partial<ContractOptions>, api?: Api) =>
  serve((app) => addJudged(app, fill, options, api))

/** Describes `POST other`, which responds with its body. */
export const posting =
  (description: object = { body: {}, response: {} }): Fill =>
  (routes) =>
    routes
      .describe('POST other', description)
      .route('other')
      .post((req, res) => void res.json({ body: req.body }))
export const post = (app: Served, body: unknown = {}) => ask(app, 'v1', '/other', { method: 'POST', body })

/** A Standard Schema with a function of a test. */
export const schemaWith = (validate: unknown, json: object = {}) => ({
  '~standard': { version: 1, vendor: 'x', validate, jsonSchema: { input: () => json, output: () => json } },
})
/** Serves `POST other` with such a schema. */
export const judgedBy = (schema: object, own: Partial<ContractOptions> = {}) =>
  judged(posting({ body: schema, response: {} }), { standard: true, ...own })
