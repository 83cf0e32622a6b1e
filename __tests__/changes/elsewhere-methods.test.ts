// Methods of requests with handlers elsewhere: those that middleware changes, and OPTIONS.
import type { Application, RequestHandler } from 'express'
import { convertRequest } from 'express-versioning/changes'
import { ask } from '../support/changes'
import {
  ADA,
  both,
  CHANGED,
  OLD_ADA,
  parser,
  serveUsers,
  UNHANDLED,
  users,
  warningsOfTests,
} from '../support/elsewhere'

const warnings = warningsOfTests()
const overriding: RequestHandler = (req, _res, next) => {
  req.method = String(req.headers['x-method'] ?? req.method)
  next()
}

test.each<[title: string, isRun: boolean, fill: (app: Application) => unknown]>([
  ['in front of convertRequest', false, (app) => app.use(overriding, parser(), convertRequest)],
  ['in front of convertRequest.with()', false, (app) => app.use(overriding, convertRequest.with(parser()))],
  ['behind convertRequest', true, (app) => both(app).use(overriding)],
  ['without convertRequest', true, (app) => app.use(overriding)],
])('a method that was changed behind versioning(): %s', async (_title, isRun, fill) => {
  const handler = jest.fn((_req, res) => res.sendStatus(204))
  const server = await serveUsers((app) => {
    fill(app)
    app.use(handler)
  })
  for (const [method, path, other] of [
    ['PUT', '/users/7', 'DELETE'],
    ['DELETE', '/users/7', 'PATCH'],
    ['GET', '/users/me', 'PUT'],
    ['GET', '/users/me', 'put'],
  ] as const) {
    const asked = { method, headers: { 'X-Method': other } }
    handler.mockClear()
    const { status, json } = await ask(server, 'v1', path, asked)
    expect({ other, status, json, runs: handler.mock.calls.length }).toMatchObject({
      ...{ other, status: 500, runs: isRun ? 1 : 0 },
      json: { ...CHANGED.json, error: expect.stringContaining('Change it in front of versioning().') },
    })
    expect((await ask(server, 'v2', path, asked)).status).toBe(204)
    expect((await ask(server, 'v1', '/users/7', { method: 'DELETE' })).status).toBe(204)
  }
})

test('HEAD and GET are one operation', async () => {
  const server = await serveUsers((app) => app.use(parser(), overriding, convertRequest).use('/users', users()))
  expect((await ask(server, 'v1', '/users/7', { method: 'HEAD', headers: { 'X-Method': 'GET' } })).status).toBe(200)
})

test('a method that is none is rejected, with a warning that does not have it', async () => {
  const server = await serveUsers((app) => app.use(convertRequest), { front: [overriding] })
  for (const method of ['EVIL<script>', 'put', 'x'.repeat(99)]) {
    expect(await ask(server, 'v1', '/users/7', { headers: { 'X-Method': method } })).toMatchObject(UNHANDLED)
  }
  expect(warnings).toStrictEqual([expect.stringMatching(/: A request of another method below "\/users\/:id" in an/)])
})

// OPTIONS that nobody described ---------------------------------------------------------------------------------------

const all: RequestHandler = (req, res) => void res.json(req.body?.id ? req.body : ADA)
const preflight = { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET' }

test('OPTIONS does not get the newest shape in an older version, nor its body past the conversion', async () => {
  const converting = await serveUsers((app) => both(app).all('/users/:id', all))
  const forgetful = await serveUsers((app) => app.use(parser()).use('/users', all))
  for (const server of [converting, forgetful]) {
    for (const headers of [{}, preflight]) {
      const { status, text } = await ask(server, 'v1', '/users/7', { method: 'OPTIONS', headers })
      expect([status, text.includes('Lovelace')]).toStrictEqual([500, false])
    }
    expect((await ask(server, 'v2', '/users/7', { method: 'OPTIONS' })).json).toStrictEqual(ADA)
  }
  const asked = { method: 'OPTIONS', body: OLD_ADA }
  expect(await ask(converting, 'v1', '/users/7', asked)).toMatchObject(UNHANDLED)
  expect(await ask(forgetful, 'v1', '/users/7', asked)).toMatchObject(CHANGED)
})

test.each<[title: string, fill: (app: Application) => unknown, expected: string]>([
  ['Express', (app) => app.use('/users', users()), 'PUT'],
  ['a route of its own', (app) => app.options('/users/:id', (_req, res) => void res.send('own')), 'own'],
  ['a more special route', (app) => app.options('/users/7', (_req, res) => void res.send('special')), 'special'],
  ['middleware', (app) => app.use((_req, res) => void res.status(204).end()), ''],
])('OPTIONS without JSON passes: %s', async (_title, fill, expected) => {
  const server = await serveUsers((app) => fill(both(app)))
  for (const headers of [{}, preflight]) {
    const { status, text } = await ask(server, 'v1', '/users/7', { method: 'OPTIONS', headers })
    expect(status).toBeLessThan(300)
    expect(text).toContain(expected)
  }
  expect(warnings).toStrictEqual([])
})

test.each([
  ['reject', 'GET, PUT, OPTIONS'],
  ['pass', 'GET, POST, PUT, OPTIONS'],
] as const)(
  'Allow has the methods that a version serves, and OPTIONS, with undocumented: %s',
  async (undocumented, allowed) => {
    const options: RequestHandler = (_req, res) => void res.set('Allow', 'GET, POST, PUT, OPTIONS').sendStatus(204)
    const server = await serveUsers((app) => app.options('/users/:id', options), { table: { undocumented } })
    const { status, headers } = await ask(server, 'v1', '/users/7', { method: 'OPTIONS' })
    expect([status, headers.allow]).toStrictEqual([204, allowed])
  },
)
