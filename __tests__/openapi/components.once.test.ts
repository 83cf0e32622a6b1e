// Documents often have several components for one thing, such as what a client sends and what it gets.
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { documentOf } from '../support/documents'

const text = { type: 'string' }
const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
})
const content = (name: string) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
})
const responses = { 200: { description: 'OK', ...content('User') } }

/** An API of users, with another component in the body of POST. */
const document = (sent: object, more: object = {}) =>
  documentOf(
    { '/users': { get: { responses }, post: { requestBody: content('Sent'), responses } } },
    { schemas: { User: object('id', 'given', 'family', 'email', 'role'), Sent: sent, ...more } },
  )
const renamed = fields({ renamed: { first: 'given', last: 'family' } })
const start = (routes: object, shapes: object = { User: renamed }) =>
  versioning({
    scheme: HeaderVersioning,
    defaultVersion: 'v2',
    changes: versionHistory('v1').version('v2', change('Names.', shapes as { User: typeof renamed })),
    routes: routes as ReturnType<typeof namedRoutes>,
  })

const like = object('given', 'family', 'email', 'role')

test('a component with the properties of a change of another one is a TypeError, with the line to paste', () => {
  const inner = { allOf: [{ type: 'object', properties: { author: { $ref: '#/components/schemas/Author' } } }] }
  const both = document({ ...like, ...inner }, { Author: object('given', 'family', 'role', 'id') })
  expect(() => start(routesOf(both))).toThrow(
    new TypeError(`versioning(): components have the properties of the shape "User" of the change "Names." too. Name them in the same change, or tell that they are other things, by { places: { Component: null } }: in "Sent", in "Author".
Or tell what they are, in the options of the table:
places: {
  "Sent": null /* another thing; if not, add "Sent" to the change, beside "User" */,
  "Author": null /* another thing; if not, add "Author" to the change, beside "User" */,
}`),
  )
})

// Others are the properties of the shape that the change did not bring: id, email and role.
const passing: { title: string; given: object; shapes?: object; options?: object }[] = [
  { title: 'that the same change names', given: document(like), shapes: { User: renamed, Sent: renamed } },
  { title: 'that is another thing', given: document(like), options: { places: { Sent: null } } },
  { title: 'with one of three others', given: document(object('given', 'family', 'email', 'age')) },
  { title: 'without a property that the change brought', given: document(object('id', 'given', 'email', 'role')) },
  { title: 'that no operation has', given: document(object('id'), { Unused: like }) },
]
test.each(passing)('a component $title passes', ({ given, shapes, options }) => {
  expect(() => start(routesOf(given, options), shapes)).not.toThrow()
})

test('a component with two of three others does not pass', () => {
  expect(() => start(routesOf(document(like)))).toThrow('in "Sent"')
})

test('a described schema with a name of its own passes', () => {
  const routes = namedRoutes({ users: '/users' })
  routes.route('users').post(() => undefined)
  routes.describe('POST users', {
    body: { $id: 'Sent', ...like },
    response: { $id: 'User', ...object('id', 'given', 'family', 'email', 'role') },
  })
  expect(() => start(routes)).not.toThrow()
})

test('a copy that looks like two shapes has one line to paste, and the other meaning beside it', () => {
  const whole = object('given', 'family', 'email', 'role')
  const copy = {
    description: '',
    content: { 'application/json': { schema: object('given', 'family', 'email', 'age') } },
  }
  const given = document(object('id'), { Person: whole }) as { paths: object }
  const paths = { ...given.paths, '/copy': { get: { responses: { 200: copy } } }, '/person': { get: { responses } } }
  const routes = routesOf({ ...given, paths } as never)
  const places = '"GET /copy 200": "User" /* null: it is another thing */,\n  // or "GET /copy 200": "Person"'
  expect(() => start(routes, { User: renamed, Person: renamed })).toThrow(places)
})
