// The app as it was in each older version, in plain Express. `golden` is recorded from it. It shares no code with today's app.
import express, { type Request, type Response } from 'express'

type Row = { id: number; first: string; last: string; email: string; role: string }
type Line = { sku: string; quantity: number; price: number }
type OrderRow = { id: number; status: string; user: number; approver: number | null; lines: Line[]; note?: string }

interface UserFormat {
  shown(user: Row): object
  fields: readonly string[]
  stored(body: Record<string, string>): object
}

/** What differed between the two older versions: how a user is written and read. */
const userFormats: Record<'2024-01-01' | '2025-01-01', UserFormat> = {
  '2024-01-01': {
    shown: ({ id, first, last, email, role }: Row) => ({
      id,
      name: last === '' ? first : `${first} ${last}`,
      email,
      role,
    }),
    fields: ['name', 'email'],
    stored({ name, email }: Record<string, string>) {
      const [first = '', ...rest] = name === undefined ? [] : name.split(' ')
      return {
        ...(name === undefined ? {} : { first, last: rest.join(' ') }),
        ...(email === undefined ? {} : { email }),
      }
    },
  },
  '2025-01-01': {
    shown: ({ id, first, last, email, role }: Row) => ({ id, given: first, family: last, email, role }),
    fields: ['given', 'family', 'email'],
    stored: ({ given, family, email }: Record<string, string>) => ({
      ...(given === undefined ? {} : { first: given }),
      ...(family === undefined ? {} : { last: family }),
      ...(email === undefined ? {} : { email }),
    }),
  },
}

/** Makes the app of an older version, with its own data. */
export function oldApp(version: keyof typeof userFormats): express.Application {
  const format = userFormats[version]
  const users: Row[] = [
    { id: 1, first: 'Ada', last: 'Lovelace', email: 'ada@example.com', role: 'admin' },
    { id: 2, first: 'Grace', last: 'Hopper', email: 'grace@example.com', role: 'customer' },
    { id: 3, first: 'Linus', last: 'Torvalds', email: 'linus@example.com', role: 'customer' },
  ]
  let next = 4
  const orders: OrderRow[] = [
    {
      id: 1,
      status: 'paid',
      user: 2,
      approver: 1,
      lines: [
        { sku: 'CB-400', quantity: 3, price: 499 },
        { sku: 'LP-1', quantity: 1, price: 2000 },
      ],
      note: 'Ring twice.',
    },
    { id: 2, status: 'open', user: 2, approver: null, lines: [{ sku: 'LP-1', quantity: 1, price: 2000 }] },
  ]
  const sum = (order: OrderRow) => order.lines.reduce((all, { quantity, price }) => all + quantity * price, 0)
  const shownUser = (id: number) => format.shown(users.find((user) => user.id === id) as Row)
  const shown = (order: OrderRow) => ({
    id: order.id,
    status: order.status,
    customer: shownUser(order.user),
    approvedBy: order.approver === null ? null : shownUser(order.approver),
    lines: order.lines,
    total: sum(order),
    ...(order.note === undefined ? {} : { note: order.note }),
  })

  const reject = (res: Response, status: number, error: string) => void res.status(status).json({ error })
  const invalid = (res: Response, names: string[]) => reject(res, 400, `Not valid: ${names.sort().join(', ')}`)
  /** Names the wrong fields of a user. */
  const wrongIn = (body: Record<string, unknown> = {}, required = true) =>
    format.fields.filter((name) => {
      const value = body[name]
      if (value === undefined) return required
      if (typeof value !== 'string') return true
      return name === 'email' ? !value.includes('@') : name !== 'family' && value === ''
    })
  const found =
    <Value extends { id: number }>(
      rows: Value[],
      what: string,
      run: (row: Value, req: Request, res: Response) => void,
    ) =>
    (req: Request, res: Response) => {
      const row = rows.find(({ id }) => id === Number(req.params.id))
      if (row === undefined) reject(res, 404, `${what} not found`)
      else run(row, req, res)
    }

  const api = express.Router()
  api.get('/health', (_req, res) => void res.json({ ok: true }))
  api.use((req, res, next) => {
    if (req.get('Authorization') === 'Bearer token') next()
    else reject(res.set('WWW-Authenticate', 'Bearer'), 401, 'Send a token.')
  })
  api.use(express.json())

  api.get('/users', (req, res) => {
    const { role, max = '20' } = req.query
    const wrong: string[] = []
    if (!(Number(max) >= 1 && Number(max) <= 100)) wrong.push('max')
    if (role !== undefined && role !== 'admin' && role !== 'customer') wrong.push('role')
    if (wrong.length > 0) return invalid(res, wrong)
    const wanted = users.filter((user) => role === undefined || user.role === role)
    res.json(wanted.slice(0, Number(max)).map(format.shown))
  })
  api.post('/users', (req, res) => {
    const wrong = wrongIn(req.body)
    if (wrong.length > 0) return invalid(res, wrong)
    if (users.some(({ email }) => email === req.body.email)) return reject(res, 409, 'Email already in use')
    const user = { id: next++, role: 'customer', ...format.stored(req.body) } as Row
    users.push(user)
    res.status(201).location(`/api/users/${user.id}`).json(format.shown(user))
  })
  api.get(
    '/users/:id',
    found(users, 'User', (user, _req, res) => void res.json(format.shown(user))),
  )
  api.patch(
    '/users/:id',
    found(users, 'User', (user, req, res) => {
      const wrong = wrongIn(req.body, false)
      if (wrong.length > 0) invalid(res, wrong)
      else res.json(format.shown(Object.assign(user, format.stored(req.body))))
    }),
  )
  api.delete(
    '/users/:id',
    found(users, 'User', (user, _req, res) => {
      if (orders.some((order) => order.user === user.id)) return reject(res, 409, 'User still has orders')
      users.splice(users.indexOf(user), 1)
      res.status(204).end()
    }),
  )
  api.get(
    '/users/:id/orders',
    found(
      users,
      'User',
      (user, _req, res) => void res.json(orders.filter((order) => order.user === user.id).map(shown)),
    ),
  )
  api.get('/orders', (req, res) => {
    const { status } = req.query
    res.json(orders.filter((order) => status === undefined || order.status === status).map(shown))
  })
  api.post('/orders', (req, res) => {
    const { customer, lines, note } = req.body
    const wrong = wrongIn(customer).map((name) => `customer.${name}`)
    if (!Array.isArray(lines) || lines.length === 0) wrong.push('lines')
    if (wrong.length > 0) return invalid(res, wrong)
    let user = users.find(({ email }) => email === customer.email)
    if (user === undefined) {
      user = { id: next++, role: 'customer', ...format.stored(customer) } as Row
      users.push(user)
    }
    const order: OrderRow = { id: orders.length + 1, status: 'open', user: user.id, approver: null, lines, note }
    orders.push(order)
    res.status(201).location(`/api/orders/${order.id}`).json(shown(order))
  })
  api.get(
    '/orders/:id',
    found(orders, 'Order', (order, _req, res) => void res.json(shown(order))),
  )
  api.post(
    '/orders/:id/cancellation',
    found(orders, 'Order', (order, _req, res) => {
      if (order.status === 'paid') return reject(res, 409, 'Order is paid')
      order.status = 'cancelled'
      res.json(shown(order))
    }),
  )
  api.get(
    '/orders/:id/receipt',
    found(orders, 'Order', (order, _req, res) => {
      const lines = order.lines.map(({ sku, quantity }) => `${quantity} x ${sku}\n`)
      res.type('text').send(`${lines.join('')}${sum(order) / 100} EUR\n`)
    }),
  )

  const app = express()
  app.use('/api', api)
  app.use((_req: Request, res: Response) => reject(res, 404, 'Not Found'))
  app.use((err: { status?: number }, _req: Request, res: Response, _next: unknown) => {
    reject(res, err.status ?? 500, err.status === 400 ? 'Bad Request' : 'Internal Server Error')
  })
  return app
}
