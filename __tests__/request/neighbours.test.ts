import express, { type RequestHandler, Router } from 'express'
import { AcceptHeaderVersioning, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// Apps of one process share the prototype of their requests. An app without the package sees nothing of the other.

const own = express.request.accepts
const versioned = versioning({ scheme: AcceptHeaderVersioning, defaultVersion: '1' })
const headers = { Accept: 'application/json; version=2' }
const seen: RequestHandler = (req, res) => {
  const { version, versioningScheme, resolverMatch, reverse, accepts } = req
  res.json([String(version), typeof versioningScheme, typeof resolverMatch, typeof reverse, accepts === own])
}
const NOTHING = ['undefined', 'undefined', 'undefined', 'undefined', true]

test('an app without versioning() has requests as Express makes them', async () => {
  const one = await serve((app) => app.use(versioned, seen))
  const other = await serve((app) => app.use(seen))
  const without = (await other.get('/', headers)).json
  expect((await one.get('/', headers)).json).toEqual(['2', 'object', 'object', 'function', false])
  expect([without, (await other.get('/', headers)).json]).toEqual([NOTHING, NOTHING])
})

test('there, assigned properties are plain ones, and accepts() keeps its parameters', async () => {
  const assign: RequestHandler = (req, res) => {
    const before = req.accepts('application/json')
    Object.assign(req, { version: '7', reverse: 'x', accepts: 'y' })
    const { version, reverse, accepts } = Object.getOwnPropertyDescriptors(req)
    const values = [version, reverse, accepts].map((one) => one?.writable && one.enumerable && one.value)
    res.json([before, ...values, req.version])
  }
  const one = await serve((app) => app.use(versioned, seen))
  await one.get('/', headers)
  const other = await serve((app) => app.use(assign))
  expect((await other.get('/', headers)).json).toEqual([false, '7', 'x', 'y', '7'])
})

test('all routers and sub-apps behind versioning() have them, also those that it fell through', async () => {
  const inner = express().use(versioned)
  const server = await serve((app) => {
    app.use('/mounted', versioned, express().use('/deep', express().use(seen)), express().use(seen))
    app.use('/routed', Router().use(versioned, Router().use(express().use(seen))))
    app.use('/called', versioned, (req, res, next) => void express().use(seen)(req, res, next))
    app.use('/through', Router().use(express().use(inner)), seen)
    app.use('/assigned', (req, _res, next) => next(void Object.assign(req, { version: '9' })), versioned, seen)
  })
  for (const path of ['/mounted', '/mounted/deep', '/routed', '/called', '/through', '/assigned']) {
    expect((await server.get(path, headers)).json).toEqual(['2', 'object', 'object', 'function', false])
  }
})

test('accepts() of one request asks another one for its own version', async () => {
  const answers: unknown[] = []
  const accepts: RequestHandler = (req, res) => {
    const plain = Object.setPrototypeOf({ headers: { accept: headers.Accept } }, express.request)
    answers.push(req.accepts('application/json'), req.accepts.call(plain, 'application/json'))
    answers.push(req.accepts.call(Object.assign(plain, { headers: {} }), 'application/json'))
    res.json(null)
  }
  const server = await serve((app) => app.use(versioned, accepts))
  await server.get('/', headers)
  expect(answers).toEqual(['application/json', false, 'application/json'])
})
