// Users in tsoa, in a process of its own.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import express, { type ErrorRequestHandler } from 'express'
import { versioning } from 'express-versioning'
import { versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { splitName } from '../history'
import { options } from '../options'
import { problemOf } from '../shop'
import { RegisterRoutes } from './routes'

// tsoa writes that every object takes any property. What old clients send beside their format would be obeyed.
const document = JSON.parse(readFileSync(join(__dirname, 'swagger.json'), 'utf8'), (key, value) =>
  key === 'additionalProperties' && value === true ? undefined : value,
)
const changes = versionHistory('2024-01-01').version('2025-01-01', splitName)
const app = express()
app.use('/api', versioning({ ...options, changes, routes: routesOf(document) }), express.json())
RegisterRoutes(app)

const errors: ErrorRequestHandler = (error, _req, res, _next) => {
  const problem = problemOf(error)
  res.status(problem.status).json(problem)
}
app.use(errors)
const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: Object(server.address()).port }))
process.once('disconnect', () => process.exit())
