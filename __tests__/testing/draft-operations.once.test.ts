// Drafts of documents whose operations changed.
import { draftHistory } from 'express-versioning/testing'
import { differencesOf } from '../../src/openapi/document-differences'
import { alone, complete, type Document, drafted, expectIn, expectOlder, givenBy } from '../support/drafts'
import {
  documentOf,
  inPath,
  inQuery,
  integer,
  type Json,
  json,
  list,
  money,
  object,
  operation,
  ref,
  response,
  text,
  User,
} from './api-documents'

/** Drafts the history of operations. */
const draftOf = (older: Json, newer: Json) =>
  draftHistory([documentOf('1', { paths: older }), documentOf('2', { paths: newer })])

test.each([
  {
    name: 'a new operation',
    older: {},
    newer: { '/a/{id}': { get: operation({ parameters: [inPath('id')], responses: { 200: response(User) } }) } },
    draft: "'GET /a/{id}': 'added'",
  },
  {
    name: 'a status',
    older: { '/a': { put: operation({ responses: { 200: response(ref('User')) } }) } },
    newer: { '/a': { put: operation({ responses: { 202: response(ref('User')) } }) } },
    draft: '// A guess: 202 was 200. status: { 202: 200 }',
  },
  {
    name: 'a status that loses its body',
    older: { '/a': { put: operation({ responses: { 204: response() } }) } },
    newer: { '/a': { put: operation({ responses: { 200: response(ref('User')) } }) } },
    draft: 'status: { 200: 204 }',
  },
  {
    name: 'a name for a schema',
    older: { '/a': { get: operation({ responses: { 200: response(User) } }) } },
    newer: { '/a': { get: operation({ responses: { 200: response(ref('User')) } }) } },
    draft: "versionHistory('1') .version('2')",
  },
  {
    name: 'a new parameter',
    older: { '/a': { get: operation({ parameters: [inQuery('page', integer)], responses: { 200: response(User) } }) } },
    newer: {
      '/a': {
        get: operation({
          parameters: [inQuery('page', integer), inQuery('limit', integer)],
          responses: { 200: response(User) },
        }),
      },
    },
    draft: 'query: ({ limit: _0, ...others }) => others',
  },
  {
    name: 'a parameter with another name',
    older: { '/a': { get: operation({ parameters: [inQuery('page', integer)], responses: { 200: response(User) } }) } },
    newer: { '/a': { get: operation({ parameters: [inQuery('p', integer)], responses: { 200: response(User) } }) } },
    draft:
      '// A guess: "page" and "p" … query: ({ p: _0, page: _1, ...others }) => ({ ...others, ...(_1 !== undefined && { p: _1 }) })',
  },
  {
    name: 'no guess of several parameters',
    older: {
      '/a': {
        get: operation({
          parameters: [inQuery('a', integer), inQuery('b', integer)],
          responses: { 200: response(User) },
        }),
      },
    },
    newer: { '/a': { get: operation({ parameters: [inQuery('c', integer)], responses: { 200: response(User) } }) } },
    draft: '({ a: _0, b: _1, c: _2, ...others }) => others',
  },
  {
    name: 'a parameter that may be missing now',
    older: {
      '/a': {
        get: operation({
          parameters: [{ ...inQuery('a', integer), required: true }],
          responses: { 200: response(User) },
        }),
      },
    },
    newer: { '/a': { get: operation({ parameters: [inQuery('a', integer)], responses: { 200: response(User) } }) } },
    draft: 'query: (value) => value',
  },
  {
    name: 'a property of a response',
    older: { '/a': { get: operation({ responses: { 200: response(object({ a: text }, ['a'])) } }) } },
    newer: { '/a': { get: operation({ responses: { 200: response(object({ a: text, b: money }, ['a', 'b'])) } }) } },
    draft: 'response: ({ b: _0, ...others }) => others',
  },
])('operations are said: $name', ({ older, newer, draft }) => {
  expectIn(complete(documentOf('1', { paths: older }), documentOf('2', { paths: newer })), draft)
})

test("an operation that today's document lacks is put into the table, with the shapes that it alone has", () => {
  const schemas = {
    Old: object({ user: ref('User'), inner: ref('Inner') }, ['user']),
    Inner: object({ old: ref('Old'), it: text }),
  }
  const page = { name: 'page', in: 'query', schema: integer }
  const noContent = { responses: { 204: response() } }
  const post = operation({ parameters: [inPath('id')], ...noContent })
  const get = operation({
    parameters: [{ $ref: '#/components/parameters/page' }],
    responses: { 200: response(ref('Old')) },
  })
  const paths = {
    '/gone': { get: operation(noContent) },
    '/old/{id}': { get, post, parameters: [inPath('id'), { ...page, schema: text }] },
  }
  const older = documentOf('1', { user: object({ id: text, name: text }), paths, schemas })
  Object.assign((older as unknown as { components: object }).components, { parameters: { page } })
  const user = object({ id: text, name: text, more: text })
  const written = complete(older, documentOf('2', { user, paths: { '/old/{id}': { post } } }))
  expect(written).toContain("'GET /old/{id}': 'removed'")
  expect(written).toContain(
    'routes: routesOf(document, { removed: [older] }) })\n// Here, document is the OpenAPI document of 2, older that of 1.\n',
  )
})

test('a chain of documents is one history: each version means what its document says', () => {
  const get = operation({ responses: { 200: response(ref('User')) } })
  const documents = [
    documentOf('1', { user: object({ id: text, name: text }), paths: { '/a': { get }, '/b': { get }, '/c': { get } } }),
    documentOf('2', { user: object({ id: text, title: text }), paths: { '/b': { get } } }),
    documentOf('3', { user: object({ id: text, title: text, more: text }), paths: { '/a': { get } } }),
  ] as const
  const written = draftHistory(documents)
  expect(written).toContain('The draft is complete')
  const module = drafted(written)
  for (const one of documents.slice(0, 2))
    expect(differencesOf(alone(one, module), givenBy(module, documents, one.info.version))).toEqual([])
})

test('documents need no components', () => {
  const plain = (version: string, paths: Json) =>
    ({ openapi: '3.1.0', info: { title: 'Shop', version }, paths }) as Document
  const get = operation({ responses: { 200: response(text) } })
  const [older, newer] = [plain('1', { '/a': { get }, '/b': { get } }), plain('2', { '/b': { get } })]
  expect(complete(older, newer)).toContain("'GET /a': 'removed'")
})

test.each([
  {
    name: 'a path parameter',
    older: { '/a/{id}': { get: operation({ parameters: [inPath('id')], responses: { 200: response(ref('User')) } }) } },
    newer: {
      '/a/{id}': { get: operation({ parameters: [inPath('id', integer)], responses: { 200: response(ref('User')) } }) },
    },
    told: 'GET /a/{id} has changed at /parameters/path id/schema/type',
  },
  {
    name: 'a header',
    older: {
      '/a': { get: operation({ responses: { 200: { ...response(ref('User')), headers: { N: { schema: text } } } } }) },
    },
    newer: {
      '/a': {
        get: operation({ responses: { 200: { ...response(ref('User')), headers: { N: { schema: integer } } } } }),
      },
    },
    told: 'GET /a has changed at /responses/200/headers/N/schema/type',
  },
  {
    name: 'another media type',
    older: { '/a': { get: operation({ responses: { 200: response(ref('User')) } }) } },
    newer: {
      '/a': {
        get: operation({
          responses: {
            200: { description: '', content: { 'application/json': { schema: ref('User') }, 'text/csv': {} } },
          },
        }),
      },
    },
    told: 'GET /a has changed at /responses/200/content/text/csv',
  },
  {
    name: 'the style of a parameter',
    older: { '/a': { get: operation({ parameters: [inQuery('a', integer)], responses: { 204: response() } }) } },
    newer: {
      '/a': {
        get: operation({
          parameters: [{ ...inQuery('a', integer), allowReserved: true }],
          responses: { 204: response() },
        }),
      },
    },
    told: 'GET /a has changed at /parameters/query a/allowReserved',
  },
  {
    name: 'two operations',
    older: {
      '/a': { get: operation({ responses: { 200: response(ref('User')), 'x-cache': { for: 1 } } }) },
      '/b': { get: operation({ responses: { 200: response(ref('User')), 'x-cache': { for: 1 } } }) },
    },
    newer: {
      '/a': { get: operation({ responses: { 200: response(ref('User')), 'x-cache': { for: 2 } } }) },
      '/b': { get: operation({ responses: { 200: response(ref('User')), 'x-cache': { for: 2 } } }) },
    },
    told: 'GET /a and GET /b have changed at /responses/x-cache/for',
  },
  {
    name: 'an extension',
    older: { '/a': { get: operation({ responses: { 200: response(ref('User')), 'x-cache': { for: 1 } } }) } },
    newer: { '/a': { get: operation({ responses: { 200: response(ref('User')), 'x-cache': { for: 2 } } }) } },
    told: 'GET /a has changed at /responses/x-cache/for',
  },
  {
    name: 'whether a body is needed',
    older: { '/a': { put: operation({ body: User, responses: { 200: response(ref('User')) } }) } },
    newer: {
      '/a': {
        put: operation({ requestBody: { required: false, ...json(User) }, responses: { 200: response(ref('User')) } }),
      },
    },
    told: 'PUT /a has changed at /requestBody/required',
  },
  {
    name: 'the name of a path parameter alone',
    older: {
      '/a/{id}': {
        get: operation({ operationId: 'one', parameters: [inPath('id')], responses: { 200: response(ref('User')) } }),
      },
    },
    newer: {
      '/a/{no}': {
        get: operation({ operationId: 'one', parameters: [inPath('no')], responses: { 200: response(ref('User')) } }),
      },
    },
    told: 'GET /a/{no} is new',
  },
  {
    name: 'a new error',
    older: { '/a': { get: operation({ responses: { 200: response(ref('User')) } }) } },
    newer: { '/a': { get: operation({ responses: { 200: response(ref('User')), 404: response(ref('User')) } }) } },
    told: 'GET /a has changed at /responses/404',
  },
  {
    name: 'a redirect',
    older: { '/a': { get: operation({ responses: { 200: response(ref('User')), 302: response(text) } }) } },
    newer: { '/a': { get: operation({ responses: { 200: response(ref('User')), 302: response(User) } }) } },
    told: 'GET /a has changed at /responses/302/content/application/json/schema/type',
  },
])('what no change can say is told: $name', ({ older, newer, told }) => {
  const written = draftOf(older, newer)
  expect(written).toMatch(/^\/\/ The draft is not complete: it has \d things? that it could not read or say\.$/m)
  expect(written).toContain(`// - no change can say that ${told}: the document of 1 shows what 2 has\n`)
})

test.each([
  {
    name: 'a body',
    older: { '/a': { put: operation({ body: list(text), responses: { 200: response(ref('User')) } }) } },
    newer: { '/a': { put: operation({ body: list(User), responses: { 200: response(ref('User')) } }) } },
    draft: "request: todo('PUT /a: make the newer body of the older one'), older: { body: { type: 'array'",
  },
  {
    name: 'no body',
    older: { '/a': { put: operation({ responses: { 200: response(ref('User')) } }) } },
    newer: { '/a': { put: operation({ body: User, responses: { 200: response(ref('User')) } }) } },
    draft: 'older: { body: null }',
  },
  {
    name: 'a new parameter that is required',
    older: { '/a': { get: operation({ responses: { 200: response(ref('User')) } }) } },
    newer: {
      '/a': {
        get: operation({
          parameters: [{ ...inQuery('a', integer), required: true }],
          responses: { 200: response(ref('User')) },
        }),
      },
    },
    draft: 'query: todo(',
  },
  {
    name: 'a response',
    older: { '/a': { get: operation({ responses: { 200: response(text) } }) } },
    newer: { '/a': { get: operation({ responses: { 200: response(User) } }) } },
    draft:
      "response: todo('GET /a: make the older response 200 of the newer one'), older: { response: { 200: { type: 'string' } } }",
  },
  {
    name: 'a response of two types',
    older: {
      '/a': {
        get: operation({
          responses: {
            200: {
              description: '',
              content: { 'application/json': { schema: text }, 'application/x+json': { schema: text } },
            },
          },
        }),
      },
    },
    newer: {
      '/a': {
        get: operation({
          responses: {
            200: {
              description: '',
              content: { 'application/json': { schema: User }, 'application/x+json': { schema: User } },
            },
          },
        }),
      },
    },
    draft:
      "make the older body of 200'), older: { response: { 200: { content: { 'application/json': { type: 'string' }, 'application/x+json': { type: 'string' } }",
  },
  {
    name: 'an error',
    older: { '/a': { get: operation({ responses: { 200: response(ref('User')), 404: response(text) } }) } },
    newer: { '/a': { get: operation({ responses: { 200: response(ref('User')), 404: response(User) } }) } },
    draft: "error: todo('GET /a: make the older body of 404'), older: { error: { 404: { type: 'string' } } }",
  },
  {
    name: 'a status without a body',
    older: { '/a': { put: operation({ responses: { 200: response(ref('User')) } }) } },
    newer: { '/a': { put: operation({ responses: { 204: response() } }) } },
    draft:
      "status: { 204: 200 }, response: todo(…), older: { response: { 200: { $ref: '#/components/schemas/User' } } }",
  },
])('bodies that nobody can make are left to do: $name', (row) => {
  const [older, newer] = [documentOf('1', { paths: row.older }), documentOf('2', { paths: row.newer })]
  const draft = draftHistory([older, newer])
  expect(draft).toMatch(/is not complete: it has 1 todo\(\)\.$/m)
  expectIn(draft, row.draft)
  expectOlder(draft, older, newer)
})

test('methods and places of OpenAPI 3.2, ranges, defaults and forms are read', () => {
  const form = { requestBody: { content: { 'application/x-www-form-urlencoded': { schema: ref('User') } } } }
  const responses = { default: response(object({ code: text })), '2xx': response(ref('User')) }
  const Bare = response(object({ user: ref('User') }))
  const inner = { $ref: '#/components/responses/Bare/content/application~1json/schema' }
  const securitySchemes = { key: { type: 'apiKey', in: 'header', name: 'X-Key' } }
  const documentIn = (version: string, user: Json, ...methods: string[]) => {
    const additionalOperations = Object.fromEntries(['COPY', ...methods].map((method) => [method, { responses }]))
    const paths = {
      '/files': { post: { ...form, responses }, additionalOperations, parameters: [] },
      '/bare': { get: { responses: { 200: { $ref: '#/components/responses/Bare' } } } },
      '/inner': { get: operation({ responses: { 200: response(list(inner)) } }) },
    }
    const components = { schemas: { User: user }, responses: { Bare }, securitySchemes }
    return documentOf(version, { user, paths, openapi: '3.2.0', components })
  }
  const [older, newer] = [object({ id: text, a: text }), object({ id: text, b: text })]
  complete(documentIn('1', older), documentIn('2', newer))
  // Other methods cannot be put back.
  const written = draftHistory([documentIn('1', older, 'MOVE'), documentIn('2', newer)])
  expect(written).toMatch(/the draft needs more .*MOVE/)
})

test('long lists of operations are cut in sentences', () => {
  const get = operation({ responses: { 200: response(User) } })
  const paths = Object.fromEntries([...'abcdefg'].map((name) => [`/${name}`, { get }]))
  expect(complete(documentOf('1'), documentOf('2', { paths }))).toContain(
    'New in 2: `GET /a`, `GET /b`, `GET /c`, `GET /d`, `GET /e` and 2 more.',
  )
})

const getUser = operation({ parameters: [inPath('id')], responses: { 200: response(User) } })

describe('an operation whose path changed', () => {
  test.each([
    {
      name: 'its operationId and parameters stayed',
      older: { '/people/{id}': { get: { ...getUser, operationId: 'user' } } },
      newer: { '/users/{id}': { get: { ...getUser, operationId: 'user' } } },
      draft: "{ 'GET /users/{id}': { path: '/people/{id}' } }",
    },
    {
      name: 'its operationId stayed, and nothing else',
      older: {
        '/people/{id}': {
          get: operation({ operationId: 'user', parameters: [inPath('id')], responses: { 200: response(text) } }),
        },
      },
      newer: {
        '/api/users/{id}': {
          get: operation({
            operationId: 'user',
            parameters: [inPath('id'), inQuery('a', integer)],
            responses: { 200: response(text) },
          }),
        },
      },
      draft: "path: '/people/{id}', query:",
    },
    {
      name: 'all but a segment stayed',
      older: { '/people/{id}/pets': { get: getUser } },
      newer: { '/users/{id}/pets': { get: getUser } },
      draft: "{ 'GET /users/{id}/pets': { // A guess: it is /users/{id}/pets now. path: '/people/{id}/pets' } }",
    },
    {
      name: 'all but a segment, beside one that another operation tells',
      older: {
        '/a': { delete: operation({ responses: { 204: response() } }) },
        '/a/{id}': { delete: operation({ parameters: [inPath('id')], responses: { 204: response() } }) },
      },
      newer: {
        '/b': { delete: operation({ responses: { 204: response() } }) },
        '/b/{id}': { delete: operation({ parameters: [inPath('id')], responses: { 204: response() } }) },
      },
      draft: "path: '/a'",
    },
    {
      name: 'of several, that whose segment another one tells',
      older: {
        '/a/x': { get: operation({ responses: { 200: response(User) } }) },
        '/a/{id}': { delete: operation({ parameters: [inPath('id')], responses: { 204: response() } }) },
      },
      newer: {
        '/b/x': { get: operation({ responses: { 200: response(User) } }) },
        '/b/{id}': { delete: operation({ parameters: [inPath('id')], responses: { 204: response() } }) },
        '/c/{id}': { delete: operation({ parameters: [inPath('id')], responses: { 204: response() } }) },
      },
      draft: "path: '/a/{id}'",
    },
    {
      name: 'it is all of its path, and its schema stayed',
      older: { '/people': { get: operation({ responses: { 200: response(list(User)) } }) } },
      newer: {
        '/users/{id}': { get: getUser },
        '/humans': { get: operation({ responses: { 200: response(list(User)) } }) },
      },
      draft: "path: '/people'",
    },
    {
      name: 'its schema got another name',
      older: { '/people': { get: operation({ responses: { 200: response(ref('Person')) } }) } },
      newer: { '/humans': { get: operation({ responses: { 200: response(ref('User')) } }) } },
      draft: "path: '/people'",
    },
    {
      name: 'another one came to its place',
      older: { '/a/{id}': { get: { ...getUser, operationId: 'one' } } },
      newer: {
        '/b/{id}': { get: { ...getUser, operationId: 'one' } },
        '/a/{id}': { get: { ...getUser, operationId: 'two' } },
      },
      draft: "{ 'GET /b/{id}': { path: '/a/{id}' } }), change('New in 2: `GET /a/{id}`.', { 'GET /a/{id}': 'added' })",
    },
  ])('is moved: $name', ({ older, newer, draft }) => {
    const schemas = { Person: User }
    const written = complete(documentOf('1', { paths: older, schemas }), documentOf('2', { paths: newer, schemas }))
    expectIn(written, draft)
    expect(written).not.toMatch(/removed/)
  })

  test('is moved with the names that its parameters have now', () => {
    const getPet = (...names: string[]) =>
      operation({
        operationId: 'pet',
        parameters: names.map((name) => inPath(name)),
        responses: { 200: response(User) },
      })
    const written = draftOf(
      { '/people/{person}/pets/{id}': { get: getPet('person', 'id') } },
      { '/users/{id}/pets/{pet}': { get: getPet('id', 'pet') } },
    )
    expectIn(written, "{ path: '/people/{pet}/pets/{id}' }")
    expect(written).toContain('no change can say that GET /people/{person}/pets/{id} was removed')
  })

  test('is moved in each version that moves it, and keeps its other changes', () => {
    const get = { ...getUser, operationId: 'user' }
    const documents = [
      { '/people/{id}': { get: { ...get, parameters: [inPath('id'), inQuery('q', text)] } } },
      { '/persons/{id}': { get } },
      { '/{id}/user': { get } },
      { '/users/{id}': { get: { ...get, responses: { 200: response(object({ a: text })) } } } },
    ].map((moved, index) => {
      const paths = { ...moved, '/other/{id}': { get: { ...getUser, operationId: 'other' } } }
      return documentOf(String(index + 1), { paths })
    })
    const written = draftHistory(documents)
    const paths = [...written.matchAll(/path: '(.*)'/g)].map(([, path]) => path)
    expect(paths).toStrictEqual(['/people/{id}', '/persons/{id}', '/{id}/user'])
    expectIn(written, "'GET /users/{id}': { path: '/people/{id}', query: ({ q: _0, ...others })")
    expect(written).not.toMatch(/'added'|'removed'/)
  })

  test.each([
    {
      name: 'has more parameters',
      older: { '/a/{id}': { get: { ...getUser, operationId: 'one' } } },
      newer: {
        '/b/{id}/{no}': {
          get: operation({
            operationId: 'one',
            parameters: [inPath('id'), inPath('no')],
            responses: { 200: response(User) },
          }),
        },
      },
    },
    {
      name: 'has nothing that stayed',
      older: { '/a/{id}': { get: getUser } },
      newer: { '/b/{id}': { get: operation({ parameters: [inPath('id')], responses: { 200: response(text) } }) } },
    },
    {
      name: 'has two other segments',
      older: { '/a/{id}': { get: getUser } },
      newer: { '/b/{id}/c': { get: getUser } },
    },
    {
      name: 'has a parameter in the segment',
      older: { '/a/{id}': { get: getUser } },
      newer: { '/a/all': { get: operation({ responses: { 200: response(User) } }) } },
    },
    {
      name: 'shares its operationId, and its schemas',
      older: {
        '/a/{id}': { get: { ...getUser, operationId: 'one' } },
        '/c/{id}': {
          get: operation({ operationId: 'one', parameters: [inPath('id')], responses: { 200: response(text) } }),
        },
      },
      newer: { '/b/{id}': { get: { ...getUser, operationId: 'one' } }, '/d/{id}': { get: getUser } },
    },
    {
      name: 'is where another one was',
      older: {
        '/a/{id}': { get: { ...getUser, operationId: 'one' } },
        '/b/{id}': { get: { ...getUser, operationId: 'two' } },
      },
      newer: { '/b/{id}': { get: { ...getUser, operationId: 'one' } } },
    },
    {
      name: 'is all of its path, and says nothing',
      older: { '/a/{id}': { get: getUser }, '/old': { post: operation({ responses: { 204: response() } }) } },
      newer: { '/new': { post: operation({ responses: { 204: response() } }) } },
    },
  ])('is another one if it $name', ({ older, newer }) => {
    const written = draftOf(older, newer)
    expect(written).not.toContain('path:')
    expect(written).toContain("'GET /a/{id}': 'removed'")
  })
})

test.each([
  {
    name: 'NestJS',
    older: { '/a/{id}': { get: { ...getUser, operationId: 'UsersController_one' } } },
    newer: { '/a/{id}': { get: { ...getUser, operationId: 'PeopleController_findOne' } } },
  },
  {
    name: 'NestJS, moved',
    older: { '/a/{id}': { get: { ...getUser, operationId: 'AController_one' } } },
    newer: { '/b/{id}': { get: { ...getUser, operationId: 'BController_one' } } },
  },
  {
    name: 'FastAPI',
    older: { '/a/{id}': { get: { ...getUser, operationId: 'read_a__id__get' } } },
    newer: { '/a/{id}': { get: { ...getUser, operationId: 'read_one_a__id__get' } } },
  },
  {
    name: 'FastAPI, moved',
    older: { '/a/{id}': { get: { ...getUser, operationId: 'read_a__id__get' } } },
    newer: { '/b/{id}': { get: { ...getUser, operationId: 'read_b__id__get' } } },
  },
])('generated names of operations, and servers, are no remarks: $name', ({ older, newer }) => {
  const serversOf = (version: string) => [{ url: `https://example.com/${version}` }]
  const [before, after] = [older, newer].map((paths, index) => {
    const items = Object.entries(paths).map(([path, { get }]) => {
      return [path, { get: { ...get, servers: serversOf(String(index)) }, servers: serversOf('item') }]
    })
    const user = object({ id: text, servers: text }, ['id'])
    return documentOf(String(index + 1), { user, paths: Object.fromEntries(items), servers: serversOf(String(index)) })
  }) as [Document, Document]
  expect(draftHistory([before, after])).toContain('The draft is complete')
})

test('a name that somebody chose is a remark', () => {
  const pathsWith = (operationId: string) => ({
    '/a': { get: operation({ operationId, responses: { 204: response() } }) },
  })
  expect(draftOf(pathsWith('one'), pathsWith('two'))).toContain(
    'no change can say that GET /a has changed at /operationId: the document of 1 shows',
  )
})
