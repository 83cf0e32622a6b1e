// An app with plain routers and an OpenAPI document. Handlers speak the newest format only, and know no versions.
import { readFileSync } from 'node:fs'
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

// What the document leaves open.
export const routes = routesOf(document, {
  places: { 'GET /users/me 200': 'User' }, // The copy of the schema there is a user.
})

export const options = {
  scheme: HeaderVersioning,
  defaultVersion: 'v1', // The clients that you have send no version.
  changes: history,
  routes,
  neutral: ['/health'],
  contract: contract({
    standard: true, // Schemas of v1 that are written in zod check requests, with their messages.
    compile: () => () => true, // The handlers check everything else, as before.
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
