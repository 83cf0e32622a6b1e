import express from 'express'
import { QueryParameterVersioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { ask, historyOf, serveChanges } from '../support/changes'

const flat = change('Flat.', { 'GET other': { response: (value: unknown) => ({ value }) } })
const history = versionHistory('2024').version('2025', flat)

describe('accepted versions', () => {
  test('keep the other settings of the scheme', async () => {
    const scheme = new QueryParameterVersioning({ versionParam: 'v', defaultVersion: '2024' })
    const server = await serveChanges(
      history,
      (table) => table.route('other').get((req, res) => void res.json(req.version)),
      {
        scheme,
        defaultVersion: undefined,
      },
    )
    expect((await server.get('/other')).json).toEqual({ value: '2024' })
    expect((await server.get('/other?v=2025')).json).toBe('2025')
    expect((await server.get('/other?v=2026')).status).toBe(404)
  })
})

test('one that is gone keeps the error format of its version', async () => {
  const format = change('Errors.', { '*': { error: ({ code }: { code: string }) => ({ old: code }) } })
  const server = await serveChanges(historyOf([format]), () => {}, {
    lifecycle: { v1: { sunset: '2020-01-01' } },
    afterSunset: 'gone',
  })
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 410, json: { old: 'ERR_VERSION_GONE' } })
})

describe('appliesTo()', () => {
  const later = change('Later.', { 'GET other': { response: (value: unknown) => value } })
  const foreign = change('Elsewhere.', { 'GET other': 'added' })
  const told = async (which: typeof later | typeof foreign, version: string, assigned = version) => {
    const server = await serveChanges(historyOf([flat], [later], []), (table) => {
      table.route('user-list').get((req, res) => {
        req.version = assigned
        res.json(which.appliesTo(req))
      })
    })
    return (await ask(server, version, '/users')).json
  }

  test.each([
    ['v1', false],
    ['v2', false],
    ['v3', true],
    ['v4', true],
  ])('%s: %p', async (version, applies) => {
    expect(await told(later, version)).toBe(applies)
  })

  test.each([
    ['a change that the history does not have', () => told(foreign, 'v1')],
    ['a version that the history does not have', () => told(later, 'v1', 'v9')],
  ])('%s: true', async (_title, asked) => {
    expect(await asked()).toBe(true)
  })

  test.each([{}, { version: 'v1' }, { version: undefined }])(
    'a request without a versioning(): true, %j',
    (request) => {
      expect(later.appliesTo(Object.assign(Object.create(express.request), request))).toBe(true)
      expect(later.appliesTo(request as express.Request)).toBe(true)
    },
  )

  test('after a refusal, in an error handler: true', async () => {
    const server = await serveChanges(historyOf([later]), (routes, app) => {
      app.use(routes, ((_error, req, res, _next) => {
        res.json(later.appliesTo(req))
      }) as express.ErrorRequestHandler)
    })
    expect((await ask(server, 'v9', '/favicon.ico')).json).toBe(true)
  })
})
