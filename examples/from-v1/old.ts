// The API as it was: one router, mounted on /v1. Plain Express.
import express, { type ErrorRequestHandler } from 'express'
import { z } from 'zod'
import { authenticated, described, limiter, noPage, rejection, tokenOf, valid } from './checks'

const NewUser = z.object({ name: z.string().min(1) })

/** Makes the API as it was. */
export function oldApi(): express.Application {
  const users = [
    { id: 1, name: 'Ada Lovelace' },
    { id: 2, name: 'Grace Hopper' },
    { id: 3, name: 'Alan Turing' },
  ]
  const v1 = express.Router()
  v1.post('/auth/token', (req, res) => {
    res.json({ token: tokenOf(req.body?.user) })
  })
  v1.get('/users', (req, res) => {
    const max = Number(req.query.max ?? 2)
    const page = Number(req.query.page ?? 1)
    const query = new URLSearchParams({ ...(req.query as Record<string, string>), page: String(page + 1) })
    const next = page * max < users.length ? `/v1/users?${query}` : null
    res.json({ users: users.slice((page - 1) * max, page * max), next })
  })
  v1.post('/users', (req, res) => {
    const user = { id: users.length + 1, ...valid(NewUser, req.body) }
    users.push(user)
    res.status(201).json(user)
  })
  v1.get('/users/:id', (req, res) => {
    const user = users.find(({ id }) => id === Number(req.params.id))
    if (user === undefined) throw rejection(404, 'NOT_FOUND', 'Not found.')
    res.json(user)
  })

  const errors: ErrorRequestHandler = (err, _req, res, _next) => {
    const { status, message } = described(err)
    res.status(status).json({ error: message })
  }

  const app = express()
  app.use(express.json())
  app.use('/v1/auth', limiter(3))
  app.use('/v1/users', authenticated)
  app.use('/v1', v1)
  app.use(noPage, errors)
  return app
}
