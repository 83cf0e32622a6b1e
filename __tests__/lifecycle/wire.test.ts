import express from 'express'
import { QueryParameterVersioning, versioning } from 'express-versioning'
import { rows } from '../support/rows'
import { listen } from '../support/serve'

test('the header fields of a version stand on every answer, whoever writes it', async () => {
  const lifecycle = { v1: { deprecated: '2020-01-01', sunset: '2020-01-01' } }
  const settings = { allowedVersions: ['v1', 'v2'], reportVersions: true, lifecycle }
  const app = express().use(versioning({ scheme: QueryParameterVersioning, ...settings }))
  app.get('/handler', (req, res) => void res.json(req.version))
  app.get('/redirect', (_req, res) => res.redirect('/elsewhere'))
  app.get('/file', (_req, res) => res.sendFile('/nowhere/at/all'))
  app.get('/error', (_req, _res, next) => next(Object.assign(new Error(), { status: 503, headers: { A: 'b' } })))
  const { send } = await listen(app)
  const headers = { deprecation: '@1577836800', sunset: 'Wed, 01 Jan 2020 00:00:00 GMT', 'api-version': 'v1' }
  for (const [status, method = '', path] of rows(`
    200 | GET  | /handler
    200 | HEAD | /handler
    404 | GET  | /nobody
    302 | GET  | /redirect
    404 | GET  | /file
    503 | GET  | /error
  `)) {
    expect(await send(method, `${path}?version=v1`)).toMatchObject({ status: Number(status), headers })
  }
})
