// The shop in tsoa, in a process of its own. With the argument `versioned`, it has the package.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { ValidateError } from 'tsoa'
import { notValid, problemOf } from '../shop'
import { RegisterRoutes } from './routes'
import { addVersions } from './versions'

const app = express()
addVersions(app, readFileSync(join(__dirname, 'swagger.json'), 'utf8'))
app.get('/api/health', (_req, res) => void res.json({ ok: true }))
app.use(express.json())
RegisterRoutes(app)

const noPage: RequestHandler = (_req, _res, next) => next({ status: 404 })
const errors: ErrorRequestHandler = (error, _req, res, _next) => {
  const names = error instanceof ValidateError ? Object.keys(error.fields).map((name) => name.replace('body.', '')) : []
  const problem = problemOf(names.length > 0 ? notValid(names) : error)
  if (problem.status === 401) res.set('WWW-Authenticate', 'Bearer')
  res.status(problem.status).type('application/problem+json').json(problem)
}
app.use(noPage, errors)
const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: Object(server.address()).port }))
process.once('disconnect', () => process.exit())
