import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { QueryParameterVersioning, versioning } from 'express-versioning'
import { listen } from '../support/serve'

// The header fields of a version stand on every answer, whoever writes it.

const lifecycle = { v1: { deprecated: '2020-01-01', sunset: '2020-01-01', info: 'https://a.example/' } }
const settings = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], reportVersions: true, lifecycle }
const own = Object.assign(new Error(), { status: 503, headers: { A: 'b' } })
const fail: RequestHandler = (_req, _res, next) => next(new Error('x'))
const failOwn: RequestHandler = (_req, _res, next) => next(own)
const teapot: ErrorRequestHandler = (_err, _req, res, _next) => void res.status(418).end()
const redirect: RequestHandler = (_req, res) => res.redirect('/elsewhere')
const lost: RequestHandler = (_req, res) => res.sendFile('/nowhere/at/all')
const tell: RequestHandler = (req, res) => void res.json(req.version)

test.each<[what: string, status: number, handlers: (RequestHandler | ErrorRequestHandler)[]]>([
  ['a handler', 200, [tell]],
  ['nobody', 404, []],
  ['a redirect', 302, [redirect]],
  ['a file that is not there', 404, [lost]],
  ["an error, by Express's own handler", 500, [fail]],
  ['an error, by a handler', 418, [fail, teapot]],
  ['an error with header fields', 503, [failOwn]],
  ['HEAD', 200, [tell]],
])('%s', async (what, status, handlers) => {
  const server = await listen(express().use(versioning(settings), ...(handlers as RequestHandler[])))
  const answer = await server.send(what === 'HEAD' ? 'HEAD' : 'GET', '/?version=v1')
  expect(answer).toMatchObject({
    status,
    headers: {
      deprecation: '@1577836800',
      sunset: 'Wed, 01 Jan 2020 00:00:00 GMT',
      link: '<https://a.example/>; rel="deprecation"; type="text/html", <https://a.example/>; rel="sunset"',
      'api-supported-versions': 'v1, v2',
      'api-deprecated-versions': 'v1',
      'api-version': 'v1',
    },
  })
})
