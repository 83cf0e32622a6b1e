import express, { type Application } from 'express'
import {
  HeaderVersioning,
  namedRoutes,
  problemDetails,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { type OpenApiDocuments, openapi } from 'express-versioning/openapi'
import { listen, serve } from '../support/serve'

const allowedVersions = ['v1', 'v2']

const one = () => {
  const routes = namedRoutes({ x: '/x' })
  routes.route('x').get((req, res) => {
    res.json({ version: req.version })
  })
  return routes
}

/** Serves an app with documents in front of the routes that they describe. */
function shop(fill?: (app: Application, docs: OpenApiDocuments) => void, given: Partial<VersioningOptions> = {}) {
  return serve((app) => {
    const options = { scheme: HeaderVersioning, allowedVersions, routes: one(), ...given } as VersioningOptions
    const docs = openapi(options, { info: { title: 'Shop' } })
    if (fill === undefined) app.use('/openapi', docs)
    else fill(app, docs)
    app.use(versioning(options), options.routes as never)
  })
}

test('/openapi/v1.json is the document', async () => {
  const { get } = await shop()
  const { status, headers, json } = await get('/openapi/v1.json')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers).not.toHaveProperty('vary')
  expect(json).toMatchObject({ openapi: '3.1.1', info: { title: 'Shop', version: 'v1' }, paths: { '/x': {} } })
})

test('the document is the one that document() gives', async () => {
  let docs: OpenApiDocuments | undefined
  const { get } = await shop((app, made) => {
    docs = made
    app.use('/openapi', made)
  })
  expect((await get('/openapi/v2.json')).json).toEqual(docs?.document('v2'))
})

test.each<[version: string, url: string]>([
  ['1.0', '/openapi/1.0.json'],
  ['a/b', '/openapi/a%2Fb.json'],
  ['a b?#%', '/openapi/a%20b%3F%23%25.json'],
  ['ü', '/openapi/%C3%BC.json'],
  ['', '/openapi/.json'],
  ['.', '/openapi/..json'],
  ['v1.json', '/openapi/v1.json.json'],
  ['\ud800', '/openapi/%EF%BF%BD.json'],
])('the version %j is at %s', async (version, url) => {
  const { get } = await shop(undefined, { allowedVersions: ['other', version] })
  expect((await get('/openapi')).json).toMatchObject({ documents: [{}, { version, url }] })
  const { status, json } = await get(url)
  expect({ status, json }).toMatchObject({
    status: 200,
    json: { info: { version: JSON.parse(JSON.stringify(version)) } },
  })
})

describe('what is not there', () => {
  test.each(['/openapi/v3.json', '/openapi/V1.json', '/openapi/constructor.json', '/openapi/v1%2F.json'])(
    '%s is 404, whatever comes behind',
    async (path) => {
      const { get } = await shop((app, docs) =>
        app.use('/openapi', docs).use('/openapi', (_req, res) => res.send('behind')),
      )
      const { status, json } = await get(path)
      expect({ status, json }).toEqual({
        status: 404,
        json: { error: 'No document of this version.', code: 'ERR_VERSION_NOT_FOUND', name: 'NotFound' },
      })
    },
  )

  test('is 404 where nothing comes behind, and a problem where problems are told', async () => {
    const options = { scheme: HeaderVersioning, allowedVersions, routes: one() }
    const bare = await listen(express().use('/openapi', openapi(options)))
    expect(await bare.get('/openapi/v3.json')).toMatchObject({ status: 404 })
    const told = await listen(express().use('/openapi', openapi(options)).use(problemDetails()))
    expect((await told.get('/openapi/v3.json')).json).toMatchObject({ status: 404, supportedVersions: ['v1', 'v2'] })
  })

  test.each(['/openapi/v1', '/openapi/v1.json/', '/openapi/a/v1.json', '/openapi/v1.yaml', '/openapi/%zz.json'])(
    '%s is passed on',
    async (path) => {
      const { get } = await shop((app, docs) => app.use('/openapi', docs).use((_req, res) => res.send('behind')))
      expect((await get(path)).text).toBe('behind')
    },
  )

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is passed on', async (method) => {
    const { send } = await shop((app, docs) => app.use('/openapi', docs).use((_req, res) => res.send('behind')))
    expect((await send(method, '/openapi/v1.json')).text).toBe('behind')
    expect((await send(method, '/openapi/')).text).toBe('behind')
  })
})

test('HEAD and conditional requests', async () => {
  const { get, send } = await shop()
  for (const path of ['/openapi/v1.json', '/openapi/']) {
    const full = await get(path)
    const head = await send('HEAD', path)
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(full.headers['content-length'])
    const etag = full.headers.etag as string
    expect(await get(path, { 'If-None-Match': etag })).toMatchObject({ status: 304, text: '' })
    expect(await get(path, { 'If-None-Match': '"other"' })).toMatchObject({ status: 200 })
  }
})

test('a document that cannot be made is an error of the app', async () => {
  const routes = one()
  routes.describe('GET x', { response: { items: { $ref: '#/none' } } })
  const { get } = await shop(undefined, { routes })
  expect(await get('/openapi/v1.json')).toMatchObject({ status: 500, json: { name: 'TypeError' } })
})

describe('behind versioning()', () => {
  test('in front, what others said of Vary stays', async () => {
    const { get } = await shop((app, docs) =>
      app.use(
        '/openapi',
        (_req, res, next) => {
          res.vary('X-API-Version')
          next()
        },
        docs,
      ),
    )
    expect((await get('/openapi/')).headers.vary).toBe('X-API-Version')
  })

  test('in a table, at a mount with a version', async () => {
    const routes = one()
    const options = { scheme: URLPathVersioning, allowedVersions, routes }
    routes.use('/docs', openapi(options, { mount: '/:version' }))
    const { get } = await serve((app) => app.use('/:version', versioning(options), routes))
    expect((await get('/v1/docs/v2.json')).json).toMatchObject({ servers: [{ url: '/v2' }] })
    expect((await get('/v1/docs')).json).toMatchObject({ documents: [{ url: '/v1/docs/v1.json' }, {}] })
  })
})
