import { namedRoutes, type RequestChanges, VersioningError } from 'express-versioning'
import { type Change, change, versionHistory } from 'express-versioning/changes'
import { historyOf } from '../support/changes'

const toOld = ({ given, family }: { given: string; family: string }) => ({ name: `${given} ${family}` })
const operations = {
  'GET user-detail': { response: toOld },
  'POST user-list': {
    request({ name }: { name: string }) {
      const [given, family] = name.split(' ')
      return { given, family }
    },
    response: toOld,
  },
}
const splitName = change('Split.', operations)
const shout = change('Loud.', {
  'GET v1:user-detail': { response: (user): unknown => ({ loud: user }) },
  'GET user-detail': 'added',
})
const history = versionHistory('2024').version('2025', splitName).version('2026')
const step = (value: unknown) => value

const X = 'change(): the change "X"'
const TAKES =
  "'added', 'removed', or an object of steps such as { response: (user) => ... } (request, query, response, error, status, headers)"
const says = (key: string) => `${X} says nothing of "${key}": it takes ${TAKES}.`
const NAMED = `${X} takes an operation, such as 'GET user-detail': a method in capitals, a space, and a view name;`
const STATUSES = `${X}: "status" of "GET a" takes statuses from 100 to 599, such as { 201: 200 };`
const ALL = `${X}: "*" takes { error, status, headers } alone.`
const MARKED = `${X}: "GET a": option`
const STEPS = '"request", "query", "response", "error", "status", "headers", "added", "removed", "older"'

test.each<[operations: unknown, message: string]>([
  [undefined, 'change() takes an object of operations; got undefined.'],
  [null, 'change() takes an object of operations; got null.'],
  [['GET a'], "change() takes an object of operations; got [ 'GET a' ]."],
  [step, 'change() takes an object of operations; got [Function: step].'],
  [{}, `${X} says nothing: it takes one operation at least.`],
  [{ 'GET a': undefined }, `${X} says nothing: it takes one operation at least.`],
  [{ 'GET a': {} }, says('GET a')],
  [{ 'GET a': { response: undefined } }, says('GET a')],
  [{ 'GET a': { status: {}, headers: {} } }, says('GET a')],
  [{ '*': {} }, says('*')],
  [
    { 'GET a': { reponse: step } },
    `${X}: "GET a": unknown option "reponse". Did you mean "response"? It takes ${STEPS}.`,
  ],
  [{ '*': { response: step } }, `${X}: "*": unknown option "response". It takes "error", "status", "headers".`],
  [{ 'GET a': { query: 1 } }, `${X}: "query" of "GET a" takes a function; got 1.`],
  [{ 'GET a': 'moved' }, `${X}: "GET a" takes ${TAKES}; got 'moved'.`],
  [{ 'GET a': null }, `${X}: "GET a" takes ${TAKES}; got null.`],
  [{ '*': 'added' }, ALL],
  [{ '*': 'removed' }, ALL],
  [{ 'user-list': { response: step } }, `${NAMED} got 'user-list'.`],
  [{ 'get a': { response: step } }, `${NAMED} got 'get a'.`],
  [{ 'GET ': { response: step } }, `${NAMED} got 'GET '.`],
  [{ 'GTE a': { response: step } }, `${NAMED} got 'GTE a'.`],
  [{ 'HEAD a': { response: step } }, `${X}: GET covers HEAD; write 'GET a' in place of 'HEAD a'.`],
  [{ 'GET a': { added: false } }, `${MARKED} "added" takes true, or is left out; got false.`],
  [{ 'GET a': { removed: 1 } }, `${MARKED} "removed" takes true, or is left out; got 1.`],
  [{ 'GET a': { added: true, removed: true } }, `${X}: "GET a" cannot be added and removed at once.`],
  [{ 'GET a': { status: { 99: 200 } } }, `${STATUSES} got 99.`],
  [{ 'GET a': { status: { 200: '201' } } }, `${STATUSES} got '201'.`],
  [{ 'GET a': { status: { 200: 600 } } }, `${STATUSES} got 600.`],
  [{ 'GET a': { status: [200] } }, `${X}: "status" of "GET a" takes an object; got [ 200 ].`],
  [{ 'GET a': { headers: null } }, `${X}: "headers" of "GET a" takes an object; got null.`],
  [{ 'GET a': { headers: { 'a b': null } } }, `${X}: "headers" of "GET a" takes names of header fields; got 'a b'.`],
  [{ '*': { headers: { Age: 7 } } }, `${X}: "headers" of "*" takes a function or null for "Age"; got 7.`],
])('change() refuses %p', (given, message) => {
  expect(() => change('X', given as never)).toThrow(new TypeError(message))
})

const VERSION = 'takes a version, a non-empty string;'
test.each<[title: string, build: () => unknown, message: string]>([
  [
    'no description',
    () => change(undefined as never, {}),
    'change() takes a description of what changed, for people; got undefined.',
  ],
  ['an empty description', () => change(' ', {}), "change() takes a description of what changed, for people; got ' '."],
  ['no oldest version', () => versionHistory(undefined as never), `versionHistory() ${VERSION} got undefined.`],
  ['an empty version', () => versionHistory(''), `versionHistory() ${VERSION} got ''.`],
  ['a number', () => history.version(2027 as never), `version() ${VERSION} got 2027.`],
  ['a version twice', () => history.version('2025'), "version('2025'): the history already has this version."],
  ['its oldest again', () => history.version('2024'), "version('2024'): the history already has this version."],
  ['no change', () => history.version('2027', {} as never), "version('2027') takes changes made by change(); got {}."],
  [
    'a change again',
    () => history.version('2027', splitName as Change<object>),
    'version(\'2027\'): the history already has the change "Split.".',
  ],
  [
    'a change twice',
    () => history.version('2027', shout, shout),
    'version(\'2027\'): the history already has the change "Loud.".',
  ],
])('%s is refused', (_title, build, message) => {
  expect(build).toThrow(new TypeError(message))
})

test('a history never changes: one more version makes another history', () => {
  const longer = history.version('2027', shout)
  expect([history.versions, longer.versions]).toEqual([['2024', '2025', '2026'], ['2024', '2025', '2026', '2027']]) // biome-ignore format: a row
  expect(() => (longer.versions as string[]).push('2028')).toThrow(TypeError)
  expect(() => history.version('2027', shout)).not.toThrow()
  const list = longer.list()
  expect(list).toEqual([
    { version: '2024', changes: [] },
    { version: '2025', changes: [{ description: 'Split.', operations }] },
    { version: '2026', changes: [] },
    { version: '2027', changes: [{ description: 'Loud.', operations: shout.operations }] },
  ])
  expect(list[1]?.changes[0]?.operations).toBe(operations)
  list.pop()
  expect(longer.list()).toHaveLength(4)
})

const ADA = { given: 'Ada', family: 'Lovelace' }
const OLD = { name: 'Ada Lovelace' }
test.each([
  ['GET user-detail', '2024', OLD],
  ['POST user-list', '2024', OLD],
  ['GET v1:user-detail', '2024', OLD],
  ['GET user-detail', '2025', ADA],
  ['GET user-detail', '2026', ADA],
  ['GET other', '2024', ADA],
])('response(%j, ..., %j): %j', (operation, to, expected) => {
  expect(history.response(operation, ADA, to)).toEqual(expected)
  expect(history.response(operation, ADA, to) === ADA).toBe(expected === ADA)
})

test('steps by hand get copies and the version, and results are as JSON gives them', () => {
  const seen: unknown[] = []
  const price = { amount: Number.NaN, rates: new Map(), toJSON: () => null }
  const grow = change('Grown.', {
    'GET a': {
      response(list: unknown[], { version, req, res }) {
        seen.push(version, req, res, [...list])
        list.push({ at: new Date(0), none: undefined, price })
        return list
      },
      request: (list: unknown[], { version }) => [...list, version],
    },
  })
  const again = change('Again.', { 'GET a': { response: (list: unknown[]) => [...list, new Date(0)] } })
  const given = Object.freeze([new Date(0)])
  const at = '1970-01-01T00:00:00.000Z'
  expect(versionHistory('1').version('2', grow).response('GET a', given, '1')).toStrictEqual([at, { at, price: null }])
  expect(seen).toEqual(['1', undefined, undefined, [at]])
  const grown = versionHistory('1').version('2', grow).version('3', again)
  expect(grown.response('GET a', given, '1')).toStrictEqual([at, at, { at, price: null }])
  expect(grown.request('GET a', given, '1')).toStrictEqual([at, '1'])
})

const OPERATION = "an operation, such as 'GET user-detail': a method in capitals, a space, and a view name;"
test.each<[title: string, call: () => unknown, message: string]>([
  [
    'an unknown version',
    () => history.response('GET a', 1, '2023'),
    'response(): the history has no version \'2023\'. Did you mean "2024" or "2025" or "2026"?',
  ],
  [
    'no version',
    () => history.request('GET a', 1, undefined as never),
    'request(): the history has no version undefined.',
  ],
  ['no operation', () => history.response('user', 1, '2024'), `response() takes ${OPERATION} got 'user'.`],
  ['no text', () => history.request(7 as never, 1, '2024'), `request() takes ${OPERATION} got 7.`],
  [
    'no body',
    () => history.response('GET user-detail', undefined, '2024'),
    'response() takes a body that JSON can express; got undefined.',
  ],
  ['a bigint', () => history.request('POST user-list', 1n, '2024'), 'request() takes a body that JSON can express.'],
  [
    'a foreign change',
    () => history.has(shout, '2024'),
    'has() takes a change of the history; it lacks the change "Loud.".',
  ],
  ['no change', () => history.has({} as never, '2024'), 'has() takes a change of the history; it lacks {}.'],
  [
    'has() in an unknown version',
    () => history.has(splitName, '2023'),
    'has(): the history has no version \'2023\'. Did you mean "2024" or "2025" or "2026"?',
  ],
])('by hand, %s is a TypeError', (_title, call, message) => {
  expect(call).toThrow(expect.objectContaining({ name: 'TypeError', message }))
})

test('has() tells whether a version has a change', () => {
  expect(history.versions.map((version) => history.has(splitName, version))).toEqual([false, true, true])
})

test('by hand, a failing step throws the error of a request', () => {
  const request = () => history.request('POST user-list', {}, '2024')
  expect(request).toThrow(VersioningError)
  expect(request).toThrow(expect.objectContaining({ status: 400, code: 'ERR_VERSION_BODY', version: '2024' }))
  expect(() => history.response('GET user-detail', null, '2024')).toThrow(
    expect.objectContaining({ status: 500, code: 'ERR_VERSION_CHANGE' }),
  )
})

test('a body that is converted by hand has no status, so all steps convert it', () => {
  const moved = change('An empty answer.', { 'GET a': { status: { 200: 204 } } })
  const wrapped = change('Wrapped.', { 'GET a': { response: (value: unknown) => ({ value }) } })
  expect(historyOf([wrapped], [moved]).response('GET a', 1, 'v1')).toEqual({ value: 1 })
  expect(historyOf([moved], [wrapped]).response('GET a', 1, 'v1')).toEqual({ value: 1 })
})

// `versioning()`, documents and surveys ask a history that is bound to a table.
const early = change('Early.', {
  'POST user-list': { request: step },
  'GET user-list': { query: step },
  'GET user-detail': {
    response: step,
    error: step,
    status: { 201: 200 },
    headers: { Age: null, Location: String },
    older: { body: true, query: {}, response: { 200: { title: 'older' } } },
  },
})
const late = change('Late.', { 'GET user-new': 'added', 'GET user-old': 'removed' })
const names = { 'user-list': '/', 'user-detail': '/:id', 'user-new': '/new', 'user-old': '/old' }
const whole = historyOf([early], [late])
const table = namedRoutes(names)
for (const name of ['user-new', 'user-old'] as const) table.route(name).get((_req, res) => void res.end())
const bound: RequestChanges = whole.bind(table)

test.each([
  ['v1', [true, false, false, true]],
  ['v2', [true, true, false, true]],
  ['v3', [true, true, true, false]],
  ['v4', [false, undefined, undefined, false]],
  [null, [true, undefined, undefined, false]],
  [undefined, [true, undefined, undefined, false]],
])('a bound history in %j: knows it, has the changes, adds later: %j', (version, expected) => {
  const has = (one: object) => bound.has(one, version as string)
  expect([bound.knows(version), has(early), has(late), bound.addsBehind(version as string)]).toEqual(expected)
})

test.each([
  ['GET', 'user-new', 'v2', [false, true, false, false]],
  ['HEAD', 'user-new', 'v2', [false, true, false, false]],
  ['GET', 'user-new', 'v3', [true, false, true, false]],
  ['POST', 'user-new', 'v2', [true, false, false, false]],
  ['GET', 'user-new', 'v4', [true, false, true, false]],
  ['GET', 'user-old', 'v3', [false, false, false, false]],
  ['POST', 'user-list', 'v1', [true, false, true, true]],
  ['GET', 'user-list', 'v1', [true, false, true, true]],
  ['PUT', 'user-list', 'v1', [true, false, true, false]],
  ['POST', 'user-list', 'v2', [true, false, true, false]],
  ['POST', 'user-list', 'v4', [true, false, true, false]],
])('a bound history: %s %s in %s is there, comes later, has its route, converts requests: %j', (...row) => {
  const [method, viewName, version, expected] = row
  const has = bound.hasOperation(method, viewName, version)
  const isAhead = bound.isAhead(method, viewName, version)
  const converts = bound.convertsRequests(method, viewName, version)
  expect([has, isAhead, bound.hasRoute(viewName, version), converts]).toEqual(expected)
})

test.each([
  ['v1', 201, { status: 200, without: new Set(['age']) }],
  ['v1', 404, { status: 404, without: new Set(['age']) }],
  ['v2', 201, { status: 201, without: new Set() }],
  ['v4', 201, { status: 201, without: new Set() }],
])('documents of %s: the head of %d is %j', (version, status, expected) => {
  expect(bound.olderHead('GET', 'user-detail', version, status)).toEqual(expected)
})

const OLDER = { title: 'older' }
const older = { body: true, query: {} }
test.each([
  ['GET user-detail', 'v1', { response: true }, { ...older, response: { 200: OLDER } }],
  [
    'GET user-detail',
    'v1',
    { response: { 200: {}, 201: {}, '4XX': true } },
    { ...older, response: { 200: OLDER, 201: OLDER, '4XX': true } },
  ],
  ['GET user-detail', 'v1', {}, { ...older, response: { 200: OLDER } }],
  ['GET user-detail', 'v2', { response: true }, {}],
  ['GET user-detail', 'v4', { response: true }, {}],
  ['GET user-list', 'v1', { response: true }, {}],
])('documents: the bodies of %s in %s, described as %j, are %j', (operation, version, described, expected) => {
  const [method, viewName] = operation.split(' ') as [string, string]
  expect(bound.bodiesIn(method, viewName, version, described)).toEqual(expected)
  expect(bound.definitionsIn(version)).toEqual(new Map())
})
