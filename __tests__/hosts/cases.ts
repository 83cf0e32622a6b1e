// The requests that every host gets, in order. `golden/<version>.json` has the responses: those of older versions were recorded
// from `old-app.ts`, those of the newest from today's app without the package.

export const versions = ['2024-01-01', '2025-01-01', '2026-01-01'] as const
export type Version = (typeof versions)[number]

/** What differs by version is a list, oldest first. */
type ByVersion<Value> = Value | readonly [Value, Value, Value]

interface Case {
  method: string
  /** Below `/api`. */
  path: ByVersion<string>
  headers?: Record<string, string>
  /** A value that is sent as JSON. */
  body?: ByVersion<object>
  /** A body that is sent as it is, as `application/json`. */
  raw?: string
}

const lamp = { sku: 'LP-1', quantity: 2, price: 2000 }
/** A user as clients of each version send one. */
const user = (name: string, more: object = {}): [object, object, object] => {
  const [given = '', ...family] = name.split(' ')
  const split = { given, family: family.join(' '), ...more }
  return [{ name, ...more }, split, split]
}
const order = (more: object, name = 'Edsger Dijkstra'): [object, object, object] => {
  const [old, customer] = user(name, { email: 'edsger@example.com' })
  const lines = [lamp]
  return [
    { customer: old, lines, ...more },
    { customer, lines, ...more },
    { customer, items: lines, ...more },
  ]
}

export const cases: readonly Case[] = [
  { method: 'GET', path: '/health', headers: { Authorization: '' } },
  { method: 'GET', path: '/users' },
  { method: 'GET', path: '/users', headers: { Authorization: 'Bearer other' } },
  { method: 'GET', path: '/users?role=customer' },
  { method: 'GET', path: ['/users?max=1', '/users?max=1', '/users?limit=1'] },
  {
    method: 'GET',
    path: ['/users?role=customer&max=1', '/users?max=1&role=customer', '/users?limit=1&role=customer'],
  },
  { method: 'GET', path: ['/users?max=0', '/users?max=1000', '/users?limit=0'] },
  { method: 'GET', path: '/users?role=boss' },
  { method: 'GET', path: '/users?nothing=known' },
  { method: 'HEAD', path: '/users' },
  { method: 'GET', path: '/users/1' },
  { method: 'HEAD', path: '/users/1' },
  { method: 'GET', path: '/users/99' },
  { method: 'HEAD', path: '/users/99' },
  { method: 'GET', path: '/users/abc' },
  { method: 'GET', path: '/users/1', headers: { 'If-None-Match': '*' } },
  { method: 'POST', path: '/users', body: user('Alan Turing', { email: 'alan@example.com' }) },
  { method: 'POST', path: '/users', body: user('Plato', { email: 'plato@example.com' }) },
  { method: 'POST', path: '/users', body: user('Juan de la Cruz', { email: 'juan@example.com', role: 'admin' }) },
  { method: 'POST', path: '/users', body: user('Alan Again', { email: 'alan@example.com' }) },
  { method: 'POST', path: '/users', body: { email: 'nobody@example.com' } },
  { method: 'POST', path: '/users', body: user('', { email: 'nope' }) },
  { method: 'POST', path: '/users', body: [{ name: 7 }, { given: 7 }, { given: 7 }] },
  { method: 'POST', path: '/users', raw: '{"name": "broken' },
  { method: 'POST', path: '/users', body: user('No Token'), headers: { Authorization: '' } },
  { method: 'GET', path: '/users/5' },
  { method: 'PATCH', path: '/users/3', body: user('Linus B Torvalds') },
  { method: 'PATCH', path: '/users/3', body: { email: 'lt@example.com' } },
  { method: 'PATCH', path: '/users/3', body: {} },
  { method: 'PATCH', path: '/users/3', body: { email: 'nope' } },
  { method: 'PATCH', path: '/users/99', body: user('No Body') },
  { method: 'DELETE', path: '/users/2' },
  { method: 'DELETE', path: '/users/4' },
  { method: 'DELETE', path: '/users/4' },
  { method: 'GET', path: '/orders' },
  { method: 'GET', path: '/orders/1' },
  { method: 'HEAD', path: '/orders/1' },
  { method: 'GET', path: '/orders/77' },
  { method: 'POST', path: '/orders', body: order({}) },
  { method: 'POST', path: '/orders', body: order({ note: 'Again.', discount: 50 }) },
  { method: 'POST', path: '/orders', body: { customer: {} } },
  { method: 'POST', path: '/orders', body: order({}, '') },
  { method: 'POST', path: '/orders/2/cancellation' },
  { method: 'POST', path: '/orders/1/cancellation' },
  { method: 'GET', path: '/orders/1/receipt' },
  { method: 'GET', path: '/orders/77/receipt' },
  { method: 'GET', path: '/stats' },
  { method: 'GET', path: '/nothing' },
  { method: 'DELETE', path: '/users' },
]

/** Returns a case as clients of a version send it: those of the oldest name no version. */
export function sentIn(version: Version, { method, path, headers, body, raw }: Case) {
  const own = <Value>(value: ByVersion<Value>) =>
    (Array.isArray(value) ? value[versions.indexOf(version)] : value) as Value
  const content = raw ?? (body && JSON.stringify(own(body)))
  return {
    method,
    path: `/api${own(path)}`,
    headers: {
      Authorization: 'Bearer token',
      ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(version === versions[0] ? {} : { 'X-API-Version': version }),
      ...headers,
    },
    body: content,
  }
}

/** Names a case, for titles and golden files. */
export const titleOf = ({ method, path, body }: ReturnType<typeof sentIn>): string =>
  `${method} ${path} ${body ?? ''}`.trim()
