// A router as it was: it knows no versions.
import express from 'express'
import { failure } from './errors'

export interface User {
  id: number
  given: string
  family: string
}

export const users: User[] = [
  { id: 1, given: 'Ada', family: 'Lovelace' },
  { id: 2, given: 'Grace', family: 'Hopper' },
]

export const usersRouter = express.Router()

usersRouter.get('/', (_req, res) => {
  res.json(users)
})
usersRouter.post('/', (req, res) => {
  const { given, family } = Object(req.body)
  if (typeof given !== 'string' || typeof family !== 'string') throw failure(400, 'Given and family name, please.')
  const user = { id: users.length + 1, given, family }
  users.push(user)
  res.status(201).location(`/users/${user.id}`).json(user)
})
usersRouter.get('/me', (_req, res) => {
  res.json(users[0])
})
usersRouter.get('/:id', (req, res) => {
  const user = users.find(({ id }) => id === Number(req.params.id))
  if (user === undefined) throw failure(404, 'No such user.')
  res.json(user)
})
