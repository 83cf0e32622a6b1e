// An app with plain routers and an OpenAPI document. Handlers speak the newest format only, and know no versions.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import express from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { routesOf } from 'express-versioning/openapi'
import { authenticated, errors, failure, noPage } from './errors'
import { history } from './history'
import { ordersRouter } from './orders'
import { usersRouter } from './users'

const document = JSON.parse(readFileSync('examples/existing/express/openapi.json', 'utf8'))

const ajv = new Ajv2020({ allErrors: true, strict: false })
export const options = {
  scheme: HeaderVersioning,
  defaultVersion: '2024-01-01', // The clients that you have send no version.
  changes: history,
  routes: routesOf(document),
  neutral: ['/health'],
  contract: contract({
    standard: true, // Schemas of 2024 that are written in zod check requests, with their messages.
    compile: (schema) => ajv.compile(schema),
    refuse: ([issue]) => failure(400, issue?.message ?? ''),
  }),
}

const app = express()
app.use(versioning(options)) // new
app.get('/health', (_req, res) => {
  res.json({ ok: true })
})
app.use(express.json(), authenticated)
app.use(convertRequest) // new
app.use('/users', usersRouter)
app.use('/orders', ordersRouter)
app.use(noPage, errors)

export { app }
