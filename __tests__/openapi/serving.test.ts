import * as library from 'express-versioning'
import { openapi } from 'express-versioning/openapi'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { table } from '../support/tables'

const { HeaderVersioning, versioning } = library
const allowedVersions = ['v1', 'v2']
const one = (response: library.Schema = {}) => table({ x: '/x' }).describe('GET x', { response })
class Cookies extends library.QueryParameterVersioning {
  override readonly varyOn = () => ['X-API-Version']
}
const options = { scheme: HeaderVersioning, allowedVersions, routes: one() }
const plain = openapi(options, { info: { title: 'Shop' } })
const ODD = ['1.0', 'a/b', 'a b?#%', 'ü', '', '.', 'v1.json', '\ud800']
const odd = openapi({ ...options, allowedVersions: ODD, publicPath: '/shop' })
const wrong = openapi({ ...options, routes: one({ items: { $ref: '#/none' } }) })
const inTable = one()
const mounted = { scheme: library.URLPathVersioning, allowedVersions, routes: inTable }
inTable.use('/docs', openapi(mounted, { mount: '/:version' }))
const decided = { allowedVersions, defaultVersion: 'v1', lifecycle: { v1: { deprecated: '2020-01-01' } } }

const start = () =>
  serve((app) => {
    app.use('/openapi', plain, (_req, res) => void res.send('behind'))
    app.use('/problem', plain, library.problemDetails()).use('/odd', odd).use('/wrong', wrong)
    app.use('/varied', (_req, res, next) => next(void res.vary('X-API-Version')), plain)
    for (const scheme of [HeaderVersioning, Cookies]) {
      app.use(`/${scheme.name}`, versioning({ scheme, ...decided }), openapi({ ...options, scheme }))
    }
    app.use('/:version', versioning(mounted), inTable)
  })

test('each version has a document, whatever its characters are, and documents need no version', async () => {
  const { get } = await start()
  const { headers, json } = await get('/openapi/v1.json')
  const expected = ['application/json; charset=utf-8', undefined, plain.document('v1')]
  expect([headers['content-type'], headers.vary, json]).toEqual(expected)
  const files = ['1.0', 'a%2Fb', 'a%20b%3F%23%25', '%C3%BC', '', '.', 'v1.json', '%EF%BF%BD']
  const documents = ODD.map((version, index) => ({ version, url: `/shop/odd/${files[index]}.json` }))
  expect((await get('/odd')).json).toEqual({ documents })
  for (const { version, url } of documents) expect((await get(url.slice(5))).json).toMatchObject({ info: { version } })
})

test('other requests pass, HEAD and conditional ones are responded to, and a document that cannot be made is an error', async () => {
  const { get, send } = await start()
  const unknown = '404 {"error":"No document of this version.","code":"ERR_VERSION_NOT_FOUND","name":"NotFound"}'
  for (const [method = '', path = '', told] of rows(`
    GET  | /openapi/constructor.json | ${unknown}
    GET  | /openapi/v1              | 200 behind
    GET  | /openapi/a/v1.json       | 200 behind
    GET  | /openapi/%zz.json        | 200 behind
    POST | /openapi/v1.json         | 200 behind
    HEAD | /openapi/v1.json         | 200
  `)) {
    const { status, text } = await send(method, path)
    expect([method, path, `${status} ${text}`.trim()]).toEqual([method, path, told])
  }
  const etag = { 'If-None-Match': String((await get('/openapi/')).headers.etag) }
  expect(await get('/openapi/', etag)).toMatchObject({ status: 304, text: '' })
  expect((await get('/problem/v3.json')).json).toMatchObject({ status: 404, supportedVersions: ['v1', 'v2'] })
  expect(await get('/wrong/v1.json')).toMatchObject({ status: 500, json: { name: 'TypeError' } })
})

test('documents stand in a table and at a mount; header fields of versioning() go, those of others stay', async () => {
  const { get } = await start()
  expect((await get('/v1/docs/v2.json')).json).toMatchObject({ servers: [{ url: '/v2' }] })
  expect((await get('/v1/docs')).json).toMatchObject({ documents: [{ url: '/v1/docs/v1.json' }, {}] })
  const vary = { varied: 'X-API-Version', HeaderVersioning: undefined, Cookies: undefined }
  for (const [path, left] of Object.entries(vary)) {
    const { headers } = await get(`/${path}/`)
    expect([path, headers.vary, headers.deprecation]).toEqual([path, left, undefined])
  }
})
