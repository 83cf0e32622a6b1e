import { Ajv2020 } from 'ajv/dist/2020'
import type { Request, RequestHandler, Response } from 'express'
import { HeaderVersioning, namedRoutes, problemDetails, versioning } from 'express-versioning'
import { change, type OperationChange, shape } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { ask, historyOf, tableOf } from '../support/changes'
import { rows } from '../support/rows'
import { serve } from '../support/serve'

const text = { type: 'string' }
const object = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) })
const U = { $ref: 'User' }
const User = { $id: 'User', ...object({ given: text, family: text }) }
const UserV1 = object({ name: text })
const NEW = { given: 'Ada', family: 'L' }
const split = shape<{ name: string }, typeof NEW>(UserV1 as never, User as never, {
  response: ({ given, family }) => ({ name: `${given} ${family}` }),
  request: ({ name }) => ({ given: name, family: '' }),
})
const Order = { $id: 'Order', type: 'string', enum: ['ascending', 'descending'] }
const orders = shape<string, string>({ type: 'string', enum: ['asc', 'desc'] } as never, Order as never, {
  request: (order) => `${order}ending`,
})
const Problem = { $id: 'Problem', ...object({ title: text }) }
const ErrorV1 = object({ error: text })
const problem = shape<{ error: string }, { title: string }>(ErrorV1 as never, Problem as never, {
  response: ({ title }) => ({ error: title }),
})
const NoteV1 = object({ note: text })
const made = change('A response of 204 was a note.', {
  'DELETE user-list': { status: { 204: 200 }, response: () => ({ note: 'Gone.' }), older: { response: NoteV1 } },
})
const Trees = { type: 'array', items: { ...object({ of: U, trees: { $ref: '#' } }), dependencies: { of: ['trees'] } } }
const both = { content: { 'application/json': Trees, 'application/problem+json': Problem, 'text/plain': text } }
const Conflict = object({ code: text, existing: U })
const ConflictV2 = object({ message: text, existing: U })
const conflict = change('Conflicts have a code.', {
  '*': {
    error: (value: { code?: string }) => {
      const { code, ...rest } = value
      return code === undefined ? value : { message: code, ...rest }
    },
    older: { error: { 409: ConflictV2, 422: both, default: { $ref: 'Problem' } } },
  },
})
const emptied = change('Responses of PATCH are empty.', { 'PATCH user-list': { status: { 200: 204 } } })
const changes = [change('Names.', { User: split }), change('Orders.', { Order: orders }), made, conflict, emptied]
const history = historyOf(...[change('Problems.', { Problem: problem }), ...changes].map((one) => [one]))

const csv = { content: { 'text/csv': text } }
const found = { 200: { type: 'array', items: U }, 203: csv, 207: null, 302: U, 409: Conflict, 422: both }
const ways: Record<string, (res: Response) => unknown> = {
  end: (res) => res.status(204).end(),
  send: (res) => res.sendStatus(204),
  json: (res) => res.status(204).json(NEW),
  jsonp: (res) => res.status(204).jsonp(NEW),
  write: (res) => res.status(204).end('ignored'),
  head: (res) => res.writeHead(204, { 'Content-Type': 'text/plain' }).end(),
}
const show: RequestHandler = ({ query }, res) => {
  const { status = 200, as, order } = query as Record<string, string>
  if (order !== undefined) return void res.json([{ given: order, family: '' }])
  if (as === 'csv') return void res.status(203).type('csv').send('given,family')
  if (as === 'problem') return void res.status(422).type('application/problem+json').send({ title: 'Bad.' })
  const bodies: Record<string, unknown> = {
    200: [NEW],
    409: { code: 'taken', existing: NEW },
    422: [{ of: NEW, trees: [] }],
    404: { title: 'No.' },
  }
  res.status(Number(status)).json(bodies[status] ?? (Number(status) < 500 ? NEW : { title: 'Oops.' }))
}

function tableWith() {
  const routes = tableOf()
  routes.describe('*', { response: { '4XX': Problem, '5XX': { content: { 'application/problem+json': Problem } } } })
  const query = object({ order: { $ref: 'Order', default: 'ascending' } })
  routes.describe('GET user-list', { query: { ...query, required: [], $defs: { Order } }, response: found })
  routes
    .describe('DELETE user-list', { response: { 204: null } })
    .describe('PATCH user-list', { body: User, response: U })
  const patch: RequestHandler = (_req, res) => void res.json(NEW)
  const remove: RequestHandler = ({ query }, res) => void (ways[String(query.way)] as (res: Response) => unknown)(res)
  routes.route('user-list').get(show).delete(remove).patch(patch)
  return routes
}

const nobody: RequestHandler = (_req, res) => void res.status(404).json({ title: 'No page.' })
const api = () =>
  serve((app) => {
    const routes = tableWith()
    app.use(versioning({ scheme: HeaderVersioning, changes: history, routes }), routes, nobody)
    app.use(problemDetails())
  })

/** Tells what is wrong with a response by the document of its version. Ajv judges. */
function faultOf(version: string, method: string, status: number, type: string, body: unknown): string {
  const document = documents.document(version)
  const operation = document.paths['/users']?.[method.toLowerCase() as 'get']
  const { [String(status)]: own, [`${String(status)[0]}XX`]: range, default: rest } = operation?.responses ?? {}
  const { content } = own ?? range ?? rest ?? {}
  if (content === undefined) return body === undefined ? '' : 'it has no body'
  const media = content[type] ?? content['application/problem+json']
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema(JSON.parse(JSON.stringify({ $id: 'all', ...document })))
  const schema = JSON.parse(JSON.stringify(media?.schema ?? true).replaceAll('"#/', '"all#/'))
  return ajv.validate(schema, body) ? '' : ajv.errorsText()
}
const documents = openapi({ scheme: HeaderVersioning, changes: history, routes: tableWith() }, { info: { title: 'T' } })

const CASES = rows(`
  v7 GET /users                 | 200 [{"given":"Ada","family":"L"}]
  v2 GET /users                 | 200 [{"name":"Ada L"}]
  // a described redirection
  v2 GET /users?status=302      | 302 {"name":"Ada L"}
  v7 GET /users?status=302      | 302 {"given":"Ada","family":"L"}
  // an error with a shape, in front of and behind the change of all errors
  v6 GET /users?status=409      | 409 {"code":"taken","existing":{"given":"Ada","family":"L"}}
  v5 GET /users?status=409      | 409 {"message":"taken","existing":{"given":"Ada","family":"L"}}
  v2 GET /users?status=409      | 409 {"message":"taken","existing":{"name":"Ada L"}}
  // errors that are described once
  v2 GET /users?status=404      | 404 {"title":"No."}
  v1 GET /users?status=404      | 404 {"error":"No."}
  v1 GET /users?status=503      | 503 {"error":"Oops."}
  v1 GET /none                  | 404 {"error":"No page."}
  v2 GET /none                  | 404 {"title":"No page."}
  // media types
  v1 GET /users?as=csv          | 203 given,family
  v1 GET /users?as=problem      | 422 {"error":"Bad."}
  v7 GET /users?status=422      | 422 [{"of":{"given":"Ada","family":"L"},"trees":[]}]
  v2 GET /users?status=422      | 422 [{"of":{"name":"Ada L"},"trees":[]}]
  // JSON where null or no JSON is described
  v7 GET /users?status=207      | 207 {"given":"Ada","family":"L"}
  v2 GET /users?status=207      | 500 {"title":"Oops."}
  v2 GET /users?status=203      | 500 {"title":"Oops."}
  // a shape in the query
  v4 GET /users?order=ascending | 200 [{"given":"ascending","family":""}]
  v2 GET /users?order=asc       | 200 [{"name":"ascending "}]
  v2 GET /users?order=a&order=b | 400
  // a body for a status without one
  v7 DELETE /users?way=end      | 204
  v5 DELETE /users?way=end      | 204
  v4 DELETE /users?way=end      | 200 {"note":"Gone."}
  v3 DELETE /users?way=send     | 200 {"note":"Gone."}
  v3 DELETE /users?way=json     | 200 {"note":"Gone."}
  v3 DELETE /users?way=jsonp    | 200 {"note":"Gone."}
  v3 DELETE /users?way=write    | 200 {"note":"Gone."}
  v1 DELETE /users?way=head     | 200 {"note":"Gone."}
  // and the other way round
  v7 PATCH /users               | 200 {"given":"Ada","family":"L"}
  v6 PATCH /users               | 204
`)
test.each(CASES)('%s: %s', async (asked, expected) => {
  const [version, method, path] = asked.split(' ') as [string, string, string]
  const { status, text, headers } = await ask(await api(), version, path, { method })
  const isEmpty = expected === '400' || expected.includes('500 ')
  expect(isEmpty ? String(status) : `${status} ${text}`.trim()).toBe(isEmpty ? expected.slice(0, 3) : expected)
  const type = String(headers['content-type']).split(';', 1)[0] as string
  if (!isEmpty && path !== '/none' && !path.endsWith('207')) {
    const body = text === '' ? undefined : type === 'text/csv' ? text : JSON.parse(text)
    expect(faultOf(version, method, status, type, body)).toBe('')
  }
  if (method !== 'DELETE' || status !== 200) return
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers['content-length']).toBe(String(text.length))
})

test('documents say what a step without an older schema changes in its own words', () => {
  const routes = tableOf()
  routes.describe('POST user-list', {
    body: UserV1,
    query: UserV1,
    response: { 200: UserV1, 204: null, 404: null, 410: null, default: UserV1 },
  })
  routes.route('user-list').post(() => {})
  const step = (value: unknown) => value
  const steps = { request: step, query: step, response: step, error: step, status: { 204: 202, 410: 404 } }
  const changed = historyOf([change('All is new.', { 'POST user-list': steps })])
  const { document } = openapi({ scheme: HeaderVersioning, changes: changed, routes }, { info: { title: 'T' } })
  const [old, newest] = ['v1', 'v2'].map((version) => document(version).paths['/users']?.post)
  const unknown = { description: 'All is new.', content: { 'application/json': {} } }
  const responses = { 200: unknown, 202: unknown, '4XX': unknown, '5XX': unknown, 404: { description: 'Not Found' } }
  const description = 'Its query is that of an older version: All is new.'
  expect(old).toMatchObject({ description, requestBody: { ...unknown, required: true }, responses })
  expect(old?.parameters?.map(({ name }) => name)).toEqual(['X-API-Version'])
  expect(JSON.stringify(newest)).not.toContain('All is new.')
})

test('a description of one version alone has the responses that all share, as that version has them', () => {
  const routes = tableOf().describe('*', { response: { '4XX': Problem, '5XX': Problem, default: text } })
  const versions = { v1: { response: { 200: text, 404: text, '5XX': text } } }
  routes
    .describe('GET other', { response: text, versions })
    .route('other')
    .get(() => {})
  const changed = historyOf([change('No 410.', { 'GET other': { status: { 410: 404 } } })])
  const { document } = openapi({ scheme: HeaderVersioning, changes: changed, routes }, { info: { title: 'T' } })
  const [old, newest] = ['v1', 'v2'].map((version) =>
    Object.keys(document(version).paths['/other']?.get?.responses ?? {}),
  )
  expect([old, newest]).toEqual([
    ['200', '404', '5XX', '4XX', 'default'],
    ['200', '4XX', '5XX', 'default'],
  ])
})

const said = (...list: object[]) => {
  const routes = tableOf().describe('*', { response: { '4XX': null, '5XX': null } })
  routes.describe('GET user-list', { response: { 200: User, 409: Conflict, default: null } })
  routes.route('user-list').get(() => {})
  versioning({
    scheme: HeaderVersioning,
    changes: historyOf(...list.map((one) => [change('X.', one as Record<string, OperationChange>)])),
    routes,
  })
}
const error = (value: unknown) => value
const lacks =
  'the change "X." of version \'v3\' has an own "error", but no { older: { error } } that says where changed shapes ("User") stand before, for the response 409 of "GET user-list".'
test.each<[string, () => unknown]>([
  [`versioning(): ${lacks}`, () => said({ User: split }, { '*': { error } })],
  [`versioning(): ${lacks}`, () => said({ User: split }, { 'GET user-list': { error } })],
  [
    'change(): the change "X.": "DELETE a": "older" describes a body of 200, but 204 has none. A "response" step must make it: { response: () => ({}) }.',
    () => change('X.', { 'DELETE a': { status: { 204: 200 }, older: { response: text } } }),
  ],
  [
    'change(): the change "X.": "*": "older": unknown option "response". It takes "error".',
    () => change('X.', { '*': { error, older: { response: text } } }),
  ],
  [
    'describe(): "*": option "response" takes bodies of responses by status, such as { "4XX": Problem }; got true.',
    () => tableOf().describe('*', { response: true as never }),
  ],
  [
    'describe(): "*": unknown option "body". It takes "response".',
    () => tableOf().describe('*', { body: User } as never),
  ],
])('a TypeError says: %s', (message, call) => {
  expect(call).toThrow(new TypeError(message))
})

test.each<[string, ...object[]]>([
  ['an `error` step in front of the shape', { '*': { error } }, { User: split }],
  ['an older body without the shape', { User: split }, { '*': { error, older: { error: null } } }],
  ['no step', { User: split }, { '*': { headers: { Via: null } } }],
  [
    'another status',
    { User: split },
    { 'GET user-list': { older: { error: { 409: Conflict, default: text } }, status: { 409: 410 } } },
  ],
  ['no older body', { User: split }, { 'GET user-list': { older: { response: { 202: text } }, status: { 204: 200 } } }],
])('versioning() takes %s', (_title, ...list) => {
  expect(() => said(...list)).not.toThrow()
})

test('an empty response of 204 has no older body by itself; HEAD has its length', async () => {
  const steps = {
    'GET other': { status: { 204: 200 } },
    'GET user-list': { status: { 204: 200 }, response: () => ({}) },
  }
  const server = await serve((app) => {
    const routes = tableOf()
    for (const name of ['other', 'user-list'] as const)
      routes.route(name).get((_req, res) => void res.status(204).end())
    app.use(versioning({ scheme: HeaderVersioning, changes: historyOf([change('X.', steps)]), routes }), routes)
  })
  const asked = [await ask(server, 'v1', '/other'), await ask(server, 'v1', '/users', { method: 'HEAD' })]
  expect(asked.map(({ status, text, headers }) => [status, text, headers['content-length']])).toEqual([
    [200, '', undefined],
    [200, '', '2'],
  ])
})

test('a step that makes no body is a failure of its change', async () => {
  const steps = { 'GET other': { status: { 204: 200 }, response: () => undefined } }
  const server = await serve((app) => {
    const routes = tableOf()
    routes.route('other').get(({ query }, res) => void (query.raw ? res.writeHead(204).end() : res.sendStatus(204)))
    app.use(
      versioning({ scheme: HeaderVersioning, changes: historyOf([change('X.', steps as never)]), routes }),
      routes,
    )
  })
  const asked = [await ask(server, 'v1', '/other'), await ask(server, 'v1', '/other?raw=1')]
  expect(asked.map(({ status }) => status)).toEqual([500, 500])
})

test('documents of older versions have no examples of the newest shapes, and keep their own', async () => {
  const routes = tableOf()
  const OldUser = { ...UserV1, examples: [{ name: 'A' }] }
  const given = { ...UserV1, ...User, properties: User.properties, required: User.required }
  const page = {
    type: 'object',
    required: ['of'],
    default: { of: NEW },
    properties: {
      of: { ...U, default: NEW },
      all: { type: 'array', items: U, examples: [[NEW]], example: [NEW] },
      count: { type: 'number', default: 7 },
      next: { $ref: '#' },
    },
    $defs: { User: given },
  }
  routes
    .describe('PUT user-list', { body: page, response: null })
    .route('user-list')
    .put(() => {})
  const step = shape<object, object>(OldUser as never, given as never, { request: (value) => value })
  const options = { scheme: HeaderVersioning, changes: historyOf([change('Names.', { User: step })]), routes }
  const { document } = openapi(options, { info: { title: 'T' } })
  const [old, newest] = ['v1', 'v2'].map((version) => JSON.stringify(document(version)))
  expect([old?.includes('Ada'), newest?.split('Ada').length]).toEqual([false, 5])
  expect(old).toContain('"examples":[{"name":"A"}]')
  expect([old, newest].every((text) => text?.includes('"default":7'))).toBe(true)
  const server = await serve((app) => void app.use(explorer(options)))
  const { json } = await server.send('GET', '/', { Accept: 'application/json' })
  const [route] = (json as { routes: { versions: { curl: string }[] }[] }).routes
  expect(route?.versions[0]?.curl).toContain(`-d '{"of":{"name":"A"}}'`)
})

const oldProblem = shape<object, object>(object({ error: text }) as never, Problem as never, {
  response: (problem) => ({ error: (problem as { title: string }).title }),
})
type Described = Record<string, unknown>
/** Describes errors of `GET /users`, `DELETE /users`, all operations and those of a child table; then binds a change. */
const bindErrors = (list: Described, remove: Described, all: Described, child?: Described) => {
  const inner = namedRoutes({ one: '/one' }).describe('GET one', { response: { 200: text } })
  if (child !== undefined) inner.describe('*', { response: child as never })
  inner.route('one').get(() => {})
  const routes = tableOf()
    .describe('*', { response: all as never })
    .include('/inner', inner)
  routes.describe('GET user-list', { response: { 200: text, ...list } as never })
  routes.describe('DELETE user-list', { response: { 204: null, ...remove } as never })
  routes
    .route('user-list')
    .get(() => {})
    .delete(() => {})
  const changes = historyOf([change('Errors are problems.', { Problem: oldProblem })])
  return versioning({ scheme: HeaderVersioning, changes, routes })
}
const silent = { 302: null }
const bothRanges = { '4XX': Problem, '5XX': Problem }
const lacking = (where: string, places: string) =>
  `versioning(): the shape "Problem" changes and is in the response ${where}, so all errors need a description: describe('*', { response: { '4XX': ..., '5XX': ... } }) of the outermost table, or describe() of the operation (null for errors without JSON). There is none for ${places}.`
const pages = ['4XX', '5XX'].map((range) => `${range} of pages without a route`).join(', ')
const rest = (name: string) => ['4XX', '5XX'].map((range) => `${range} of "${name}"`).join(', ')
test.each<[title: string, errors: Parameters<typeof bindErrors>, message: string | undefined]>([
  ['by all', [{}, {}, bothRanges], undefined],
  ['by `default`', [{ default: Problem }, { default: null }, bothRanges], undefined],
  ['with null', [bothRanges, {}, { '4XX': null, '5XX': null }], undefined],
  ['nowhere', [{}, {}, silent], undefined],
  [
    'by an operation alone',
    [bothRanges, {}, silent],
    lacking(
      '4XX of "GET user-list"',
      `${pages}, ${rest('DELETE user-list')}, ${rest('one').replaceAll('"one"', '"GET one"')}`,
    ),
  ],
  [
    'by one status of an operation',
    [{ 404: Problem }, bothRanges, { '5XX': Problem }],
    lacking('5XX of "*"', '4XX of pages without a route, 4XX of "GET user-list", 4XX of "GET one"'),
  ],
  ['by a child table', [bothRanges, bothRanges, silent, bothRanges], lacking('4XX of "GET user-list"', pages)],
  [
    'by half',
    [{}, {}, { '4XX': Problem }, { '5XX': Problem }],
    lacking('4XX of "*"', '5XX of pages without a route, 5XX of "GET user-list", 5XX of "DELETE user-list"'),
  ],
])('where an error has a changed shape, all errors are described: %s', (_title, errors, message) => {
  if (message === undefined && errors[2] !== silent) expect(() => bindErrors(...errors)).not.toThrow()
  else expect(() => bindErrors(...errors)).toThrow(message ?? 'speaks of the shape "Problem", which no description')
})

const PROBLEM_JSON = 'application/problem+json'
test.each<[title: string, version: string, headers: object, type: string]>([
  ['in the newest version', 'v2', {}, PROBLEM_JSON],
  ['converted', 'v1', {}, 'application/json'],
  ['by headers', 'v1', { 'Content-Type': () => 'application/vnd.old+json; a=1' }, 'application/vnd.old+json'],
  [
    'by headers that need a request',
    'v1',
    { 'Content-Type': (_: unknown, { req }: { req: Request }) => req.get('X-Type') ?? 'application/json' },
    'application/json',
  ],
  ['by other headers', 'v1', { 'Content-Type': null, 'X-A': null }, ''],
  ['by headers that are lists', 'v1', { 'Content-Type': () => ['a/b; c=1'] }, 'a/b'],
])('the document says the media type of an error that is sent: %s', async (_title, version, headers, type) => {
  const content = { content: { [PROBLEM_JSON]: Problem } }
  const routes = tableOf().describe('*', { response: { '4XX': content, '5XX': content } })
  routes.describe('GET other', { response: { 200: text } })
  routes.route('other').get((_req, res) => void res.status(404).type(PROBLEM_JSON).send({ title: 'No.' }))
  const heads = { '*': { headers } } as Record<string, OperationChange>
  const some = Object.keys(headers).length > 0 ? [change('Types.', heads)] : []
  const changes = historyOf([change('Errors are problems.', { Problem: oldProblem }), ...some])
  const options = { scheme: HeaderVersioning, changes, routes }
  const server = await serve((app) => app.use(versioning(options), routes))
  const sent = await ask(server, version, '/other')
  expect(String(sent.headers['content-type'] ?? '').split(';')[0]).toBe(type)
  const { responses } = openapi(options, { info: { title: 'T' } }).document(version).paths['/other']?.get ?? {}
  if (type !== '') expect(Object.keys(responses?.['4XX']?.content ?? {})).toEqual([type])
})
