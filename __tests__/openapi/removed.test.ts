// Operations that today's document does not have any more: the option `removed` of `routesOf()`.
import express from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, convertRequest, fields, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { documentOf } from '../support/documents'
import { UNHANDLED } from '../support/elsewhere'
import { expectValid, type Json, json, list, made, NONE, object, ok, ref, text } from '../support/parts'
import { serve } from '../support/serve'

const parcel = object({ number: text }, 'number')
const parcels = { get: { operationId: 'parcels', responses: { 200: ok(list(ref('Parcel'))) } } }
const today = documentOf({ '/parcels': parcels }, { schemas: { Parcel: parcel } })
const telegram = object({ words: text, about: ref('Parcel'), by: ref('Sender') })
const telegrams = {
  parameters: [{ $ref: '#/components/parameters/Lines' }],
  get: { operationId: 'parcels', responses: { 200: { $ref: '#/components/responses/Telegrams' } } },
  post: { requestBody: { content: json(ref('Telegram')) }, responses: { 201: ok(ref('Telegram')) } },
}
const older = documentOf(
  { '/parcels': { ...parcels, delete: NONE }, '/telegrams': telegrams, '/letters': { get: NONE } },
  {
    schemas: {
      Parcel: object({ id: text }, 'id'),
      Telegram: telegram,
      Sender: {
        oneOf: [ref('Shop')],
        discriminator: { propertyName: 'kind', mapping: { shop: '#/components/schemas/Shop' } },
      },
      Shop: object({ kind: text }),
      Unused: text,
    },
    parameters: { Lines: { name: 'lines', in: 'query', schema: text } },
    responses: { Telegrams: ok(list(ref('Telegram'))) },
  },
)
const renamed = change('`number` was `id`.', { Parcel: fields({ renamed: { id: 'number' } }) })
const gone = change('No more telegrams.', { 'GET /telegrams': 'removed', 'POST /telegrams': 'removed' })
const changes = versionHistory('1').version('2', renamed).version('3', gone)

test('older versions have them, with what they refer to; the newest document is the given one', async () => {
  const routes = routesOf(today, { removed: [older] })
  const [one, two, three] = ['1', '2', '3'].map((version) => made(routes, version, { changes })) as [Json, Json, Json]
  expect([one, two, three].map(({ paths }) => Object.keys(paths))).toStrictEqual([
    ['/parcels', '/telegrams'],
    ['/parcels', '/telegrams'],
    ['/parcels'],
  ])
  expect(one.components.schemas.Parcel).toStrictEqual(object({ id: text }, 'id'))
  expect(two.components.schemas).toStrictEqual({ Parcel: parcel, ...pick(older, 'Telegram', 'Sender', 'Shop') })
  expect(one.components).toMatchObject({ parameters: {}, responses: {} })
  expect(one.paths['/telegrams'].get).toMatchObject({
    operationId: 'parcels-2',
    parameters: [...telegrams.parameters, { name: 'X-API-Version' }],
  })
  expect(Object.keys(one.paths['/parcels'])).toStrictEqual(['get'])
  expect(three.components).toStrictEqual(today.components)
  await expectValid(one, two, three)
})

const pick = ({ components }: Json, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, components.schemas[name]]))

const letters = change('No more letters.', { 'GET /letters': 'removed' })
const START = { scheme: HeaderVersioning, defaultVersion: '3', changes }

test('requests of older versions reach them, converted; those of the newest version and of others do not', async () => {
  const { send } = await serve((app) => {
    app.use(versioning({ ...START, routes: routesOf(today, { removed: [older] }) }), express.json(), convertRequest)
    app.post('/telegrams', (req, res) => void res.status(201).set('X-Saw', JSON.stringify(req.body)).json(req.body))
    app.get('/letters', (_req, res) => void res.json({}))
  })
  const ask = (version: string, operation: string, body?: object) => {
    const [method, path] = operation.split(' ') as [string, string]
    const headers = { 'X-API-Version': version, 'Content-Type': 'application/json' }
    return send(method, path, headers, body && JSON.stringify(body))
  }
  const sent = { words: 'a', about: { id: '7' } }
  const response = await ask('1', 'POST /telegrams', sent)
  expect([response.status, response.json]).toStrictEqual([201, sent])
  expect(response.headers['x-saw']).toBe('{"words":"a","about":{"number":"7"}}')
  expect(await ask('3', 'POST /telegrams', sent)).toMatchObject({
    status: 404,
    json: { error: 'This operation was removed in version 3.', code: 'ERR_VERSION_UNHANDLED' },
  })
  // No change says that it was removed.
  expect(await ask('1', 'GET /letters')).toMatchObject(UNHANDLED)
  expect(await ask('3', 'GET /letters')).toMatchObject({ status: 200 })
})

test('several tables and histories take what their own changes removed', () => {
  const routes = routesOf(today, { removed: [documentOf({ '/letters': { put: NONE } }), older] })
  const outer = namedRoutes({}).include('/post', routes, { namespace: 'post' })
  expect([...outer.names()]).toStrictEqual(['post:/parcels'])
  const history = versionHistory('1').version('2', letters, change('x', { 'DELETE post:/parcels': 'removed' }))
  const document = made(outer, '1', { changes: history })
  expect(Object.keys(document.paths)).toStrictEqual(['/post/parcels', '/post/letters'])
  expect(Object.keys(document.paths['/post/parcels'])).toStrictEqual(['get', 'delete'])
  const again = made(routes, '1', { changes: versionHistory('1').version('2', letters) })
  expect(again.paths['/letters']).toMatchObject({ get: NONE })
})

test('of several older documents, the last one gives an operation, with the security of its document', () => {
  const get = (description: string, more: object = {}) => ({ responses: { 204: { description } }, ...more })
  const id = (name: string) => ({ name, in: 'query', schema: text })
  const first = documentOf({ '/letters': { summary: 'First.', get: get('first'), put: get('first') } })
  const item = { summary: 'Last.', parameters: [id('a'), id('b')], get: get('last', { parameters: [id('b')] }) }
  const securitySchemes = { key: { type: 'http', scheme: 'basic' } }
  const last = { ...documentOf({ '/letters': item }, { securitySchemes }), security: [{ key: [] }] }
  const puts = change('No more puts.', { 'PUT /letters': 'removed' })
  const routes = routesOf(documentOf({}), { removed: [first, last] })
  const { paths, components } = made(routes, '1', { changes: versionHistory('1').version('2', letters, puts) })
  const carrier = expect.objectContaining({ name: 'X-API-Version' })
  expect(paths['/letters']).toStrictEqual({
    summary: 'Last.',
    get: get('last', { parameters: [id('a'), id('b'), carrier], security: [{ key: [] }] }),
    put: get('first', { parameters: [carrier] }),
  })
  expect(components).toStrictEqual({ securitySchemes })
})

test('only what operations refer to is taken: a mapping may have mere names, other references stay', () => {
  const mapping = { shop: 'Shop', none: 'None' }
  const union = { oneOf: [text], discriminator: { propertyName: 'kind', mapping }, example: { $ref: '#/a' } }
  const first = documentOf({ '/letters': { get: { responses: { 200: ok(union) } } } }, { schemas: { Shop: text } })
  const [kept] = routesOf(documentOf({}), { removed: [first] }).elsewhere()?.documents ?? []
  expect(kept?.document).toStrictEqual({ ...first, info: today.info })
  const { components: _none, ...plain } = documentOf({ '/letters': { get: NONE } })
  const { components: _no, ...secured }: Json = { ...documentOf({}), security: [{ key: [] }] }
  const [open] = routesOf(secured, { removed: [plain] }).elsewhere()?.documents ?? []
  expect(open?.document).toStrictEqual({ ...secured, paths: { '/letters': { get: { ...NONE, security: [] } } } })
  const bad = documentOf({ '/letters': { parameters: [{ $ref: '#/nowhere' }], get: NONE } })
  expect(() => routesOf(today, { removed: [bad] })).toThrow('the reference leads to "#/nowhere"')
})

const MISSING = 'the change "No more telegrams." speaks of'
const NO_NAME = '"routes" has no name "/telegrams".'
const LINE =
  '\nIf changes say that they are removed, older documents may have them: routesOf(document, { removed: [olderDocument] })'

test('without it, one error lists the operations, with the line to paste', () => {
  const start = (...names: string[]) => {
    const all = change('No more telegrams.', Object.fromEntries(names.map((name) => [name, 'removed'])) as never)
    return () => versioning({ ...START, changes: versionHistory('1').version('3', all), routes: routesOf(today) })
  }
  const one = `versioning(): ${MISSING} "GET /telegrams", but ${NO_NAME}${LINE}`
  expect(start('GET /telegrams')).toThrow(new TypeError(one))
  const list = `- ${MISSING} "GET /telegrams", but ${NO_NAME}
- ${MISSING} "DELETE /parcels", but its route has no handler for DELETE. Did you mean "GET /parcels"?`
  expect(start('GET /telegrams', 'DELETE /parcels')).toThrow(
    new TypeError(`versioning(): 2 operations of "changes" are not in "routes":\n${list}${LINE}`),
  )
})

test.each<[what: string, removed: unknown, message: string]>([
  ['no list', older, 'routesOf(): option "removed" takes a list of older documents; got {'],
  ['no document', [{}], 'routesOf(): option "removed" takes an OpenAPI document of version 3.0, 3.1 or 3.2'],
  [
    'a document of another version of OpenAPI',
    [{ ...older, openapi: '3.0.3' }],
    'routesOf(): option "removed" has a document of OpenAPI 3.0.3, and today\'s is of 3.1.0. Convert one of them.',
  ],
  [
    'a document with a reference that leads nowhere',
    [documentOf({ '/a': { $ref: '#/nowhere' } })],
    'routesOf(): at "/paths/~1a": the reference leads to "#/nowhere", which does not exist.',
  ],
  [
    'a document whose parameter leads nowhere',
    [documentOf({ '/a': { get: { ...NONE, parameters: [{ $ref: '#/nowhere' }] } } })],
    'the reference leads to "#/nowhere", which does not exist.',
  ],
])('rejects %s', (_, removed, message) => {
  expect(() => routesOf(today, { removed: removed as object[] })).toThrow(message)
})
