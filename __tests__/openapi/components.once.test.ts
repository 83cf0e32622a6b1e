// Documents often have several components for one thing, such as what a client sends and what it gets.
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { documentOf } from '../support/documents'
import { object as objectOf, ok, ref, text } from '../support/parts'

const object = (...names: string[]) => objectOf(Object.fromEntries(names.map((name) => [name, text])))
const responses = { 200: ok(ref('User')) }

/** An API of users, with another component in the body of POST. */
const document = (sent: object, more: object = {}) =>
  documentOf(
    { '/users': { get: { responses }, post: { requestBody: ok(ref('Sent')), responses } } },
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
  const inner = { allOf: [objectOf({ author: ref('Author') })] }
  const both = document({ ...like, ...inner }, { Author: object('given', 'family', 'role', 'id') })
  expect(() => start(routesOf(both))).toThrow(
    new TypeError(`versioning(): components have the properties of the shape "User" of the change "Names." too. Name them in the same change, or tell that they are other things, by { places: { Component: null } }: in "Sent", in "Author".
Or tell what they are, in the options of the table:
places: {
  "Sent": null,
  "Author": null,
}`),
  )
})

// Others are the properties of the shape that the change did not bring: id, email and role.
test.each<[title: string, given: object, shapes?: object, options?: object]>([
  ['that the same change names', document(like), { User: renamed, Sent: renamed }],
  ['that is another thing', document(like), { User: renamed }, { places: { Sent: null } }],
  ['with one of three others', document(object('given', 'family', 'email', 'age'))],
  ['without a property that the change brought', document(object('id', 'given', 'email', 'role'))],
  ['that no operation has', document(object('id'), { Unused: like })],
])('a component %s passes', (_, given, shapes = undefined, options = undefined) => {
  expect(() => start(routesOf(given, options), shapes)).not.toThrow()
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
  const copy = ok(object('given', 'family', 'email', 'age'))
  const given = document(object('id'), { Person: whole }) as { paths: object }
  const paths = { ...given.paths, '/copy': { get: { responses: { 200: copy } } }, '/person': { get: { responses } } }
  const routes = routesOf({ ...given, paths } as never)
  const places = '"GET /copy 200": "User" /* null: it is another thing */,\n  // or "GET /copy 200": "Person"'
  expect(() => start(routes, { User: renamed, Person: renamed })).toThrow(places)
})
