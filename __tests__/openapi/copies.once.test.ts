// Copies of components, as the option `places` names them: how a table reads them, and which it rejects.
import { routesOf } from 'express-versioning/openapi'
import { definitionsOf, described, documentOf } from '../support/documents'
import { type Json, json, list, made, object, ok, ref, text } from '../support/parts'

const Label = object({ id: text })
const named = { $ref: 'Label' }
const more = (name: string) => object({ id: text, [name]: text })
const MADE = { $ref: '#/components/responses/Made' }
const Made = ok(Label)
const TWO = { 'application/a+json': { schema: more('a') }, 'application/b+json': { schema: more('b') } }
const COPIES = {
  content: { 'application/a+json': { $ref: 'GET / 200' }, 'application/b+json': { $ref: 'GET / 200~' } },
}
const Tree = { properties: { id: text, inner: { $recursiveRef: '#' } } }

/** A document with `GET /` and `GET /again`, which share their responses. */
function given(openapi: string, content: object, query: object = text): Json {
  const parameters = [{ name: 'id', in: 'query', schema: query }]
  const get = { parameters, responses: { 200: { $ref: '#/components/responses/Both' } } }
  const Both = { description: '', content }
  const document = documentOf(
    { '/': { get }, '/again': { get } },
    { schemas: { Label, Any: true, Tree }, responses: { Both, Made } },
    openapi,
  )
  return { ...document, 'x-parts': { Part: { not: MADE } } }
}
const reading = (document: Json, places: Json) => described(routesOf(document, { places: places as never }), 'GET /')
const one = json(ref('Label'))

test.each<[title: string, places: Json, content: object, expected: unknown]>([
  ['a copy with more', { 'GET / 200': 'Label' }, json(more('a')), { $ref: 'GET / 200' }],
  ['a component that is itself', { Label: 'Label' }, one, named],
  ['another part of allOf, which says nothing', { 'GET / 200': 'Label' }, json({ allOf: [Label, true] }), named],
  ['a reference to no schema', { 'GET / 200': 'Label' }, json(MADE), named],
  ['another thing, whose reference leads to no schema', { 'GET / 200': null }, json({ ...MADE, ...text }), text],
  ['a place of an older version, which the history knows', { 'v1 Label': null }, one, named],
  ['two copies with more', { 'GET / 200': 'Label' }, TWO, COPIES],
])('reads %s', (_title, places, content, expected) => {
  const { response } = reading(given('3.1.0', content), places)
  expect(response).toStrictEqual({ 200: expected })
})

const BOTH = { allOf: [Label, more('a')], nullable: true }
test.each<[key: string, openapi: string, content: object, expected: object]>([
  ['GET / 200', '3.0.3', json(BOTH), { type: ['object', 'null'], properties: { id: text, a: text } }],
  ['Tree', '3.1.0', json({ allOf: [ref('Tree'), Label] }), { properties: { id: text, inner: { $ref: 'Tree' } } }],
])('the definition %s of OpenAPI %s has all parts', (key, openapi, content, expected) => {
  const places = { 'GET / 200': 'Label' }
  expect(definitionsOf(given(openapi, content), { places })[key]).toStrictEqual(expected)
})

test('a whole query may be a copy', () => {
  const { query } = reading(given('3.1.0', one), { 'GET / query': 'Label' })
  expect(query).toStrictEqual({ $ref: 'GET / query' })
})

const OBJECT = 'the name of a component is for an object with properties.'
test.each<[place: string, content: object, message: string]>([
  ['GET / 200', json(list(Label)), `${OBJECT} Its items are at "GET / 200#/items".`],
  [
    'GET / 200#/properties/a',
    json(object({ a: list(Label) })),
    `${OBJECT} Its items are at "GET / 200#/properties/a/items".`,
  ],
  ['GET / 200', json(text), OBJECT],
  ['GET / 200', json(ref('Any')), OBJECT],
])('rejects the place %s', (place, content, message) => {
  expect(() => reading(given('3.1.0', content), { [place]: 'Label' })).toThrow(
    new TypeError(`routesOf(): at "places: ${place}": ${message}`),
  )
})

const NO_SCHEMA = 'the reference leads to "#/components/responses/Made", which is no schema.'
test.each<[place: string, content: object, query: object, pointer: string]>([
  ['GET / 200', json(MADE), text, '/components/responses/Both/content/application~1json/schema'],
  ['GET / query#/properties/id/items', one, list(MADE), '/paths/~1/get/parameters/0/schema/items'],
])('a reference at %s to no schema may be told to be another thing', (place, content, query, pointer) => {
  const make = () => reading(given('3.1.0', content, query), {})
  expect(make).toThrow(`"${pointer}": ${NO_SCHEMA}`)
  expect(make).toThrow(`\n  "${place}": null,\n`)
})

test('a component that refers to no schema may be told to be itself, or another thing', () => {
  const document = given('3.1.0', json(ref('Odd')))
  Object.assign(document.components.schemas, { Odd: MADE })
  const make = () => reading(document, {})
  expect(make).toThrow(`"/components/schemas/Odd": ${NO_SCHEMA}`)
  expect(make).toThrow('\n  "Odd": "Odd" /* null: it is another thing */,\n')
})

test('one elsewhere in a document has no place', () => {
  const make = () => reading(given('3.1.0', json({ $ref: '#/x-parts/Part' })), {})
  expect(make).toThrow(new TypeError(`routesOf(): at "/x-parts/Part/not": ${NO_SCHEMA}`))
})

// Documents ---------------------------------------------------------------------------------------------------------

const User = object({ id: text, fullName: text }, 'id')
const Issue = object({ label: object({ id: text, user: ref('User') }) })
/** A copy of a user with more in it, and a boss. */
const copyOf = (name: string, boss: string) => object({ id: text, [name]: text, more: text, boss: ref(boss) }, 'id')

/** Returns the schemas of the document of version 1, in which users have a `name`. */
function inVersion1(places: Json, more: Json = {}) {
  const copy = copyOf('fullName', 'User')
  const paths = {
    '/users': { get: { responses: { 200: ok(ref('User')), 201: ok(ref('Issue')) } } },
    '/copy': { put: { requestBody: { content: json(copy) }, responses: { 200: ok(copy) } } },
  }
  const routes = routesOf(documentOf(paths, { schemas: { User, Label, Issue } }), { places: places as never })
  const { paths: all, components } = made(routes, '1', more)
  const { requestBody, responses } = all['/copy'].put
  return { ...components.schemas, sent: requestBody.content, got: responses[200].content }
}

const COPY = { 'PUT /copy body': 'User', 'PUT /copy 200': 'User' }
test.each<[title: string, neutral: string[], copy: object]>([
  ['a version', [], copyOf('name', 'User')],
  ['an operation without a version', ['/copy'], copyOf('fullName', 'User-2')],
])('%s has a copy as it is there', (_title, neutral, copy) => {
  expect(inVersion1(COPY, { neutral })).toMatchObject({ sent: json(copy), got: json(copy) })
})

test('a copy of a component that has not changed refers to one that has', () => {
  expect(inVersion1({ ...COPY, 'Issue#/properties/label': 'Label' })).toMatchObject({
    Issue,
    User: object({ id: text, name: text }, 'id'),
  })
})
