import type { Request, RequestHandler, Response } from 'express'
import { namedRoutes, problemDetails, versioning } from 'express-versioning'
import { type Change, change, type OperationChange, shape } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { ask, historyOf, serveOther, tableOf } from '../support/changes'
import { describing, misfit, released, told } from '../support/described'
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
const RELEASES: Change[] = [
  change('Problems.', { Problem: problem }),
  change('Names.', { User: split }),
  ...[made, conflict],
]

const csv = { content: { 'text/csv': text } }
const found = { 200: { type: 'array', items: User }, 203: csv, 207: null, 409: Conflict, 422: both }
type Show = (res: Response) => unknown
const WAYS: Record<string, Show> = {
  send: (res) => res.sendStatus(204),
  json: (res) => res.status(204).json(NEW),
  jsonp: (res) => res.status(204).jsonp(NEW),
  write: (res) => res.status(204).end('ignored'),
  head: (res) => res.writeHead(204, { 'Content-Type': 'text/plain' }).end(),
}
const show: RequestHandler = ({ query }, res) => {
  const { status = 200, as } = query as Record<string, string>
  if (as === 'csv') return void res.status(203).type('csv').send('given,family')
  if (as === 'problem') return void res.status(422).type('application/problem+json').send({ title: 'Bad.' })
  const bodies: Record<string, unknown> = { 409: { code: 'taken', existing: NEW }, 422: [{ of: NEW, trees: [] }] }
  res.status(Number(status)).json(bodies[status] ?? (Number(status) < 500 ? NEW : { title: 'Oops.' }))
}

function tableWith() {
  const errors = { '4XX': Problem, '5XX': { content: { 'application/problem+json': Problem } } }
  const query = { type: 'object', properties: { by: U } }
  const routes = describing({ '*': { response: errors }, 'GET user-list': { query, response: found } }, show)
  const remove: RequestHandler = ({ query }, res) => void (WAYS[String(query.way)] as Show)(res)
  return describing({ 'DELETE user-list': { response: { 204: null } } }, remove, routes)
}

const nobody: RequestHandler = (_req, res) => void res.status(404).json({ title: 'No page.' })
const api = () =>
  serve((app) => {
    const routes = tableWith()
    app.use(versioning(released(routes, ...RELEASES)), routes, nobody)
    app.use(problemDetails())
  })

/** Tells what is wrong with a response by the document of its version. Ajv judges. */
function faultOf(version: string, method: string, status: number, type: string, body: unknown): string {
  const document = documents.document(version)
  const operation = document.paths['/users']?.[method.toLowerCase() as 'get']
  const { [String(status)]: own, [`${String(status)[0]}XX`]: range, default: rest } = operation?.responses ?? {}
  const found = own ?? range ?? rest
  if (found?.content === undefined) return body === undefined ? '' : 'it has no body'
  return misfit(document, found, body, type in found.content ? type : 'application/problem+json')
}
const documents = openapi(released(tableWith(), ...RELEASES))

// The properties of described responses and of statuses generate the usual ones.
const CASES = rows(`
  // an error with a shape, in front of the change of all errors
  v2 GET /users?status=409  | 409 {"message":"taken","existing":{"name":"Ada L"}}
  // errors that are described once
  v1 GET /users?status=503  | 503 {"error":"Oops."}
  v1 GET /none              | 404 {"error":"No page."}
  v2 GET /none              | 404 {"title":"No page."}
  // one of versioning(), in problem details
  v1 GET /users?by=a&by=b   | 400 {"error":"Bad Request"}
  v2 GET /users?by=a&by=b   | 400 {"message":"ERR_VERSION_BODY","type":"about:blank","title":"Bad Request","status":400,"detail":"The request is not valid in version v2."}
  // media types
  v1 GET /users?as=csv      | 203 given,family
  v1 GET /users?as=problem  | 422 {"error":"Bad."}
  v2 GET /users?status=422  | 422 [{"of":{"name":"Ada L"},"trees":[]}]
  // JSON where null or no JSON is described
  v5 GET /users?status=207  | 207 {"given":"Ada","family":"L"}
  v2 GET /users?status=207  | 500
  v2 GET /users?status=203  | 500
  // a body for a status without one
  v3 DELETE /users?way=send  | 200 {"note":"Gone."}
  v3 DELETE /users?way=json  | 200 {"note":"Gone."}
  v3 DELETE /users?way=jsonp | 200 {"note":"Gone."}
  v3 DELETE /users?way=write | 200 {"note":"Gone."}
  v1 DELETE /users?way=head  | 200 {"note":"Gone."}
`)
test.each(CASES)('%s: %s', async (asked, expected) => {
  const [version, method, path] = asked.split(' ') as [string, string, string]
  const { status, text, headers } = await ask(await api(), version, path, { method })
  const isBare = expected === '500'
  expect(isBare ? String(status) : `${status} ${text}`.trim()).toBe(expected)
  const type = String(headers['content-type']).split(';', 1)[0] as string
  if (!isBare && path !== '/none' && !path.endsWith('207')) {
    const body = text === '' ? undefined : type === 'text/csv' ? text : JSON.parse(text)
    expect(faultOf(version, method, status, type, body)).toBe('')
  }
  if (method !== 'DELETE' || status !== 200) return
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers['content-length']).toBe(String(text.length))
})

test('documents say what a step without an older schema changes in its own words', () => {
  const response = { 200: UserV1, 204: null, 404: null, 410: null, default: UserV1 }
  const routes = describing({ 'POST user-list': { body: UserV1, query: UserV1, response } })
  const step = (value: unknown) => value
  const steps = { request: step, query: step, response: step, error: step, status: { 204: 202, 410: 404 } }
  const { document } = openapi(released(routes, change('All is new.', { 'POST user-list': steps })))
  const [old, newest] = ['v1', 'v2'].map((version) => document(version).paths['/users']?.post)
  const unknown = { description: 'All is new.', content: { 'application/json': {} } }
  const responses = { 200: unknown, 202: unknown, '4XX': unknown, '5XX': unknown, 404: { description: 'Not Found' } }
  const description = 'Its query is that of an older version: All is new.'
  expect(old).toMatchObject({ description, requestBody: { ...unknown, required: true }, responses })
  expect(old?.parameters?.map(({ name }) => name)).toEqual(['X-API-Version'])
  expect(JSON.stringify(newest)).not.toContain('All is new.')
})

test('a description of one version alone has the responses that all share, as that version has them', () => {
  const shared = { response: { '4XX': Problem, '5XX': Problem, default: text } }
  const versions = { v1: { response: { 200: text, 404: text, '5XX': text } } }
  const routes = describing({ '*': shared, 'GET other': { response: text, versions } })
  const { document } = openapi(released(routes, change('No 410.', { 'GET other': { status: { 410: 404 } } })))
  const [old, newest] = ['v1', 'v2'].map((version) =>
    Object.keys(document(version).paths['/other']?.get?.responses ?? {}),
  )
  expect([old, newest]).toEqual([
    ['200', '404', '5XX', '4XX', 'default'],
    ['200', '4XX', '5XX', 'default'],
  ])
})

const said = (...list: object[]) => {
  const response = { 200: User, 409: Conflict, default: null }
  const routes = describing({ '*': { response: { '4XX': null, '5XX': null } }, 'GET user-list': { response } })
  versioning(released(routes, ...list.map((one) => change('X.', one as Record<string, OperationChange>))))
}
const error = (value: unknown) => value
const lacks =
  'the change "X." of version \'v3\' has an own "error", but no { older: { error } } that says where changed shapes ("User") were before, for the response 409 of "GET user-list".'
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

const fromNone = (show: Show, response?: () => unknown) =>
  serveOther({ status: { 204: 200 }, ...(response && { response }) }, show)

test('an empty response of 204 has no older body by itself; HEAD has the length of a made one', async () => {
  const end: Show = (res) => res.status(204).end()
  const empty = await ask(await fromNone(end), 'v1', '/other')
  const head = await ask(await fromNone(end, () => ({})), 'v1', '/other', { method: 'HEAD' })
  expect([empty, head].map(({ status, text, headers }) => [status, text, headers['content-length']])).toEqual([
    [200, '', undefined],
    [200, '', '2'],
  ])
})

test.each(['send', 'head'])('a step that makes no body is a failure of its change: %s', async (way) => {
  const server = await fromNone(WAYS[way] as Show, () => undefined)
  expect((await ask(server, 'v1', '/other')).status).toBe(500)
})

test('documents of older versions have no examples of the newest shapes, and keep their own', async () => {
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
  const routes = describing({ 'PUT user-list': { body: page, response: null } })
  const step = shape<object, object>(OldUser as never, given as never, { request: (value) => value })
  const options = released(routes, change('Names.', { User: step }))
  const { document } = openapi(options)
  const [old, newest] = ['v1', 'v2'].map((version) => JSON.stringify(document(version)))
  expect([old?.includes('Ada'), newest?.split('Ada').length]).toEqual([false, 5])
  expect(old).toContain('"examples":[{"name":"A"}]')
  expect([old, newest].every((text) => text?.includes('"default":7'))).toBe(true)
  const server = await serve((app) => void app.use(explorer(options)))
  const { json } = await server.send('GET', '/', { Accept: 'application/json' })
  const [route] = (json as { routes: { versions: { curl: string }[] }[] }).routes
  expect(route?.versions[0]?.curl).toContain(`-d '{"of":{"name":"A"}}'`)
})

const PROBLEMS = change('Errors are problems.', { Problem: problem })
type Errors = Record<string, unknown>
/** Describes errors of `GET /users`, `DELETE /users`, all operations and those of a child table; then binds a change. */
const bindErrors = (list: Errors, remove: Errors, all: Errors, child?: Errors) => {
  const said = (response: Errors) => ({ response }) as never
  const inner = namedRoutes({ one: '/one' }).describe('GET one', said({ 200: text }))
  if (child !== undefined) inner.describe('*', said(child))
  inner.route('one').get(nobody)
  const own = { 'GET user-list': said({ 200: text, ...list }), 'DELETE user-list': said({ 204: null, ...remove }) }
  const routes = describing({ '*': said(all), ...own }).include('/inner', inner)
  return versioning(released(routes, PROBLEMS))
}
const silent = { 302: null }
const bothRanges = { '4XX': Problem, '5XX': Problem }
const lacking = (where: string, ...places: string[]) =>
  `versioning(): the shape "Problem" changes and is in the response ${where}, so all errors need a description: of all operations by routes.describe('*', { response: { '4XX': { $ref: 'Problem' }, '5XX': { $ref: 'Problem' } } }) of the outermost table, or of one operation by describe() (null for errors without JSON). There is none for ${places.join(', ')}.`
const bothOf = (place: string) => `4XX and 5XX of ${place}`
const pages = bothOf('pages without a route')
const NOWHERE = `versioning(): the change "${PROBLEMS.description}" speaks of the shape "Problem", which no description and no "older" has.`
test.each<[title: string, errors: Parameters<typeof bindErrors>, message: string]>([
  ['by all', [{}, {}, bothRanges], ''],
  ['by `default`', [{ default: Problem }, { default: null }, bothRanges], ''],
  ['with null', [bothRanges, {}, { '4XX': null, '5XX': null }], ''],
  ['nowhere', [{}, {}, silent], NOWHERE],
  [
    'by an operation alone',
    [bothRanges, {}, silent],
    lacking('4XX of "GET user-list"', pages, bothOf('"DELETE user-list"'), bothOf('"GET one"')),
  ],
  [
    'by one status of an operation',
    [{ 404: Problem }, bothRanges, { '5XX': Problem }],
    lacking('5XX of "*"', '4XX of pages without a route', '4XX of "GET user-list"', '4XX of "GET one"'),
  ],
  ['by a child table', [bothRanges, bothRanges, silent, bothRanges], lacking('4XX of "GET user-list"', pages)],
  [
    'by half',
    [{}, {}, { '4XX': Problem }, { '5XX': Problem }],
    lacking('4XX of "*"', '5XX of pages without a route', '5XX of "GET user-list"', '5XX of "DELETE user-list"'),
  ],
])('where an error has a changed shape, all errors are described: %s', (_title, errors, message) => {
  expect(told(() => bindErrors(...errors))).toBe(message)
})

test('the printed line describes all errors', () => {
  const [line] = /routes\.describe\('\*', .* \} \}\)/.exec(
    told(() => bindErrors(bothRanges, {}, silent)),
  ) as RegExpExecArray
  const routes = { describe: (_: '*', { response }: { response: Errors }) => response }
  const pasted = new Function('routes', `return ${line}`)(routes) as Errors
  expect(told(() => bindErrors(bothRanges, {}, { ...silent, ...pasted }))).toBe('')
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
  const routes = describing(
    { '*': { response: { '4XX': content, '5XX': content } }, 'GET other': { response: { 200: text } } },
    (_req, res) => void res.status(404).type(PROBLEM_JSON).send({ title: 'No.' }),
  )
  const heads = { '*': { headers } } as Record<string, OperationChange>
  const some = Object.keys(headers).length > 0 ? [change('Types.', heads)] : []
  const options = { ...released(routes), changes: historyOf([PROBLEMS, ...some]) }
  const server = await serve((app) => app.use(versioning(options), routes))
  const sent = await ask(server, version, '/other')
  expect(String(sent.headers['content-type'] ?? '').split(';')[0]).toBe(type)
  const { responses } = openapi(options).document(version).paths['/other']?.get ?? {}
  if (type !== '') expect(Object.keys(responses?.['4XX']?.content ?? {})).toEqual([type])
})
