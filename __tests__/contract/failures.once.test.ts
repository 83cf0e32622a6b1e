import type { RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import { type ContractOptions, type ContractValidator, contract } from 'express-versioning/contract'
import { openapi } from 'express-versioning/openapi'
import { ask, historyOf, type Table, tableOf } from '../support/changes'
import { rows } from '../support/rows'
import { judged, judgedBy, post, posting, schemaWith, text } from './judged'

const any = () => () => true
const failing = (error: unknown) => () => {
  throw error
}
const end: RequestHandler = (req, res) => void res.json({ body: req.body })

/** Binds a contract to a table with descriptions of operations, each of which has a handler. */
function bound(described: Record<string, object | null>, own: object = {}, options: Partial<ContractOptions> = {}) {
  const routes = tableOf()
  for (const name of ['user-list', 'other'] as const) routes.route(name).get(end)
  for (const [operation, description] of Object.entries(described)) {
    const [method, name] = operation.split(' ') as ['POST', 'other']
    if (method === 'POST') routes.route(name).post(end)
    if (description !== null) routes.describe(operation as 'POST other', description)
  }
  const changes = historyOf([change('C.', { 'GET other': { query: (value) => value, request: (value) => value } })])
  const judge = contract({ compile: any, ...options } as ContractOptions)
  return versioning({ scheme: HeaderVersioning, routes, changes, contract: judge, ...own } as VersioningOptions)
}

const older = { body: null, query: {} }
const OWN: Record<string, object> = {
  known: { changes: historyOf([change('C.', { 'GET other': { query: (value) => value, older } })]) },
  plain: {},
  'no routes': { routes: undefined },
  'no history': { changes: undefined },
  'no changes': { changes: versionHistory('v1') },
}
const undescribed = 'the change "C." has a "query" step, but no "older" "query", of "GET other".'
const inV1 = '"GET user-list" in version "v1": it'
const inner = '#/components/schemas/User/properties/a'
test.each(
  rows(`
  no routes | {} | option "changes" needs "routes"
  no history | {} | option "contract" needs "changes", a history. An API of one version writes versionHistory('v1').
  no changes | {} | option "contract" needs descriptions: routes.describe(...).
  known | {"GET other":{},"POST user-list":null} | versioning(): describe() says no "body" (null where requests have none) of "POST user-list".
  plain | {"GET other":{"query":{}}} | ${undescribed}
  plain | {"GET other":{"body":null}} | ${undescribed}
  plain | {"GET other":{"query":{},"body":{}}} | 2 things do not fit in the option "contract":
  known | {"GET user-list":{"query":{"$ref":"Nobody"}}} | ${inV1}s reference "Nobody" leads to no schema that a description has.
  known | {"GET user-list":{"query":{"$ref":"${inner}"}}} | ${inV1}s reference "${inner}" leads to no schema that a description has.
  known | {"GET user-list":{"query":{"properties":{"at":{"type":"Date"}}}}} | ${inV1} has the "type" 'Date', which JSON Schema does not have.
`),
)('%s, %s: %s', (own = '', described = '', message = '') => {
  expect(() => bound(JSON.parse(described), OWN[own])).toThrow(message)
})

test('a schema that cannot be JSON Schema is a mistake at start', () => {
  const noJson = failing(new Error('not JSON'))
  const odd = (input: unknown) => ({ '~standard': { version: 1, vendor: 'x', jsonSchema: { input, output: noJson } } })
  expect(() => bound({ 'GET user-list': { query: odd(noJson) } }, OWN.known)).toThrow(/^.*"v1": .*not JSON/)
  const content = { 'text/json': odd(any), 'application/json': odd(any) }
  const start = () => bound({ 'GET other': { response: { content } } }, OWN.known, { responses: 'warn' })
  expect(start).toThrow('"GET other" in version "v1": not JSON.')
})

test.each<[string, unknown, string]>([
  ['a function', () => {}, '[Function (anonymous)]'],
  ['the function that makes one', contract, '[Function: contract]'],
  ['a class', class Own {}, '[class Own]'],
  ['a history', versionHistory('v1'), ''],
  ['null', null, 'null'],
  ['its options', { compile: any }, ''],
  ['an object', {}, '{}'],
])('%s is no contract', (_title, odd, got) => {
  const message = 'option "contract" takes a contract made by contract() of express-versioning/contract; got '
  const own = { contract: odd, changes: historyOf([]) }
  for (const [owner, make] of [
    ['versioning()', () => bound({ 'GET other': {} }, own)],
    ['for()', () => historyOf([]).for({ routes: tableOf(), contract: odd as never })],
  ] as const) {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(`${owner}: ${message}${got}`)
  }
})

test.each([
  ['POST other', 'body'],
  ['GET other', 'query'],
  ['GET other', 'response'],
])('an invalid pattern of %s, %s, is a mistake at start', (operation, part) => {
  const schema = { properties: { a: { patternProperties: { '(': { type: 'string' } } } } }
  const make = () =>
    bound({ [operation]: { body: null, [part]: schema } }, { changes: historyOf([]) }, { responses: 'throw' })
  expect(make).toThrow(TypeError)
  expect(make).toThrow(
    `"${operation}" in version "v1": its "patternProperties" has '(', which is no regular expression.`,
  )
})

const late = () => Promise.reject(new Error('late'))
const instead = 'instead of a value or issues'
const throwing = failing(new Error('secret'))
test.each<[how: string, kind: 'compile' | 'a schema', validate: (value: unknown) => unknown]>([
  ['is a promise instead of a function', 'compile', late],
  ['is a promise instead of a function', 'compile', async () => any()],
  ['could not be compiled', 'compile', failing(new RangeError('Maximum call stack size exceeded'))],
  ['could not be compiled', 'compile', throwing],
  ['threw', 'compile', () => failing(new RangeError('Invalid count value: -1'))],
  ['threw', 'compile', () => Object.defineProperty(() => false, 'errors', { get: throwing })],
  ['threw', 'compile', () => throwing],
  ['is an object instead of a function', 'compile', () => ({})],
  ['returned a promise instead of true or false', 'compile', () => late],
  ['returned undefined instead of true or false', 'compile', () => () => undefined],
  [`returned a promise ${instead}`, 'a schema', async () => ({ value: 1 })],
  [`returned a promise ${instead}`, 'a schema', late],
  [`returned a promise ${instead}`, 'a schema', () => Object.assign(late(), { value: 1, issues: [{}] })],
  [`returned undefined ${instead}`, 'a schema', () => undefined],
  [`returned a boolean ${instead}`, 'a schema', () => true],
  [`returned an object ${instead}`, 'a schema', () => ({})],
  ['threw', 'a schema', throwing],
])('a validator that %s is 500, and is not asked again: %s', async (how, kind, validate) => {
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  const asked = jest.fn(validate)
  const events: unknown[] = []
  const onVersion: VersioningOptions['onVersion'] = ({ error }) => void events.push(Object(error).code)
  const given = kind === 'compile' ? { compile: asked as never } : { standard: true }
  const fill = kind === 'compile' ? posting() : posting({ body: schemaWith(asked), response: {} })
  const app = await judged(fill, given, { onVersion })
  const error = `The contract failed: the validator of the body of "POST other" in version "v1" ${how}.`
  for (const _ of [1, 2]) {
    const { status, json } = await post(app)
    expect([status, json]).toEqual([500, { error, code: 'ERR_VERSION_CONTRACT', name: 'Error' }])
  }
  expect(asked).toHaveBeenCalledTimes(1)
  expect(events).toEqual([undefined, 'ERR_VERSION_CONTRACT', undefined, 'ERR_VERSION_CONTRACT'])
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

const pathless = { keyword: 'type', message: 'must be odd' }
const numbers = { instancePath: 7, keyword: 7, message: 7, params: { missingProperty: 'a' } }
const at = { path: ['a'], message: 'is odd', keyword: '' }
const segments = ['a', { key: 'b' }, 0, Symbol('s')]
test.each<[what: string, kind: 'compile' | 'a schema', errors: unknown, issue?: object]>([
  ['no', 'compile', undefined],
  ['null as', 'compile', null],
  ['an empty list of', 'compile', []],
  ['a string as', 'compile', 'secret'],
  ['an object as', 'compile', { secret: 1 }],
  ['primitive', 'compile', ['secret', 7, null]],
  ['blank', 'compile', [{}, {}]],
  ['numbers in', 'compile', [numbers]],
  ['pathless', 'compile', [pathless], pathless],
  ['only some pathless', 'compile', [{}, null, { instancePath: '/a', message: 'is odd' }], at],
  ['segments in', 'a schema', [{ message: 'm', path: segments }], { message: 'm', path: ['a', 'b', '0', 'Symbol(s)'] }],
  ['no path in', 'a schema', [{ message: 'm' }], { message: 'm' }],
  ['no message in', 'a schema', [{ message: 7, path: 'a' }]],
  ['an empty list of', 'a schema', []],
  ['a string as', 'a schema', 'secret'],
  ['primitive', 'a schema', [null, 7]],
  ['null as', 'a schema', null],
])(
  'a validator that gives %s errors rejects the request with one issue: %s',
  async (_title, kind, errors, issue = {}) => {
    const told: unknown[] = []
    const refuse: ContractOptions['refuse'] = (issues) => void told.push(...issues)
    const compile = () => Object.assign(() => false, { errors }) as ContractValidator
    const schema = schemaWith(() => ({ issues: errors }))
    const app = await (kind === 'compile' ? judged(posting(), { compile, refuse }) : judgedBy(schema, { refuse }))
    expect(await post(app)).toMatchObject({ status: 400, json: { code: 'ERR_VERSION_CONTRACT' } })
    expect(told).toEqual([{ in: 'body', path: [], message: 'does not fit its schema', keyword: '', ...issue }])
  },
)

test('equal schemas share a validator; each has the definitions of its version', async () => {
  const seen: [unknown, string][] = []
  const compile: ContractOptions['compile'] = (schema, part) => {
    seen.push([schema, part])
    return Object.assign(() => false, { errors: null }) as ContractValidator
  }
  const User = { $id: 'User', type: 'object', properties: { given: text }, default: {} }
  const UserV1 = { type: 'object', properties: { name: text } }
  const named = shape(UserV1 as never, User as never, { request: (user) => user as never })
  const fill = (routes: Table) =>
    routes
      .describe('POST other', { body: User, response: null })
      .describe('PUT other', { body: { $ref: 'User' }, response: null })
      .describe('PATCH other', { body: { type: 'array', items: { $ref: 'User' } }, response: null })
      .describe('DELETE other', { query: User, response: null })
      .route('other')
      .post(end)
      .put(end)
      .patch(end)
      .delete(end)
  const app = await judged(fill, { compile }, { changes: historyOf([change('C.', { User: named })]) })
  for (const method of ['POST', 'PUT', 'POST', 'PATCH', 'DELETE']) {
    const { json } = await ask(app, 'v1', '/other', { method, ...(method === 'DELETE' ? {} : { body: {} }) })
    expect(json).toMatchObject({ code: 'ERR_VERSION_CONTRACT' })
  }
  const $defs = { User: UserV1 }
  const whole = { $ref: '#/$defs/User', $defs }
  expect(seen).toEqual([
    [whole, 'body'],
    [{ type: 'array', items: { $ref: '#/$defs/User' }, $defs }, 'body'],
    [whole, 'query'],
  ])
})

test('routes that are added later are read anew; those that cannot be checked are 500', async () => {
  const compile = () => Object.assign((value: unknown) => JSON.stringify(value) === '{}', { errors: [{}] })
  let routes = tableOf()
  const fill = (table: Table) => {
    routes = table
    posting()(table)
  }
  const app = await judged(fill, { compile })
  routes.describe('POST user-list', { body: {}, response: {} }).route('user-list').post(end)
  const codes = async (...bodies: object[]) => {
    const responses = bodies.map((body) => ask(app, 'v1', '/users', { method: 'POST', body }))
    return (await Promise.all(responses)).map(({ status, json }) => [status, (json as { code?: string }).code])
  }
  expect(await codes({}, { a: 1 })).toEqual([
    [200, undefined],
    [400, 'ERR_VERSION_CONTRACT'],
  ])
  // Nobody can describe HEAD alone.
  routes.route('other').head(end)
  expect((await ask(app, 'v1', '/other', { method: 'HEAD' })).status).toBe(200)
  routes.route('user-detail').post(end)
  // The second request is not checked by less.
  for (const _ of [1, 2]) {
    const { status, json } = await ask(app, 'v1', '/users/1', { method: 'POST', body: {} })
    expect([status, json]).toMatchObject([500, { code: 'ERR_VERSION_CONTRACT' }])
  }
  expect(await codes({})).toEqual([[200, undefined]])
  expect((await ask(app, 'v1', '/users/1', { method: 'OPTIONS' })).status).toBe(200)
  expect((await ask(app, 'v1', '/users', { method: 'OPTIONS' })).status).toBe(200)
})

test.each([
  ['older', [true, false]],
  ['all', [true, true]],
  [false, [false, false]],
] as const)(
  'the documents of versions describe the rejection if requests are checked: %s: %p',
  (requests, expected) => {
    const routes = namedRoutes({ one: '/one' })
    routes.describe('POST one', { body: {}, response: {} }).route('one').post(end)
    const judge = contract({ compile: any, requests })
    const options = { scheme: HeaderVersioning, changes: historyOf([]), routes, contract: judge }
    const documents = openapi(options, { info: { title: 'T' }, problemDetails: true })
    const found = ['v1', 'v2'].map((version) => {
      const { paths, components } = documents.document(version)
      expect(JSON.stringify(components?.schemas?.Problem)).toContain('"errors"')
      return paths['/one']?.post?.responses['400'] !== undefined
    })
    expect(found).toEqual(expected)
  },
)

test('responses: a validator that fails is told, and older responses of one status may have several schemas', async () => {
  const shown = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const compile: ContractOptions['compile'] = (schema) => {
    if ('x-odd' in schema) throw new Error('odd')
    return (value) => (value as { a: number }).a === schema.const
  }
  const respond: RequestHandler = ({ query: { status, a } }, res) =>
    void res.status(Number(status)).json({ a: Number(a) })
  const response = { 200: { const: 1 }, 201: { const: 2 }, 202: { 'x-odd': 1 } }
  const fill = (routes: Table) => routes.describe('GET other', { response }).route('other').get(respond)
  const changes = historyOf([change('C.', { 'GET other': { status: { 201: 200 } } })])
  const api = (responses: 'warn' | 'throw') => judged(fill, { compile, responses }, { changes })
  const app = await api('throw')
  const paths = ['200&a=1', '200&a=2', '201&a=2', '201&a=3', '202&a=1'].map((query) => `/other?status=${query}`)
  const codes = async (version: string) =>
    Promise.all(paths.map(async (path) => (await ask(app, version, path)).status))
  expect([await codes('v1'), await codes('v2')]).toEqual([
    [200, 200, 200, 500, 500],
    [200, 500, 201, 500, 500],
  ])
  expect((await ask(await api('warn'), 'v2', '/other?status=202&a=1')).status).toBe(202)
  const told =
    'The contract failed: the validator of the response 202 of "GET other" in version "v2" could not be compiled.'
  expect(shown.mock.calls).toEqual([[told, { code: 'EXPRESS_VERSIONING_CONTRACT' }]])
  shown.mockRestore()
})

test('a validator that needs more stack than there is rejects the request alone', async () => {
  const tooDeep = new RangeError('Maximum call stack size exceeded')
  const compile = () => (value: unknown) => JSON.stringify(value) !== '{"deep":1}' || failing(tooDeep)()
  const app = await judged(posting(), { compile })
  expect([(await post(app, { deep: 1 })).status, (await post(app)).status]).toEqual([400, 200])
})

test('by hand, a body is checked too: a misfit is a TypeError with issues', () => {
  const routes = tableOf()
  const User = { $id: 'User', type: 'object', properties: { given: text } }
  const UserV1 = { type: 'object', properties: { name: text } }
  const named = shape<{ name: string }, object>(UserV1 as never, User as never, {
    request: ({ name }) => ({ given: name }),
  })
  routes
    .describe('POST other', { body: User, response: null })
    .describe('POST user-list', { body: null, response: null })
    .describe('GET other', { response: null, query: {} })
  routes.route('other').post(end).get(end)
  routes.route('user-list').post(end)
  const compile: ContractOptions['compile'] = () => {
    const judge = (value: unknown) => typeof (value as { name?: unknown }).name === 'string'
    return Object.assign(judge, { errors: [{ instancePath: '/name', keyword: 'type', message: 'must be string' }] })
  }
  const refuse = () => Object.assign(new Error('teapot'), { status: 418 })
  const history = historyOf([change('C.', { User: named })])
  const judging = (own: Partial<ContractOptions>) =>
    history.for({ routes, contract: contract({ compile, refuse, ...own } as ContractOptions) })
  const [stripping, keeping, rejecting] = [judging({}), judging({ unknown: 'keep' }), judging({ unknown: 'refuse' })]
  expect(stripping.request('POST other', { name: 'Ada', evil: 1 }, 'v1')).toEqual({ given: 'Ada' })
  expect(stripping.request('POST user-list', { evil: 1 }, 'v1')).toBe(undefined)
  expect([stripping.request('GET other', 1, 'v1'), stripping.request('POST other', 7, 'v2')]).toEqual([1, 7])
  expect(keeping.request('POST user-list', { evil: 1 }, 'v1')).toEqual({ evil: 1 })
  expect(rejecting.request('POST user-list', undefined, 'v1')).toBe(undefined)
  const misfit = (operation: string) =>
    new TypeError(`request(): the body does not fit "${operation}" in version 'v1'.`)
  expect(() => rejecting.request('POST user-list', { evil: 1 }, 'v1')).toThrow(misfit('POST user-list'))
  let thrown: unknown
  try {
    stripping.request('POST other', { name: 7 }, 'v1')
  } catch (error) {
    thrown = error
  }
  const issues = [{ in: 'body', path: ['name'], message: 'must be string', keyword: 'type' }]
  expect([thrown, Object(thrown).issues]).toEqual([misfit('POST other'), issues])
  const broken = judging({ compile: failing(new Error('no')) })
  expect(() => broken.request('POST other', {}, 'v1')).toThrow('could not be compiled')
})

test('a rejection tells of at most 100 unknown properties, and of as many issues of the validator', async () => {
  const errors = Array.from({ length: 150 }, (_, index) => ({ instancePath: `/m${index}`, keyword: 'odd' }))
  const compile = () => Object.assign(() => false, { errors }) as ContractValidator
  const told: string[] = []
  const refuse: ContractOptions['refuse'] = (all) => void told.push(...all.map(({ keyword }) => keyword))
  const fill = posting({ body: { properties: {} }, response: null })
  const app = await judged(fill, { compile, unknown: 'refuse', refuse })
  const { status } = await post(app, Object.fromEntries(errors.map((_, index) => [`m${index}`, 1])))
  const count = (keyword: string) => told.filter((one) => one === keyword).length
  expect([status, count('properties'), count('odd')]).toEqual([400, 100, 100])
})
