import express, { type RequestHandler } from 'express'
import {
  HeaderVersioning,
  namedRoutes,
  problemDetails,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { openapi } from 'express-versioning/openapi'
import { listen, serve } from '../support/serve'

const allowedVersions = ['v1', 'v2']

const one = () => {
  const routes = namedRoutes({ x: '/x' })
  routes.route('x').get((req, res) => void res.json({ version: req.version }))
  return routes
}
const behind: RequestHandler = (_req, res) => void res.send('behind')

/** Serves documents at `/openapi`. Requests that pass them are answered with the text `behind`. */
async function shop(given: Partial<VersioningOptions> = {}, ...before: RequestHandler[]) {
  const options = { scheme: HeaderVersioning, allowedVersions, routes: one(), ...given } as VersioningOptions
  const docs = openapi(options, { info: { title: 'Shop' } })
  return { docs, ...(await serve((app) => app.use('/openapi', ...before, docs, behind))) }
}

test('/openapi/v1.json is the document that document() gives, and needs no version', async () => {
  const { get, docs } = await shop()
  const { status, headers, json } = await get('/openapi/v1.json')
  expect([status, headers['content-type'], headers.vary]).toEqual([200, 'application/json; charset=utf-8', undefined])
  expect(json).toEqual(docs.document('v1'))
  expect(json).toMatchObject({ openapi: '3.1.1', info: { title: 'Shop', version: 'v1' }, paths: { '/x': {} } })
})

test('each version has a document, whatever its characters are', async () => {
  const versions = ['1.0', 'a/b', 'a b?#%', 'ü', '', '.', 'v1.json', '\ud800']
  const files = ['1.0', 'a%2Fb', 'a%20b%3F%23%25', '%C3%BC', '', '.', 'v1.json', '%EF%BF%BD']
  const documents = versions.map((version, index) => ({ version, url: `/openapi/${files[index]}.json` }))
  const { get } = await shop({ allowedVersions: versions })
  expect((await get('/openapi')).json).toEqual({ documents })
  for (const { version, url } of documents) {
    expect(await get(url)).toMatchObject({ status: 200, json: { info: { version } } })
  }
})

test('an unknown version is 404; other requests pass', async () => {
  const { send, docs } = await shop()
  const error = { error: 'No document of this version.', code: 'ERR_VERSION_NOT_FOUND', name: 'NotFound' }
  for (const file of ['v3', 'V1', 'constructor', 'v1%2F']) {
    const { status, json } = await send('GET', `/openapi/${file}.json`)
    expect({ file, status, json }).toEqual({ file, status: 404, json: error })
  }
  const others = ['v1', 'v1.json/', 'a/v1.json', 'v1.yaml', '%zz.json'].map((path) => ['GET', path])
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) others.push([method, 'v1.json'], [method, ''])
  for (const [method = '', path] of others) expect((await send(method, `/openapi/${path}`)).text).toBe('behind')
  const told = await listen(express().use('/openapi', docs).use(problemDetails()))
  expect((await told.get('/openapi/v3.json')).json).toMatchObject({ status: 404, supportedVersions: ['v1', 'v2'] })
})

test('HEAD and conditional requests', async () => {
  const { get, send } = await shop()
  for (const path of ['/openapi/v1.json', '/openapi/']) {
    const { headers } = await get(path)
    const length = { 'content-length': headers['content-length'] }
    expect(await send('HEAD', path)).toMatchObject({ status: 200, text: '', headers: length })
    expect(await get(path, { 'If-None-Match': String(headers.etag) })).toMatchObject({ status: 304, text: '' })
    expect(await get(path, { 'If-None-Match': '"other"' })).toMatchObject({ status: 200 })
  }
})

test('a document that cannot be made is an error of the app', async () => {
  const routes = one().describe('GET x', { response: { items: { $ref: '#/none' } } })
  const { get } = await shop({ routes })
  expect(await get('/openapi/v1.json')).toMatchObject({ status: 500, json: { name: 'TypeError' } })
})

class Cookies extends QueryParameterVersioning {
  override readonly varyOn = () => ['X-API-Version']
}
test.each<[string, scheme: VersioningOptions['scheme'], isVersioned: boolean, vary: string | undefined]>([
  ['of others stays', HeaderVersioning, false, 'X-API-Version'],
  ['of versioning() in front goes', HeaderVersioning, true, undefined],
  ['of a function goes as well', Cookies, true, undefined],
])('Vary %s', async (_, scheme, isVersioned, vary) => {
  const lifecycle = { v1: { deprecated: '2020-01-01' } }
  const varied: RequestHandler = (_req, res, next) => next(void res.vary('X-API-Version'))
  const decided = versioning({ scheme, allowedVersions, defaultVersion: 'v1', lifecycle })
  const { headers } = await (await shop({ scheme }, isVersioned ? decided : varied)).get('/openapi/')
  expect([headers.vary, headers.deprecation]).toEqual([vary, undefined])
})

test('documents may stand in a table, at a mount with a version', async () => {
  const routes = one()
  const options = { scheme: URLPathVersioning, allowedVersions, routes }
  routes.use('/docs', openapi(options, { mount: '/:version' }))
  const { get } = await serve((app) => app.use('/:version', versioning(options), routes))
  expect((await get('/v1/docs/v2.json')).json).toMatchObject({ servers: [{ url: '/v2' }] })
  expect((await get('/v1/docs')).json).toMatchObject({ documents: [{ url: '/v1/docs/v1.json' }, {}] })
})
