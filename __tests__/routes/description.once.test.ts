import { namedRoutes, type OperationDescription } from 'express-versioning'
import { z } from 'zod'
import { HeaderVersioning } from '../../src/schemes/header'
import { Surveyor } from '../../src/survey/survey'

const table = () => namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id' })
const standard = (jsonSchema: unknown) => ({ '~standard': { jsonSchema } })
const told = { input: () => ({}), output: () => ({}) }

test('describe() gives the table back, and takes all parts', () => {
  const routes = table()
  const description: OperationDescription = {
    summary: 'S',
    description: 'D',
    tags: ['t'],
    deprecated: false,
    query: { type: 'object' },
    body: z.object({}),
    response: { 200: true, 204: null, 404: undefined as never },
    operation: { security: [], 'x-a': undefined },
    versions: { v1: { response: null, body: null, operation: {} }, v2: undefined },
  }
  expect(routes.describe('GET user-list', description)).toBe(routes)
  expect(routes.describe('POST user-list', { response: Object.assign(() => {}, standard(told)) as never })).toBe(routes)
})

test.each<[operation: unknown, description: unknown, message: string]>([
  ['GET user-lst', {}, 'describe(): this table has no name \'user-lst\'. Did you mean "user-list"?'],
  ['GET', {}, 'describe() takes an operation'],
  ['get user-list', {}, 'describe() takes an operation'],
  ['HEAD user-list', {}, "GET covers HEAD; write 'GET user-list'"],
  ['GET user-list', null, 'describe(): "GET user-list" takes an object of options; got null'],
  ['GET user-list', { tags: 'users' }, 'option "tags" takes a list of texts'],
  ['GET user-list', { tags: [7] }, 'option "tags" takes a list of texts'],
  ['GET user-list', { deprecated: 'yes' }, 'option "deprecated" takes true or false'],
  ['GET user-list', { body: [] }, 'option "body" takes JSON Schema'],
  ['GET user-list', { response: { 200: 7 } }, 'such by status, such as { 200: User, 204: null }, or null; got'],
  ...[null, [], 'x', { security: () => {} }, { responses: { 200: z.string() } }].map(
    (operation): [unknown, unknown, string] => [
      'GET user-list',
      { operation },
      'option "operation" takes what OpenAPI\'s Operation Object has, as JSON; got',
    ],
  ),
  ['GET user-list', { versions: null }, 'option "versions" takes an object of descriptions by version; got null'],
])('describe(%j, %p) is a TypeError', (operation, description, message) => {
  const describe = () => table().describe(operation as never, description as never)
  expect(describe).toThrow(TypeError)
  expect(describe).toThrow(message)
})

test('of several tables that speak of an operation, the outermost is heard; a table takes its words along', () => {
  const inner = table()
  inner
    .route('user-list')
    .get(() => {})
    .post(() => {})
  inner.route('user-detail').get(() => {})
  inner.describe('GET user-list', { summary: 'inner' }).describe('POST user-list', { summary: 'inner' })
  const middle = namedRoutes({}).include('/x', inner)
  middle.describe('POST user-list', { summary: 'middle' })
  const routes = namedRoutes({}).include('/a', middle, { namespace: 'a' }).include('/b', middle, { namespace: 'b' })
  routes.describe('POST b:user-list', { summary: 'outer' })
  const { survey } = new Surveyor('test', { scheme: HeaderVersioning, allowedVersions: ['v1'], routes })
  expect(
    survey.operations.map(({ method, viewName, description }) => [`${method} ${viewName}`, description?.summary]),
  ).toEqual([
    ['GET a:user-list', 'inner'],
    ['POST a:user-list', 'middle'],
    ['GET a:user-detail', undefined],
    ['GET b:user-list', 'inner'],
    ['POST b:user-list', 'outer'],
    ['GET b:user-detail', undefined],
  ])
})
