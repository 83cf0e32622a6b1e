// The app as it was in each older version, in plain Express. `golden` is recorded from it.
import express, { type Application, type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import { guards } from './express-shop'
import { type NewUser, type Order, problemOf, Shop, type User } from './shop'

type Body = Record<string, unknown>

interface UserFormat {
  shown(user: User): object
  stored(body: Body): Body
  /** Returns the name of a field in errors. */
  field(name: string): string
}

/** What differed between the two older versions. */
const userFormats: Record<'2024-01-01' | '2025-01-01', UserFormat> = {
  '2024-01-01': {
    shown: ({ id, given, family, email, role }) => ({
      id,
      name: family === '' ? given : `${given} ${family}`,
      email,
      role,
    }),
    stored({ name, ...others }) {
      if (typeof name !== 'string') return name === undefined ? others : { given: name, ...others }
      const [given, ...rest] = name.split(' ')
      return { given, family: rest.join(' '), ...others }
    },
    field: (name) => name.replace(/given|family/, 'name'),
  },
  '2025-01-01': {
    shown: ({ id, given, family, email, role }) => ({ id, given, family, email, role }),
    stored: (body) => body,
    field: (name) => name,
  },
}

/** Makes the app of an older version, with its own data. */
export function oldApp(version: keyof typeof userFormats): Application {
  const { shown, stored, field } = userFormats[version]
  const shop = new Shop()
  const id = (req: Request) => req.params.id as string
  // Clients could name no role.
  const user = ({ role: _, ...body }: Body) => stored(body) as object as NewUser
  const order = ({ customer, approvedBy, items, total, note, ...others }: Order) => ({
    ...others,
    customer: shown(customer),
    approvedBy: approvedBy && shown(approvedBy),
    lines: items,
    total: total.amount,
    note,
  })

  const api = express.Router().use(guards(), express.json())
  api.get('/users', ({ query: { role, max } }, res) => {
    res.json(shop.users({ role: role as string, limit: max as string }).data.map(shown))
  })
  api.post('/users', (req, res) => {
    const made = shop.addUser(user(req.body))
    res.status(201).location(`/api/users/${made.id}`).json(shown(made))
  })
  api.get('/users/:id', (req, res) => void res.json(shown(shop.user(id(req)))))
  api.patch('/users/:id', (req, res) => void res.json(shown(shop.changeUser(id(req), user(req.body)))))
  api.delete('/users/:id', (req, res) => {
    shop.deleteUser(id(req))
    res.status(204).end()
  })
  api.get('/orders', (_req, res) => void res.json(shop.orders().data.map(order)))
  api.post('/orders', ({ body: { customer, lines, note } }, res) => {
    const made = shop.addOrder({ customer: user(customer), items: lines, note })
    res.status(201).location(`/api/orders/${made.id}`).json(order(made))
  })
  api.get('/orders/:id', (req, res) => void res.json(order(shop.order(id(req)))))
  api.post('/orders/:id/cancellation', (req, res) => void res.json(order(shop.cancelOrder(id(req)))))
  api.get('/orders/:id/receipt', (req, res) => void res.type('text').send(shop.receipt(id(req))))

  const errors: ErrorRequestHandler = (error, _req, res, _next) => {
    const { status, detail } = problemOf(error)
    const [what, fields] = detail.split('Not valid: ')
    const said = fields?.split(', ').map((name) => field(name).replace('limit', 'max').replace('items', 'lines'))
    res
      .status(status)
      .type('json')
      .json({ error: said === undefined ? what : `Not valid: ${[...new Set(said)].sort().join(', ')}` })
  }
  const noPage: RequestHandler = (_req, _res, next) => next({ status: 404 })
  return express().use('/api', api, noPage, errors)
}
