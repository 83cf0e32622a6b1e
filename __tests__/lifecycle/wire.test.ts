import express, { type ErrorRequestHandler } from 'express'
import { QueryParameterVersioning, versioning } from 'express-versioning'
import { rows } from '../support/rows'
import { listen } from '../support/serve'

const own = Object.assign(new Error(), { status: 503, headers: { A: 'b' } })
const teapot: ErrorRequestHandler = (_err, _req, res, _next) => void res.status(418).end()

test('the header fields of a version stand on every answer, whoever writes it', async () => {
  const lifecycle = { v1: { deprecated: '2020-01-01', sunset: '2020-01-01', info: 'https://a.example/' } }
  const settings = { allowedVersions: ['v1', 'v2'], reportVersions: true, lifecycle }
  const app = express().use(versioning({ scheme: QueryParameterVersioning, ...settings }))
  app.get('/handler', (req, res) => void res.json(req.version))
  app.get('/redirect', (_req, res) => res.redirect('/elsewhere'))
  app.get('/file', (_req, res) => res.sendFile('/nowhere/at/all'))
  app.get(['/error', '/handled'], (_req, _res, next) => next(new Error('x')))
  app.get('/own', (_req, _res, next) => next(own)).use('/handled', teapot)
  const { send } = await listen(app)
  const headers = {
    deprecation: '@1577836800',
    sunset: 'Wed, 01 Jan 2020 00:00:00 GMT',
    link: '<https://a.example/>; rel="deprecation"; type="text/html", <https://a.example/>; rel="sunset"',
    'api-supported-versions': 'v1, v2',
    'api-deprecated-versions': 'v1',
    'api-version': 'v1',
  }
  for (const [status, method = '', path] of rows(`
    200 | GET  | /handler
    200 | HEAD | /handler
    404 | GET  | /nobody
    302 | GET  | /redirect
    404 | GET  | /file
    500 | GET  | /error
    418 | GET  | /handled
    503 | GET  | /own
  `)) {
    expect(await send(method, `${path}?version=v1`)).toMatchObject({ status: Number(status), headers })
  }
})
