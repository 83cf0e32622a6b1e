import express from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, convertRequest, fields, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { ask } from '../support/changes'
import { serve } from '../support/serve'

// QUERY (RFC 10008): a safe method with a body. OpenAPI has it from 3.2 on.

const Song = { $id: 'Song', type: 'object', required: ['title'], properties: { title: { type: 'string' } } }
const renamed = { Song: fields({ renamed: { name: 'title' } }) }
const changes = versionHistory('v1').version('v2', change('Songs have a title.', renamed))
const QUERY = { method: 'QUERY', body: { name: 'Yesterday' } }
const scheme = HeaderVersioning
const info = { title: 'Songs' }

function table() {
  const routes = namedRoutes({ search: '/search', all: '/all', some: '/some' })
  routes.route('search').query((req, res) => void res.json({ title: req.body.title }))
  routes.route('all').all((req, res) => void res.json({ title: req.body?.title ?? 'none' }))
  routes
    .route('some')
    .get((_req, res) => void res.json({ title: 'x' }))
    .all((req, res) => void res.json(req.body))
  routes.describe('QUERY search', { body: Song, response: Song })
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'] as const) {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: Song }
    routes.describe(`${method} all`, { ...body, response: Song })
  }
  routes.describe('GET some', { response: Song }).describe('QUERY some', { body: Song, response: Song })
  return routes
}

test.each(['/search', '/all', '/some'])('a QUERY of an older version is converted: %s', async (path) => {
  const server = await serve((app) => {
    const routes = table()
    app.use(versioning({ scheme, defaultVersion: 'v1', changes, routes }), express.json(), routes)
  })
  expect(await ask(server, 'v1', path, QUERY)).toMatchObject({ status: 200, json: QUERY.body })
  expect(await ask(server, 'v2', path, { ...QUERY, body: { title: 'x' } })).toMatchObject({ json: { title: 'x' } })
})

test('a QUERY that nobody described does not reach handlers for all methods in older versions', async () => {
  const routes = namedRoutes({ all: '/all' })
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    routes.describe(`${method} all`, { body: null, response: Song })
  }
  routes.route('all').all((_req, res) => void res.json({ title: 'x' }))
  const server = await serve((app) => {
    app.use(versioning({ scheme, defaultVersion: 'v1', changes, routes }), express.json(), routes)
  })
  expect((await ask(server, 'v1', '/all', QUERY)).status).toBe(404)
  expect((await ask(server, 'v1', '/all')).json).toEqual({ name: 'x' })
})

test('documents have it from OpenAPI 3.2 on', () => {
  const options = { scheme, defaultVersion: 'v1', changes, routes: table() }
  const fieldsIn = (version?: '3.1.1' | '3.2.0') => {
    const { paths } = openapi(options, { info, ...(version && { openapi: version }) }).document('v1')
    return ['/search', '/all', '/some'].map((path) => Object.keys(paths[path] ?? {}).includes('query'))
  }
  expect([fieldsIn('3.2.0'), fieldsIn('3.1.1'), fieldsIn()]).toEqual([
    [true, true, true],
    [false, false, false],
    [false, false, false],
  ])
})

const content = { 'application/json': { schema: { $ref: '#/components/schemas/Song' } } }
const operation = { requestBody: { content }, responses: { 200: { description: 'Songs', content } } }
const documentOf = (version: string) => {
  const { $id: _, ...schema } = Song
  const paths = { '/songs': { get: { responses: operation.responses }, query: operation } }
  return { openapi: version, info: { ...info, version: 'v2' }, paths, components: { schemas: { Song: schema } } }
}

test.each<[version: string, isThere: boolean]>([
  ['3.2.0', true],
  ['3.1.1', false],
  ['3.0.4', false],
])('a given document of OpenAPI %s has it: %p', async (version, isThere) => {
  jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const routes = routesOf(documentOf(version))
  expect(routes.list().map(({ methods }) => methods.includes('QUERY'))).toEqual([isThere])
  const options = { scheme, defaultVersion: 'v1', changes, routes }
  const server = await serve((app) => {
    app.use(versioning(options), express.json(), convertRequest, (req, res) => void res.json(req.body))
  })
  const response = await ask(server, 'v1', '/songs', QUERY)
  expect([response.status, isThere ? response.json : undefined]).toEqual(isThere ? [200, QUERY.body] : [404, undefined])
  jest.restoreAllMocks()
})
