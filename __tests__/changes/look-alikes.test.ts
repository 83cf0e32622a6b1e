import express from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { type Change, change, shape } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { ask, historyOf, tableOf } from '../support/changes'
import { serve } from '../support/serve'

const text = { type: 'string' }
const object = (properties: object) => ({ type: 'object', properties })
const texts = (...names: string[]) => object(Object.fromEntries(names.map((name) => [name, text])))
const to = ($ref: string) => ({ $ref })
const User = { $id: 'User', ...texts('id', 'given', 'family'), required: ['given'] }
const OldUser = { ...texts('id', 'name'), required: ['name'] }
const steps = {
  response: ({ given, family, ...rest }: Record<string, string>) => ({ ...rest, name: `${given} ${family}` }),
  request: ({ name, ...rest }: { name: string }) => ({ ...rest, given: name, family: '' }),
}
const split = (older: object = OldUser, newer: object = User, step: object = steps) =>
  change('Names.', { User: shape<object, object>(older as never, newer as never, step as never) })
const NEW = { id: '1', given: 'Ada', family: 'L' }
const OLD = { id: '1', name: 'Ada L' }

/** Serves a response of `GET /other` that a schema describes; `GET /users` describes the user. */
function serveDescribed(response: unknown, body: unknown, ...changes: Change[]) {
  return serve((app) => {
    const routes = tableOf().describe('*', { response: { '4XX': true, '5XX': true } })
    const described = (name: 'user-list' | 'other', schema: unknown, response: unknown) => {
      routes.describe(`GET ${name}`, { response: schema as never })
      routes.route(name).get((_req, res) => res.json(response))
    }
    const [first] = changes as unknown as { operations: { User?: { newer: object } } }[]
    described('user-list', first?.operations.User?.newer ?? {}, NEW)
    described('other', response, body)
    const history = historyOf(...changes.map((one) => [one]))
    app.use(versioning({ scheme: HeaderVersioning, changes: history, routes }), routes)
  })
}
const inType = { $ref: '#/$defs/T4', $defs: { T4: object({ of: to('User') }) } }

test.each<[title: string, response: unknown]>([
  // The property of described responses generates more spellings.
  ['a relative address', { $id: 'https://shop.example/schemas/Page', ...object({ of: to('User') }) }],
  ['a name like generated ones', inType],
  [
    'a dynamic reference',
    { ...object({ of: { $dynamicRef: 'User#user' } }), $defs: { User: { ...User, $dynamicAnchor: 'user' } } },
  ],
  ['a part behind an unknown keyword', { 'x-parts': { U: User }, ...object({ of: to('#/x-parts/U') }) }],
  ['a draft of its own', object({ of: { type: 'object', allOf: [], ...to('User') } })],
  ['a range of media types', { 200: { content: { 'application/*': object({ of: to('User') }) } } }],
  ['`default` alone', { default: object({ of: to('User') }) }],
])('a shape is found where a reference spells %s', async (_title, response) => {
  const api = await serveDescribed(response, { of: NEW }, split())
  const [old, newest] = [await ask(api, 'v1', '/other'), await ask(api, 'v2', '/other')]
  expect([old.json, newest.json]).toEqual([{ of: OLD }, { of: NEW }])
})

test.each(['T4', 'type2', 'union3'])('a schema of zod named %s is a shape', async (id) => {
  const [newer, older] = [z.object({ a: z.string(), b: z.string() }).meta({ id }), z.object({ c: z.string() })]
  const renamed = change('X.', { [id]: shape(older, newer, { response: ({ a, b }) => ({ c: a + b }) }) })
  const api = await serveDescribed(z.array(newer), [{ a: 'x', b: 'y' }], renamed)
  expect((await ask(api, 'v1', '/other')).json).toEqual([{ c: 'xy' }])
})

test('a tuple of draft 7 is converted, and is one of 2020-12 in documents', async () => {
  const tuple = { type: 'array', items: [text, to('User')], additionalItems: false, minItems: 2 }
  const api = await serveDescribed(tuple, ['x', NEW], split())
  expect((await ask(api, 'v1', '/other')).json).toEqual(['x', OLD])
  const routes = tableOf()
  routes.describe('GET user-list', { response: User })
  routes.describe('GET other', { response: tuple })
  for (const name of ['user-list', 'other'] as const) routes.route(name).get(() => {})
  const { document } = openapi({ scheme: HeaderVersioning, allowedVersions: ['v1'], routes }, { info: { title: 'T' } })
  const said = JSON.stringify(document('v1').paths)
  expect(said).toContain('"prefixItems":[{"type":"string"},{"$ref":"#/components/schemas/User"}],"items":false')
})

const OF = 'the response 200 of "GET other"'
const dead = (reference: string, where: string, hint = '') =>
  `a "$ref" leads to "${reference}", but no description has a schema of that name.${hint} Describe it, or write the schema instead of the reference, ${where}.`
const alike = (where: string) =>
  `an object without a name looks like the shape "User" of the change "Names.", whose properties it has. Libraries drop the name of a schema that is derived from another one. Name it "User", or give it a name of its own if it is another thing, ${where}.`
const ALIKE = alike(`in ${OF}`)
const behind = (where: string, keyword = 'extends') =>
  `a schema is in "${keyword}", which is no keyword of JSON Schema, so it is not followed, ${where}.`
const [PART, INTO] = ['User.json#/properties/id', '#/components/schemas/User/properties/given']
const user = (...names: string[]) => ({ $id: 'User', ...texts(...names, 'given', 'family') })
const several = `the "response" of "GET other" cannot be expressed in JSON Schema: its "$dynamicRef" "#x" may lead to several schemas; write "$ref" to one of them`
const twice = {
  $id: 'A',
  $dynamicAnchor: 'x',
  $ref: 'B',
  $defs: { B: { $id: 'B', $dynamicAnchor: 'x', items: { $dynamicRef: '#x' } } },
}
const zod = z.object({ id: z.string(), given: z.string(), family: z.string() })
const kind = (value: string) => object({ kind: { const: value }, given: text, family: text })
const ofKind = split(object({ kind: { const: 'a' } }), { $id: 'User', ...kind('a') })
const address = (...names: string[]) => ({ $id: 'Address', ...texts(...names) })
const homes = (name: string, older: object, newer: object) =>
  change(`Home ${name}.`, { Home: shape<object, object>(older as never, newer as never, steps as never) })
const Home = { $id: 'Home', ...object({ at: text }) }
const [home1, home2] = [object({ at: address('city') }), object({ at: address('town'), more: text })]
const TWICE = `an older schema of version 'v2' has a schema "Address" in it that no version has: it differs at "/properties/city". Say its change by a shape of that name, or give it another name.`

// What is not shown to hold no changed shape does not pass.
test.each<[title: string, response: unknown, message: string, ...changes: Change[]]>([
  [
    'a reference that leads nowhere',
    { items: to('Usr') },
    dead('Usr', `at "/items" of ${OF}`, ' Did you mean "User"?'),
  ],
  ['a reference to a part of another schema', to(PART), dead(PART, `in ${OF}`)],
  ['the place within a named schema', { not: { $id: 'Post', items: to('x') } }, dead('x', 'at "/items" of "Post"')],
  ['a dynamic reference with two anchors', twice, several],
  ['a spread with the properties of the change', z.array(zod.extend({ x: z.string() })), alike(`at "/items" of ${OF}`)],
  ['a reference into a shape', object({ by: to(INTO) }), dead(INTO, `at "/properties/by" of ${OF}`)],
  ['a schema behind an unknown keyword', { items: { extends: [to('User')] } }, behind(`at "/items" of ${OF}`)],
  ['properties behind an unknown keyword', { type: 'object', base: { all: User } }, behind(`in ${OF}`, 'base')],
  ['an unknown keyword without schemas', { type: 'object', errorMessage: { properties: { a: 'No.' } } }, ''],
  ['properties that stand in two parts', { allOf: [texts('id', 'given'), texts('family')] }, ALIKE],
  [
    'properties that stand in a part elsewhere, beside a name',
    {
      allOf: [to('#/$defs/__schema0'), to('Part')],
      $defs: { Part: object({}), __schema0: { ...texts('given', 'family'), allOf: [to('#/$defs/__schema0')] } },
    },
    alike(`in ${OF}, at "/allOf/0" of ${OF}`),
  ],
  ['a property that may be anything', object({ given: true, family: text }), ALIKE],
  ['a recursive schema without a name', object({ given: text, family: text, next: to('#') }), ALIKE],
  ['half of the properties', texts('given', 'family'), ALIKE, split(texts('id', 'at'), user('id', 'at'))],
  ['fewer than half', texts('given', 'family'), '', split(texts('id', 'at', 'by'), user('id', 'at', 'by'))],
  ['no property that the change brought', zod.omit({ given: true }), ''],
  ['a look-alike with a name of its own', zod.meta({ id: 'Author' }), ''],
  ['a change that brought no property', zod, '', split(object({ ...User.properties, x: text }), User)],
  ['a changed property', texts('given', 'family'), ALIKE, split(object({ ...User.properties, given: {} }), User)],
  ['another constant', kind('b'), '', ofKind],
  ['the same constant', kind('a'), ALIKE, ofKind],
  ['two older schemas of one name', Home, TWICE, homes('1', home1, { ...home2 }), homes('2', home2, Home)],
  ['an older schema of the name of today', object({ Home, where: address('zip') }), TWICE, homes('1', home1, Home)],
  ['one older schema of a name', Home, '', homes('1', home1, home1), homes('2', home1, Home)],
])('versioning() finds %s', async (_title, response, message, ...changes) => {
  const serving = serveDescribed(response, {}, ...(changes.length === 0 ? [split()] : changes))
  const told = await serving.then(() => '', String)
  expect(told).toBe(message === '' ? '' : `TypeError: versioning(): ${message}`)
})

const WithAge = texts('given', 'family', 'age')
const GONE = { 'DELETE other': { response: null } }
test.each<[title: string, described: object, message: string]>([
  // Two operations share a schema, and the first of them does not meet the change.
  [
    'an operation that comes later',
    { 'GET user-list': { response: User }, 'DELETE other': { response: WithAge }, 'GET other': { response: WithAge } },
    ALIKE,
  ],
  [
    'a body, where responses alone have the name',
    { ...GONE, 'GET other': { response: User }, 'PATCH other': { body: WithAge, response: null } },
    alike('in the body of "PATCH other"'),
  ],
  [
    'a response, where bodies alone have the name',
    { ...GONE, 'POST other': { body: User, response: WithAge } },
    alike('in the response 200 of "POST other"'),
  ],
])('a look-alike is found in %s', (_title, described, message) => {
  const routes = tableOf()
  for (const [operation, one] of Object.entries(described)) {
    const [method = '', name = ''] = operation.split(' ')
    routes.describe(operation as 'GET other', one)
    routes.route(name as 'other')[method.toLowerCase() as 'get'](() => {})
  }
  const more = change('More.', { 'DELETE other': 'added' })
  const make = () => versioning({ scheme: HeaderVersioning, changes: historyOf([split(), more]), routes })
  expect(make).toThrow(new TypeError(`versioning(): ${message}`))
})

test.each([
  ['a body', { body: to('User'), response: null }, { response: User }],
  ['a response', { body: null, response: to('User') }, { body: User, response: null }],
])('a reference of %s leads to a shape that only the other direction describes', async (_title, put, post) => {
  const api = await serve((app) => {
    const routes = tableOf()
    routes.describe('PUT other', put).describe('POST other', { body: null, ...post })
    routes
      .route('other')
      .post(() => {})
      .put((req, res) => void res.json(put.body === null ? NEW : req.body))
    const options = { scheme: HeaderVersioning, changes: historyOf([split()]), routes }
    app.use(versioning(options), express.json(), routes)
  })
  const body = put.body === null ? undefined : OLD
  const { status, json } = await ask(api, 'v1', '/other', { method: 'PUT', body })
  expect([status, Object(json).error ?? json]).toEqual(
    put.body === null ? [200, OLD] : [500, expect.stringContaining('says null')],
  )
})

test('by hand, a promise is no value', () => {
  const history = historyOf([split()])
  const message = 'shape() takes a body that JSON can express; it has a promise.'
  for (const value of [Promise.resolve(NEW), { of: [Promise.resolve(NEW)] }]) {
    expect(() => history.shape('User', value, 'v1')).toThrow(new TypeError(message))
  }
})
