// A router as it was: it knows no versions.
import express from 'express'
import { failure } from './errors'
import { type User, users } from './users'

export interface Order {
  id: number
  customer: User
  /** In cents. */
  total: number
}

const orders: Order[] = [{ id: 1, customer: users[1] as User, total: 3497 }]

export const ordersRouter = express.Router()

ordersRouter.get('/:id', (req, res) => {
  const order = orders.find(({ id }) => id === Number(req.params.id))
  if (order === undefined) throw failure(404, 'No such order.')
  res.json(order)
})
