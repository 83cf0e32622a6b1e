// The shop that all hosts serve, without HTTP. It speaks the newest format only, and knows nothing of versions.
import { STATUS_CODES } from 'node:http'

export interface NewUser {
  given: string
  family: string
  email: string
}
export interface User extends NewUser {
  id: number
  role: 'admin' | 'customer'
}
export interface Item {
  sku: string
  quantity: number
  /** In cents. */
  price: number
}
export interface Order {
  id: number
  status: 'open' | 'paid' | 'cancelled'
  customer: User
  approvedBy: User | null
  items: Item[]
  total: { amount: number; currency: string }
  note?: string
}
export interface NewOrder {
  customer: NewUser
  items: Item[]
  note?: string
}
export interface List<Value> {
  data: Value[]
  total: number
}
/** The newest format of errors, `application/problem+json`. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
}

/** An error that clients read. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** Describes any error. Only a `Failure` tells its message. */
export function problemOf(error: unknown): Problem {
  const { status = 500 } = error as { status?: number }
  const title = STATUS_CODES[status] as string
  return { type: 'about:blank', title, status, detail: error instanceof Failure ? error.message : title }
}

/** Rejects a request in the way of this shop. The fields are sorted. */
export const notValid = (fields: Iterable<string>) => new Failure(400, `Not valid: ${[...fields].sort().join(', ')}`)

/** @throws {Failure} without the token of a user. */
export function authenticate(authorization: string | undefined): void {
  if (authorization !== 'Bearer token') throw new Failure(401, 'Send a token.')
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const fits: Record<string, (value: unknown) => boolean> = {
  given: isText,
  family: (value) => typeof value === 'string',
  email: (value) => isText(value) && String(value).includes('@'),
}
const isItem = ({ sku, quantity, price }: Item) => isText(sku) && quantity > 0 && price >= 0

/** Lists the wrong fields of a user. */
function wrongIn(body: unknown, required: readonly string[] = Object.keys(fits)): string[] {
  const sent = Object(body) as Record<string, unknown>
  return Object.keys(fits).filter((name) => (name in sent || required.includes(name)) && !fits[name]?.(sent[name]))
}

/** @throws {Failure} with the names of wrong fields, if there are any. */
function check(wrong: readonly string[]): void {
  if (wrong.length > 0) throw notValid(wrong)
}

/** A shop with its own data. */
export class Shop {
  readonly #users = new Map<number, User>()
  readonly #orders = new Map<number, Order>()

  constructor() {
    const [ada, grace] = [
      { given: 'Ada', family: 'Lovelace', email: 'ada@example.com', role: 'admin' as const },
      { given: 'Grace', family: 'Hopper', email: 'grace@example.com' },
      { given: 'Linus', family: 'Torvalds', email: 'linus@example.com' },
    ].map((user) => this.#add(user)) as [User, User]
    const cable = { sku: 'CB-400', quantity: 3, price: 499 }
    const lamp = { sku: 'LP-1', quantity: 1, price: 2000 }
    this.#order({ status: 'paid', customer: grace, approvedBy: ada, items: [cable, lamp], note: 'Ring twice.' })
    this.#order({ status: 'open', customer: grace, approvedBy: null, items: [lamp] })
  }

  users({ role, limit = '20' }: { role?: string | undefined; limit?: string | undefined }): List<User> {
    const most = Number(limit)
    const isRole = role === undefined || role === 'admin' || role === 'customer'
    check([most >= 1 && most <= 100 ? [] : 'limit', isRole ? [] : 'role'].flat())
    const found = [...this.#users.values()].filter((user) => role === undefined || user.role === role)
    return { data: found.slice(0, most), total: found.length }
  }

  addUser(body: NewUser): User {
    check(wrongIn(body))
    if (this.#byEmail(body.email)) throw new Failure(409, 'Email already in use')
    return this.#add(body)
  }

  user(id: string | number): User {
    return this.#users.get(Number(id)) ?? this.#missing('User')
  }

  changeUser(id: string | number, body: Partial<NewUser>): User {
    const user = this.user(id)
    check(wrongIn(body, []))
    const { given = user.given, family = user.family, email = user.email } = body
    return Object.assign(user, { given, family, email })
  }

  deleteUser(id: string | number): void {
    const user = this.user(id)
    const hasOrders = [...this.#orders.values()].some(({ customer }) => customer === user)
    if (hasOrders) throw new Failure(409, 'User still has orders')
    this.#users.delete(user.id)
  }

  orders(): List<Order> {
    return { data: [...this.#orders.values()], total: this.#orders.size }
  }

  addOrder(body: NewOrder): Order {
    const { customer, items, note } = Object(body) as NewOrder
    const areItems = Array.isArray(items) && items.length > 0 && items.every(isItem)
    check([...wrongIn(customer).map((name) => `customer.${name}`), ...(areItems ? [] : ['items'])])
    const user = this.#byEmail(customer.email) ?? this.#add(customer)
    return this.#order({ status: 'open', customer: user, approvedBy: null, items, note })
  }

  order(id: string | number): Order {
    return this.#orders.get(Number(id)) ?? this.#missing('Order')
  }

  cancelOrder(id: string | number): Order {
    const order = this.order(id)
    if (order.status === 'paid') throw new Failure(409, 'Order is paid')
    return Object.assign(order, { status: 'cancelled' as const })
  }

  /** Plain text. */
  receipt(id: string | number): string {
    const { total, items } = this.order(id)
    return `${items.map(({ sku, quantity }) => `${quantity} x ${sku}\n`).join('')}${total.amount / 100} ${total.currency}\n`
  }

  stats(): { users: number; orders: number } {
    return { users: this.#users.size, orders: this.#orders.size }
  }

  #add({ given, family, email, role = 'customer' }: NewUser & { role?: User['role'] }): User {
    const id = Math.max(0, ...this.#users.keys()) + 1
    const user = { id, given, family, email, role }
    this.#users.set(id, user)
    return user
  }

  #order({ note, ...order }: Omit<Order, 'id' | 'total' | 'note'> & { note?: string | undefined }): Order {
    const id = this.#orders.size + 1
    const amount = order.items.reduce((sum, { quantity, price }) => sum + quantity * price, 0)
    const total = { amount, currency: 'EUR' }
    const made = { id, ...order, total, ...(note === undefined ? {} : { note }) }
    this.#orders.set(id, made)
    return made
  }

  #byEmail(email: string): User | undefined {
    return [...this.#users.values()].find((user) => user.email === email)
  }

  #missing(what: string): never {
    throw new Failure(404, `${what} not found`)
  }
}
