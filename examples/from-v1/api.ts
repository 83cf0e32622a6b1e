// The API of today. Its handlers speak v2; /v1 is made of them by history.ts.
import { Ajv2020 } from 'ajv/dist/2020.js'
import express, { type ErrorRequestHandler } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { sent } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { z } from 'zod'
import { authenticated, described, limiter, noPage, refusal, tokenOf, valid } from './checks'
import { type Failure, history, NewUser, User, UserList } from './history'

// Only the handler can check this.
const CheckedUser = NewUser.refine(({ given, family }) => given || family)

const ajv = new Ajv2020({ allErrors: true, strict: false })
/** Checks a request of v1 in the words of v1, and refuses it as v1 did. */
const inOwnWords = contract({
  compile: (schema) => ajv.compile(schema),
  refuse: (issues) =>
    refusal(400, 'INVALID', `Not valid: ${issues.map(({ path }) => path.join('.') || 'body').join(', ')}.`),
})

/** Makes the API, with nobody counted yet. */
export function api(): express.Application {
  const users: User[] = [
    { id: 1, given: 'Ada', family: 'Lovelace' },
    { id: 2, given: 'Grace', family: 'Hopper' },
    { id: 3, given: 'Alan', family: 'Turing' },
  ]
  const shared = namedRoutes({ token: '/auth/token', 'user-list': '/users', 'user-detail': '/users/:id' })
  // Without a version in the path: so they hold for all versions.
  shared.use('/auth', limiter(3))
  shared.use('/users', authenticated)

  shared.route('token').post((req, res) => {
    res.json({ token: tokenOf(req.body?.user) })
  })
  shared.route('user-list').get((req, res) => {
    const limit = Number(req.query.limit ?? 2)
    const page = Number(req.query.page ?? 1)
    const query = { ...sent(req).query, page: page + 1 }
    const next = page * limit < users.length ? req.reverse('user-list', { query }) : null
    res.json({ data: users.slice((page - 1) * limit, page * limit), next })
  })
  shared.route('user-list').post((req, res) => {
    const user = { id: users.length + 1, ...valid(CheckedUser, req.body) }
    users.push(user)
    res.status(201).json(user)
  })
  shared.route('user-detail').get((req, res) => {
    const user = users.find(({ id }) => id === Number(req.params.id))
    if (user === undefined) throw refusal(404, 'NOT_FOUND', 'Not found.')
    res.json(user)
  })

  // Where shapes stand in bodies.
  const query = z.object({ limit: z.string().optional(), page: z.string().optional() })
  const none = { requestBody: { required: false } }
  shared.describe('POST token', {
    body: z.object({ user: z.unknown().optional() }),
    response: z.object({ token: z.string() }),
    operation: none,
  })
  shared.describe('GET user-list', { query, response: UserList })
  shared.describe('POST user-list', { body: NewUser, response: { 201: User } })
  shared.describe('GET user-detail', { response: User })

  const requests = new Map<string, number>()
  const routes = namedRoutes({ usage: '/usage' }).include('/:version', shared)
  routes.route('usage').get((_req, res) => {
    res.json(Object.fromEntries(requests))
  })

  const errors: ErrorRequestHandler = (err, _req, res, _next) => {
    const { status, code, message } = described(err)
    const failure: Failure = { error: { code, message } }
    res.status(status).json(failure)
  }

  const app = express()
  app.use(
    versioning({
      scheme: URLPathVersioning,
      changes: history,
      contract: inOwnWords,
      routes,
      neutral: ['usage'],
      lifecycle: { v1: { deprecated: '2026-01-01', sunset: '2099-01-01', successor: 'v2' } },
      reportVersions: true,
      onVersion({ phase, version, response }) {
        // Each request is decided once, also one that gets 410. A failure after that is told a second time.
        if (phase === 'failed') return
        // The version is decided before anybody is authenticated. When the response closes, user and status are known.
        response.once('close', () => {
          const { user = 'unknown' } = response.locals
          const key = `${user} ${version ?? 'none'} ${response.statusCode}`
          requests.set(key, (requests.get(key) ?? 0) + 1)
        })
      },
    }),
  )
  // Behind versioning(), so that errors of the parser have the format of the version.
  app.use(express.json(), routes)
  app.use(noPage, errors)
  return app
}
