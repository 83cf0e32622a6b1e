import express, { type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import { type ContractOptions, type ContractValidator, contract } from 'express-versioning/contract'
import { openapi } from 'express-versioning/openapi'
import { ask, historyOf, type Table, tableOf } from '../support/changes'
import { serve } from '../support/serve'

const text = { type: 'string' }
const any = () => () => true
const bound = (
  fill: (routes: Table) => unknown,
  own: Partial<VersioningOptions> = {},
  options: Partial<ContractOptions> = {},
) => {
  const routes = tableOf()
  fill(routes)
  const history = historyOf([change('C.', { 'GET other': { query: (value) => value, request: (value) => value } })])
  for (const name of ['user-list', 'other'] as const) routes.route(name).get(end)
  const all = {
    scheme: HeaderVersioning,
    routes,
    changes: history,
    contract: contract({ compile: any, ...options }),
    ...own,
  }
  return versioning(all as VersioningOptions)
}
const end: RequestHandler = (req, res) => void res.json({ body: req.body })

test('an option is missing, or a description is', () => {
  const older = { body: null, query: {} }
  const history = historyOf([change('C.', { 'GET other': { query: (value) => value, older } })])
  const table: [string | RegExp, () => unknown][] = [
    ['option "changes" needs "routes"', () => bound(() => 0, { routes: undefined })],
    [
      `option "contract" needs "changes", a history. An API of one version writes versionHistory('v1').`,
      () => bound(() => 0, { changes: undefined }),
    ],
    [
      'option "contract" needs descriptions: routes.describe(...).',
      () => bound(() => 0, { changes: versionHistory('v1') }),
    ],
    [
      'versioning(): describe() says no "body" (null where requests have none) of "POST user-list".',
      () => bound((routes) => routes.describe('GET other', {}).route('user-list').post(end), { changes: history }),
    ],
    [
      'the change "C." has a "query" step, but no "older" "query", of "GET other".',
      () => bound((routes) => routes.describe('GET other', { query: {} })),
    ],
    [
      'the change "C." has a "query" step, but no "older" "query", of "GET other".',
      () => bound((routes) => routes.describe('GET other', { body: null })),
    ],
    [
      '2 things do not fit in the option "contract":',
      () => bound((routes) => routes.describe('GET other', { query: {}, body: {} })),
    ],
    [
      '"GET user-list" in version "v1": its reference "Nobody" leads to no schema that a description has.',
      () => bound((routes) => routes.describe('GET user-list', { query: { $ref: 'Nobody' } }), { changes: history }),
    ],
    [
      '"GET user-list" in version "v1": its reference "#/components/schemas/User/properties/a" leads to no schema that a description has.',
      () =>
        bound(
          (routes) => routes.describe('GET user-list', { query: { $ref: '#/components/schemas/User/properties/a' } }),
          { changes: history },
        ),
    ],
    [
      `"GET user-list" in version "v1": it has the "type" 'Date', which JSON Schema does not have.`,
      () =>
        bound((routes) => routes.describe('GET user-list', { query: { properties: { at: { type: 'Date' } } } }), {
          changes: history,
        }),
    ],
    [
      /"GET user-list" in version "v1": .*not JSON/,
      () => {
        const query = { '~standard': { version: 1, vendor: 'x', jsonSchema: { input: fails, output: fails } } }
        return bound((routes) => routes.describe('GET user-list', { query }), { changes: history })
      },
    ],
  ]
  const odd = { '~standard': { version: 1, vendor: 'x', jsonSchema: { input: any, output: () => fails() } } }
  const responses = { response: { content: { 'text/json': odd as never, 'application/json': odd as never } } }
  const said = () =>
    bound((routes) => routes.describe('GET other', responses), { changes: history }, { responses: 'warn' })
  expect(said).toThrow('"GET other" in version "v1": not JSON.')
  function fails(): never {
    throw new Error('not JSON')
  }
  for (const [message, make] of table) expect(make).toThrow(message)
})

test.each<[string, unknown, string]>([
  ['a function', () => {}, '[Function (anonymous)]'],
  ['the function that makes one', contract, '[Function: contract]'],
  ['a class', class Own {}, '[class Own]'],
  ['a history', versionHistory('v1'), '.*'],
  ['null', null, 'null'],
  ['its options', { compile: any }, '.*'],
])('%s is no contract', (_title, odd, got) => {
  const message = 'option "contract" takes a contract made by contract() of express-versioning/contract; got '
  const own = { contract: odd as never, changes: historyOf([]) }
  for (const [owner, make] of [
    ['versioning()', () => bound((routes) => routes.describe('GET other', {}), own)],
    ['for()', () => historyOf([]).for({ routes: tableOf(), contract: odd as never })],
  ] as const) {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(
      new RegExp(`^${`${owner}: ${message}`.replace(/[()]/g, '\\$&')}${got.replace(/[[\]()]/g, '\\$&')}`),
    )
  }
})

test.each(['body', 'query', 'response'] as const)('an invalid pattern of the %s is a mistake at start', (part) => {
  const schema = { properties: { a: { patternProperties: { '(': { type: 'string' } } } } }
  const described = part === 'body' ? 'POST other' : 'GET other'
  const make = () =>
    bound(
      (routes) =>
        routes
          .describe(described, { body: null, [part]: schema })
          .route('other')
          .post(end),
      { changes: historyOf([]) },
      { responses: 'throw' },
    )
  expect(make).toThrow(TypeError)
  expect(make).toThrow(
    `"${described}" in version "v1": its "patternProperties" has '(', which is no regular expression.`,
  )
})

const FAILURES: [string, ContractOptions['compile']][] = [
  ['is a promise instead of a function', () => Promise.reject(new Error('late')) as never],
  ['is a promise instead of a function', (async () => any()) as never],
  [
    'could not be compiled',
    () => {
      throw new RangeError('Maximum call stack size exceeded')
    },
  ],
  [
    'threw',
    () => () => {
      throw new RangeError('Invalid count value: -1')
    },
  ],
  [
    'threw',
    () =>
      Object.defineProperty(() => false, 'errors', {
        get() {
          throw new Error('secret')
        },
      }),
  ],
  [
    'could not be compiled',
    () => {
      throw new Error('secret')
    },
  ],
  ['is an object instead of a function', () => ({}) as never],
  [
    'threw',
    () => () => {
      throw new Error('secret')
    },
  ],
  ['returned a promise instead of true or false', () => (() => Promise.reject(new Error('no'))) as never],
  ['returned undefined instead of true or false', () => (() => undefined) as never],
]
test.each(FAILURES)('a validator that %s is 500, and is not asked again', async (how, compile) => {
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  const asked = jest.fn(compile)
  const events: unknown[] = []
  const app = await serve((app) => {
    const routes = tableOf()
    routes.describe('POST other', { body: {}, response: {} }).route('other').post(end)
    const onVersion = ({ error }: { error?: unknown }) =>
      void events.push((error as { code?: string } | undefined)?.code)
    const options = { scheme: HeaderVersioning, changes: historyOf([]), routes, onVersion }
    app.use(versioning({ ...options, contract: contract({ compile: asked }) }), express.json(), routes)
  })
  const message = `The contract failed: the validator of the body of "POST other" in version "v1" ${how}.`
  for (const _ of [1, 2]) {
    const { status, json } = await ask(app, 'v1', '/other', { method: 'POST', body: {} })
    expect([status, json]).toEqual([500, { error: message, code: 'ERR_VERSION_CONTRACT', name: 'Error' }])
  }
  expect([asked.mock.calls.length, events]).toEqual([
    1,
    [undefined, 'ERR_VERSION_CONTRACT', undefined, 'ERR_VERSION_CONTRACT'],
  ])
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

const ODD: [string, unknown, object][] = [
  ['no', undefined, {}],
  ['null as', null, {}],
  ['an empty list of', [], {}],
  ['a string as', 'secret', {}],
  ['an object as', { secret: 1 }, {}],
  ['primitive', ['secret', 7, null], {}],
  ['blank', [{}, {}], {}],
  ['numbers in', [{ instancePath: 7, keyword: 7, message: 7, params: { missingProperty: 'a' } }], {}],
  ['pathless', [{ keyword: 'type', message: 'must be odd' }], { keyword: 'type', message: 'must be odd' }],
  [
    'only some pathless',
    [{}, null, { instancePath: '/a', message: 'is odd' }],
    { path: ['a'], message: 'is odd', keyword: '' },
  ],
]
test.each(ODD)(
  'a validator that returns false with %s errors rejects the request with one issue',
  async (_title, errors, issue) => {
    const told: unknown[] = []
    const app = await serve((app) => {
      const routes = tableOf()
      routes.describe('POST other', { body: {}, response: {} }).route('other').post(end)
      const options = { scheme: HeaderVersioning, changes: historyOf([]), routes }
      const compile = () => Object.assign(() => false, { errors }) as ContractValidator
      const refuse: ContractOptions['refuse'] = (issues) => void told.push(...issues)
      app.use(versioning({ ...options, contract: contract({ compile, refuse }) }), express.json(), routes)
    })
    const { status, json } = await ask(app, 'v1', '/other', { method: 'POST', body: {} })
    expect([status, json]).toMatchObject([400, { code: 'ERR_VERSION_CONTRACT' }])
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
  const app = await serve((app) => {
    const routes = tableOf()
    const many = { type: 'array', items: { $ref: 'User' } }
    routes
      .describe('POST other', { body: User, response: null })
      .describe('PUT other', { body: { $ref: 'User' }, response: null })
    routes
      .describe('PATCH other', { body: many, response: null })
      .describe('DELETE other', { query: User, response: null })
    routes.route('other').post(end).put(end).patch(end).delete(end)
    const options = { scheme: HeaderVersioning, changes: historyOf([change('C.', { User: named })]), routes }
    app.use(versioning({ ...options, contract: contract({ compile }) }), express.json(), routes)
  })
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
  const routes = tableOf()
  routes.describe('POST other', { body: {}, response: {} }).route('other').post(end)
  const compile = () => Object.assign((value: unknown) => JSON.stringify(value) === '{}', { errors: [{}] })
  const app = await serve((app) => {
    const options = { scheme: HeaderVersioning, changes: historyOf([]), routes }
    app.use(versioning({ ...options, contract: contract({ compile }) }), express.json(), routes)
  })
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

test('the documents of checked versions describe the rejection', () => {
  const routes = namedRoutes({ one: '/one' })
  routes.describe('POST one', { body: {}, response: {} }).route('one').post(end)
  const changes = historyOf([])
  const documented = (requests: 'older' | 'all' | false) => {
    const options = { scheme: HeaderVersioning, changes, routes, contract: contract({ compile: any, requests }) }
    const documents = openapi(options, { info: { title: 'T' }, problemDetails: true })
    return ['v1', 'v2'].map((version) => {
      const { paths, components } = documents.document(version)
      const problem = JSON.stringify(components?.schemas?.Problem)
      return [paths['/one']?.post?.responses['400'] !== undefined, problem.includes('"errors"')]
    })
  }
  const [described, not] = [
    [true, true],
    [false, true],
  ]
  expect([documented('older'), documented('all'), documented(false)]).toEqual([
    [described, not],
    [described, described],
    [not, not],
  ])
})

test('responses: a validator that fails is told, and older responses of one status may have several schemas', async () => {
  const shown = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const compile: ContractOptions['compile'] = (schema) => {
    if ('x-odd' in schema) throw new Error('odd')
    return (value) => (value as { a: number }).a === schema.const
  }
  const api = (responses: 'warn' | 'throw') =>
    serve((app) => {
      const routes = tableOf()
      routes.describe('GET other', { response: { 200: { const: 1 }, 201: { const: 2 }, 202: { 'x-odd': 1 } } })
      const response: RequestHandler = ({ query: { status, a } }, res) =>
        void res.status(Number(status)).json({ a: Number(a) })
      routes.route('other').get(response)
      const changes = historyOf([change('C.', { 'GET other': { status: { 201: 200 } } })])
      const options = { scheme: HeaderVersioning, changes, routes }
      app.use(versioning({ ...options, contract: contract({ compile, responses }) }), routes)
    })
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
  const compile = () => (value: unknown) => {
    if (JSON.stringify(value) === '{"deep":1}') throw new RangeError('Maximum call stack size exceeded')
    return true
  }
  const app = await serve((app) => {
    const routes = tableOf()
    routes.describe('POST other', { body: {}, response: {} }).route('other').post(end)
    const options = { scheme: HeaderVersioning, changes: historyOf([]), routes }
    app.use(versioning({ ...options, contract: contract({ compile }) }), express.json(), routes)
  })
  const bodies = [{ deep: 1 }, {}].map((body) => ask(app, 'v1', '/other', { method: 'POST', body }))
  expect((await Promise.all(bodies)).map(({ status }) => status)).toEqual([400, 200])
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
  routes.describe('GET other', { response: null, query: {} })
  routes.route('other').post(end).get(end)
  routes.route('user-list').post(end)
  const compile: ContractOptions['compile'] = (schema) => {
    if ('x-odd' in schema) throw new Error('odd')
    const judge = (value: unknown) => typeof (value as { name?: unknown }).name === 'string'
    return Object.assign(judge, { errors: [{ instancePath: '/name', keyword: 'type', message: 'must be string' }] })
  }
  const teapot = () => Object.assign(new Error('teapot'), { status: 418 })
  const history = historyOf([change('C.', { User: named })])
  const byHand = history.for({ routes, contract: contract({ compile, refuse: teapot }) })
  expect(byHand.request('POST other', { name: 'Ada', evil: 1 }, 'v1')).toEqual({ given: 'Ada' })
  expect(byHand.request('POST user-list', { evil: 1 }, 'v1')).toBe(undefined)
  const ruled = (unknown: 'keep' | 'refuse') => history.for({ routes, contract: contract({ compile, unknown }) })
  expect(ruled('keep').request('POST user-list', { evil: 1 }, 'v1')).toEqual({ evil: 1 })
  expect(ruled('refuse').request('POST user-list', undefined, 'v1')).toBe(undefined)
  expect(() => ruled('refuse').request('POST user-list', { evil: 1 }, 'v1')).toThrow(
    new TypeError(`request(): the body does not fit "POST user-list" in version 'v1'.`),
  )
  expect([byHand.request('GET other', 1, 'v1'), byHand.request('POST other', 7, 'v2')]).toEqual([1, 7])
  const issues = [{ in: 'body', path: ['name'], message: 'must be string', keyword: 'type' }]
  const thrown = (operation: string, body: unknown) => {
    try {
      return byHand.request(operation, body, 'v1')
    } catch (error) {
      return error
    }
  }
  const error = thrown('POST other', { name: 7 }) as TypeError & { issues: unknown }
  const message = `request(): the body does not fit "POST other" in version 'v1'.`
  expect([error, error.issues]).toEqual([new TypeError(message), issues])
  const broken = contract({
    compile: () => {
      throw new Error('no')
    },
  })
  expect(() => history.for({ routes, contract: broken }).request('POST other', {}, 'v1')).toThrow(
    'could not be compiled',
  )
  const odd = () => history.for({ routes, contract: {} as never })
  expect(odd).toThrow(
    'for(): option "contract" takes a contract made by contract() of express-versioning/contract; got {}.',
  )
})

test('a rejection tells of at most 100 unknown properties, and of as many issues of the validator', async () => {
  const issues = Array.from({ length: 150 }, (_, index) => ({
    instancePath: `/m${index}`,
    message: 'odd',
    keyword: 'odd',
  }))
  const compile = () => Object.assign(() => false, { errors: issues }) as ContractValidator
  const told: string[] = []
  const app = await serve((app) => {
    const routes = tableOf()
    routes
      .describe('POST other', { body: { properties: {} }, response: null })
      .route('other')
      .post(end)
    const refuse: ContractOptions['refuse'] = (all) => void told.push(...all.map(({ keyword }) => keyword))
    const options = { scheme: HeaderVersioning, changes: historyOf([]), routes }
    const judged = contract({ compile, unknown: 'refuse', refuse })
    app.use(versioning({ ...options, contract: judged }), express.json(), routes)
  })
  const body = Object.fromEntries(issues.map((_, index) => [`m${index}`, 1]))
  const { status } = await ask(app, 'v1', '/other', { method: 'POST', body })
  const count = (keyword: string) => told.filter((one) => one === keyword).length
  expect([status, count('properties'), count('odd')]).toEqual([400, 100, 100])
})
