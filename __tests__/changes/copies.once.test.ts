// Schemas of a document that the option `places` calls copies of a shape: a change of the shape holds for what they have of it.
import express from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change, fields, shape } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { ask, historyOf } from '../support/changes'
import { documentOf } from '../support/documents'
import { json, NONE, object, ok, ref, text } from '../support/parts'
import { serve } from '../support/serve'

type Json = Record<string, unknown>
const texts = (...names: string[]) => object(Object.fromEntries(names.map((name) => [name, text])))
const required = (...names: string[]) => ({ ...texts(...names), required: names })

/** Serves a copy of users, and notes the copies that it gets. */
async function serveCopy(User: Json, copy: Json, changed: object, value: unknown) {
  const got: unknown[] = []
  const document = documentOf(
    {
      '/users': { get: { responses: { 200: ok(ref('User')) } } },
      '/copy': { get: { responses: { 200: ok(copy) } }, put: { requestBody: { content: json(copy) }, ...NONE } },
    },
    { schemas: { User } },
  )
  const routes = routesOf(document, { places: { 'GET /copy 200': 'User', 'PUT /copy body': 'User' } })
  routes
    .route('/copy')
    .get((_req, res) => void res.json(value))
    .put((req, res) => [got.push(req.body), res.sendStatus(204)])
  const changes = historyOf([change('Users.', { User: changed as never })])
  const server = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, changes, routes }), express.json({ strict: false }), routes)
  })
  return { server, got }
}

const address = object({ city: text })
const steps = {
  response: ({ given, ...rest }: Json) => ({ ...rest, name: given }),
  request: ({ name, ...rest }: Json) => ({ ...rest, given: name }),
}
const named = shape<Json, Json>(required('id', 'name') as never, steps as never)
const swapped = fields({ renamed: { a: 'b', b: 'a' } })
const nested = fields({ nested: { address: ['city'] }, renamed: { town: 'city' } })
const aged = fields({ required: { age: 'old' }, optional: { mail: 'none' } })
const People = object({ age: text, mail: text, more: text }, 'age')

test.each<[title: string, changed: object, User: Json, copy: Json, newest: unknown, older: unknown]>([
  [
    'two names that were swapped',
    swapped,
    texts('a', 'b'),
    texts('a', 'b', 'c'),
    { a: '1', b: '2', c: '3' },
    { a: '2', b: '1', c: '3' },
  ],
  ['one of them beside a third', swapped, texts('a', 'b'), texts('a', 'c'), { a: '1', c: '3' }, { b: '1', c: '3' }],
  [
    'a name that the copy has of its own',
    fields({ renamed: { a: 'b' } }),
    texts('b'),
    texts('a', 'b'),
    { a: '1', b: '2' },
    { a: '1', b: '2' },
  ],
  [
    'added properties, some of which it has',
    fields({ added: ['b', 'c'] }),
    texts('a', 'b', 'c'),
    texts('a', 'b'),
    { a: '1' },
    { a: '1' },
  ],
  [
    'an added property with a value',
    fields({ added: { b: 'x' } }),
    required('a', 'b'),
    { ...required('b'), ...object({ b: text, d: text }, 'b') },
    { b: 'x', d: '1' },
    { d: '1' },
  ],
  [
    'a nested object',
    nested,
    object({ address }),
    object({ address, more: text }),
    { address: { city: 'Ulm' }, more: '1' },
    { town: 'Ulm', more: '1' },
  ],
  [
    'what it requires and need not have',
    aged,
    People,
    object({ age: text, mail: text }, 'age'),
    { age: '1', mail: '2' },
    { age: '1', mail: '2' },
  ],
  [
    'nothing that changed',
    fields({ renamed: { name: 'given' } }),
    texts('id', 'given'),
    texts('id', 'more'),
    { id: '1', more: '2' },
    { id: '1', more: '2' },
  ],
  [
    'steps',
    named,
    required('id', 'given'),
    required('id', 'given', 'more'),
    { id: '1', given: 'Ada', more: '2' },
    { id: '1', name: 'Ada', more: '2' },
  ],
])('a copy has %s', async (_title, changed, User, copy, newest, older) => {
  const { server, got } = await serveCopy(User, copy, changed, newest)
  expect((await ask(server, 'v2', '/copy')).json).toEqual(newest)
  expect(await ask(server, 'v1', '/copy')).toMatchObject({ status: 200, json: older })
  expect((await ask(server, 'v1', '/copy', { method: 'PUT', body: older })).status).toBe(204)
  expect(got).toEqual([newest])
})
