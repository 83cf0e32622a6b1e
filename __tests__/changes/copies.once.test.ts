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
      '/users': { get: { responses: { 200: ok(object({ user: ref('User'), other: ref('Other') })) } } },
      '/copy': { get: { responses: { 200: ok(copy) } }, put: { requestBody: { content: json(copy) }, ...NONE } },
    },
    { schemas: { User, Other: texts('since') } },
  )
  const routes = routesOf(document, { places: { 'GET /copy 200': 'User', 'PUT /copy body': 'User' } })
  routes
    .route('/copy')
    .get((_req, res) => void res.json(value))
    .put((req, res) => [got.push(req.body), res.sendStatus(204)])
  const others = change('Others.', { Other: fields({ renamed: { before: 'since' } }) })
  const changes = historyOf([change('Users.', { User: changed as never }), others])
  const server = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, changes, routes }), express.json({ strict: false }), routes)
  })
  return { server, got }
}

const address = object({ city: text })
const steps = {
  response: (user: Json) => (user === Object(user) ? { id: user.id, name: user.given } : user),
  request: (user: Json) => (user === Object(user) ? { id: user.id, given: user.name } : user),
}
const stepping = (more: object = {}, older: object = required('id', 'name')) =>
  shape<Json, Json>(older as never, { ...steps, ...more } as never)
const named = stepping()
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
  [
    'steps, and need not have the changed property',
    named,
    required('id', 'given'),
    { ...required('id'), ...texts('id', 'given', 'more') },
    { id: '1', given: 'Ada' },
    { id: '1', name: 'Ada' },
  ],
  [
    'steps, and may be another thing than an object',
    named,
    required('id', 'given'),
    { properties: texts('id', 'given', 'more').properties },
    'Ada',
    'Ada',
  ],
  [
    'steps, and was a string',
    stepping({ response: ({ given }: Json) => given, request: (given: unknown) => ({ id: '1', given }) }, text),
    required('id', 'given'),
    texts('id', 'given'),
    { id: '1', given: 'Ada' },
    'Ada',
  ],
])('a copy has %s', async (_title, changed, User, copy, newest, older) => {
  const { server, got } = await serveCopy(User, copy, changed, newest)
  expect((await ask(server, 'v2', '/copy')).json).toEqual(newest)
  expect(await ask(server, 'v1', '/copy')).toMatchObject({ status: 200, json: older })
  expect((await ask(server, 'v1', '/copy', { method: 'PUT', body: JSON.stringify(older) })).status).toBe(204)
  expect(got).toEqual([newest])
})

test.each<[title: string, made: unknown]>([
  ['promise', Promise.reject(new Error('late'))],
  ['map', new Map([['name', 'Ada']])],
])('a step that returns a %s fails for a copy as for the shape', async (_title, made) => {
  const value = { id: '1', given: 'Ada', more: '2' }
  const changed = stepping({ response: () => made })
  const { server } = await serveCopy(required('id', 'given'), required('id', 'given', 'more'), changed, value)
  expect(await ask(server, 'v1', '/copy')).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CHANGE' } })
})

test('an instance of a class is what it is as JSON', async () => {
  class Old {
    toJSON = () => ({ id: '1', name: 'Ada' })
  }
  const value = { id: '1', given: 'Ada', more: '2' }
  const changed = stepping({ response: () => new Old() })
  const { server } = await serveCopy(required('id', 'given'), required('id', 'given', 'more'), changed, value)
  expect((await ask(server, 'v1', '/copy')).json).toEqual({ id: '1', name: 'Ada', more: '2' })
})

test('steps convert a whole shape, so a part of one is no copy', async () => {
  const part = serveCopy(required('id', 'given'), texts('given', 'more'), named, {})
  await expect(part).rejects.toThrow(
    'option "places" says that "GET /copy 200" is "User", but the steps of the change "Users." convert the whole shape, and "id" is not there. Write null, and name what is there in a change of its own.',
  )
})

test('a copy of what was no object has no other properties', async () => {
  const changed = stepping({}, text)
  const serving = serveCopy(required('id', 'given'), required('id', 'given', 'more'), changed, {})
  await expect(serving).rejects.toThrow(
    'option "places" says that "GET /copy 200" is "User", but before the change "Users.", it was no object with properties, where "more" had a place. Write null, and',
  )
})

test('a step that is missing for a copy is told', async () => {
  const changed = stepping({ response: undefined })
  const serving = serveCopy(required('id', 'given'), required('id', 'given', 'more'), changed, {})
  await expect(serving).rejects.toThrow(
    '"GET /copy 200" of the change "Users." has no "response", but is in the response 200 of "GET /copy".',
  )
})
