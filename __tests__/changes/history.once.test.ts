import { CombinedVersioning, HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import {
  type Change,
  change,
  fields,
  type OperationChanges,
  type OperationSteps,
  shape,
  versionHistory,
} from 'express-versioning/changes'
import { historyOf, tableOf } from '../support/changes'
import { rows } from '../support/rows'
import { inNamespaces, table } from '../support/tables'

const step = (value: unknown) => value
const end = () => {}
const toOld = ({ given, family }: Record<string, string>) => ({ name: `${given} ${family}` })
const operations = { 'GET user-detail': { response: toOld }, 'POST user-list': { request: step, response: toOld } }
const splitName = change('Split.', operations)
const loud = change('Loud.', { 'GET other': { response: (value) => ({ loud: value }) as unknown } })
const history = versionHistory('2024').version('2025', splitName).version('2026')
const dates = versionHistory('2024').version('2025').version('2026')
const scheme = HeaderVersioning
const make = (more?: object) => () => versioning({ scheme, changes: dates, routes: tableOf(), ...more })

const of = (given: unknown) => () => change('X', given as never)
const a = (operation: unknown) => of({ 'GET a': operation })
const all = (operation: unknown) => of({ '*': operation })
const adding = (name: string) => make({ changes: historyOf([change('X', { [`GET ${name}`]: 'added' })]) })
const combined = new CombinedVersioning({ schemes: [new HeaderVersioning()], allowedVersions: ['v8'] })

const [OBJECT, X] = ['change() takes an object of operations; got', 'change(): the change "X"']
const A = `${X}: "GET a"`
const STEPS = '"request", "query", "response", "error", "item", "status", "headers"'
const OLDER = '"body", "query", "item", "response", "error"'
const KEYS = `${STEPS}, "added", "removed", "older", "path"`
const ONE = `'added', 'removed', or an object of steps such as { response: (user) => ... } (${STEPS.replaceAll('"', '')}, path)`
const STATUS = `${X}: "status" of "GET a" takes statuses from 100 to 599, such as { 201: 200 }; got`
const PEOPLE = 'change() takes a description of what changed, for people; got'
const SCHEMA = 'JSON Schema 2020-12, or a Standard Schema with "~standard.jsonSchema" (zod 4, arktype, Joi 18)'
const OR = '{ content } with such by media type, null for none, or such by status, such as { 200: User, 204: null }'
const NEAR = 'Did you mean "2024" or "2025"'
const VERSION = 'takes a version, a non-empty string; got'
const OPERATION = "takes an operation, such as 'GET user-detail': a method in capitals, a space, and a view name; got"
const SPEAKS = 'versioning(): the change "X" speaks of'
const AGAIN = "version('2027'): the history already has the change"
const GET = 'GET user-detail'

test.each<[versions: string, name: string, later: string | undefined]>([
  ['2024-01-01 2024-06-01', '2024-05-31', '2024-06-01'],
  ['2024-06-01 beta', '2024-01-01', '2024-06-01'],
  ['2024-01-01', '2024-01-02', undefined],
  ['v2', 'v1', undefined],
  ['2024-06-01', '2024-02-31', undefined],
  ['2024-06-01', '2024-01', undefined],
])('dates stand in their order: %s, then %s', (versions, name, later) => {
  const [oldest = '', ...others] = versions.split(' ')
  const build = () => others.reduce((made, other) => made.version(other), versionHistory(oldest)).version(name)
  if (later === undefined) expect(build().versions).toContain(name)
  else {
    const message = `version('${name}'): the history has the later date '${later}' already. List the versions oldest first.`
    expect(build).toThrow(new TypeError(message))
  }
})

test.each<[message: string, build: () => unknown]>([
  [`${OBJECT} undefined.`, of(undefined)],
  [`${OBJECT} [ 'GET a' ].`, of(['GET a'])],
  [`${X} says nothing: it takes one operation or shape at least.`, of({ 'GET a': undefined })],
  [`${X} says nothing of "GET a": it takes ${ONE}.`, a({ response: undefined, status: {}, headers: {} })],
  [`${X} ${OPERATION} 'user-list'.`, of({ 'user-list': { response: step } })],
  [`${A} takes ${ONE}; got 'moved'.`, a('moved')],
  [`${A} takes ${ONE}; got null.`, a(null)],
  [`${X}: "*" takes { error, status, headers, older } alone.`, all('added')],
  [`${X}: "*": unknown option "response". It takes "error", "status", "headers", "older".`, all({ response: step })],
  [`${A}: unknown option "reponse". Did you mean "response"? It takes ${KEYS}.`, a({ reponse: step })],
  [`${X}: "query" of "GET a" takes a function; got 1.`, a({ query: 1 })],
  [`${A}: option "added" takes true, or is left out; got false.`, a({ added: false })],
  [`${A} cannot be added and removed at once.`, a({ added: true, removed: true })],
  [`${STATUS} 99.`, a({ status: { 99: 200 } })],
  [`${STATUS} '201'.`, a({ status: { 200: '201' } })],
  [`${STATUS} 600.`, a({ status: { 200: 600 } })],
  [`${X}: "status" of "GET a" takes an object; got [ 200 ].`, a({ status: [200] })],
  [`${X}: "headers" of "GET a" takes an object; got null.`, a({ headers: null })],
  [`${X}: "headers" of "GET a" takes names of header fields; got 'a b'.`, a({ headers: { 'a b': null } })],
  [`${X}: "headers" of "*" takes a function or null for "Age"; got 7.`, all({ headers: { Age: 7 } })],
  [`${A}: option "older.body" takes ${SCHEMA}, or null for none; got 7.`, a({ older: { body: 7 } })],
  [`${A}: option "older.query" takes ${SCHEMA}; got null.`, a({ older: { query: null } })],
  [`${A}: option "older.response" takes ${SCHEMA}, ${OR}; got 7.`, a({ older: { response: 7 } })],
  [`${A}: "older": unknown option "x". It takes ${OLDER}.`, a({ older: { x: {} } })],
  [`shape(): option "older" takes ${SCHEMA}; got 'user'.`, () => shape('user' as never, {}, {})],
  [`shape(): option "newer" takes ${SCHEMA}; got undefined.`, () => shape({}, undefined as never, {})],
  ['shape(): option "response" takes a function; got 1.', () => shape({}, {}, { response: 1 } as never)],
  ['shape(): unknown option "query". It takes "response", "request".', () => shape({}, {}, { query: 1 } as never)],
  [`${PEOPLE} undefined.`, () => change(undefined as never, {})],
  [`${PEOPLE} ' '.`, () => change(' ', {})],
  [`versionHistory() ${VERSION} undefined.`, () => versionHistory(undefined as never)],
  [`version() ${VERSION} ''.`, () => history.version('')],
  ["version('2025'): the history already has this version.", () => history.version('2025')],
  ["version('2027') takes changes made by change(); got {}.", () => history.version('2027', {} as never)],
  [`${AGAIN} "Split.".`, () => history.version('2027', splitName as Change<object>)],
  [`${AGAIN} "Loud.".`, () => history.version('2027', loud, loud)],
  [`response(): the history has no version '2023'. ${NEAR} or "2026"?`, () => history.response('GET a', 1, '2023')],
  ['request(): the history has no version undefined.', () => history.request('GET a', 1, undefined as never)],
  [`has(): the history has no version '2023'. ${NEAR} or "2026"?`, () => history.has(splitName, '2023')],
  [`request() ${OPERATION} 7.`, () => history.request(7 as never, 1, '2024')],
  ['response() takes a body that JSON can express; got undefined.', () => history.response(GET, undefined, '2024')],
  ['request() takes a body that JSON can express.', () => history.request('POST user-list', 1n, '2024')],
  ['has() takes a change of the history; it lacks the change "Loud.".', () => history.has(loud, '2024')],
  ['has() takes a change of the history; it lacks {}.', () => history.has({} as never, '2024')],
  [`versioning(): option "changes" has no version 'v8', which the scheme accepts.`, make({ scheme: combined })],
  [`${SPEAKS} "GET user-lits", but "routes" has no name "user-lits". Did you mean "user-list"?`, adding('user-lits')],
  [`${SPEAKS} "GET list", but "routes" has no name "list".`, adding('list')],
])('%s', (message, build) => {
  expect(build).toThrow(expect.objectContaining({ name: 'TypeError', message }))
})

test('a history never changes: one more version makes another history', () => {
  const scheme = new HeaderVersioning({ allowedVersions: [] })
  make({ scheme })()
  const longer = history.version('2027', loud)
  const versions = ['2024', '2025', '2026', '2027']
  expect([longer.versions, history.versions]).toEqual([versions, versions.slice(0, 3)])
  // They are accepted instead of an empty list.
  expect(scheme.acceptedVersions).toEqual(history.versions)
  expect(() => (longer.versions as string[]).push('2028')).toThrow('object is not extensible')
  const told = [{ description: 'Loud.', operations: loud.operations }]
  const changes = [[], [{ description: 'Split.', operations }], [], told]
  expect(longer.list()).toEqual(versions.map((version, at) => ({ version, changes: changes[at] })))
  expect(longer.list()[1]?.changes[0]?.operations).toBe(operations)
  expect(versions.map((version) => longer.has(splitName, version))).toEqual([false, true, true, true])
  const ada = { given: 'Ada', family: 'Lovelace' }
  // Without steps, the value itself.
  expect(history.response('GET v1:user-detail', ada, '2025')).toBe(ada)
  expect(history.response('GET v1:user-detail', ada, '2024')).toEqual({ name: 'Ada Lovelace' })
})

test('steps by hand get copies and the version, and results are as JSON gives them', () => {
  const seen: unknown[] = []
  const price = { amount: Number.NaN, rates: new Map(), toJSON: () => null }
  const empty = { a: {}, b: [[], {}], own: { toJSON: () => ({}) } }
  const response: OperationSteps['response'] = (list: unknown[], context) => {
    seen.push(context, [...list])
    list.push({ at: new Date(0), none: undefined, price, ...empty })
    return list
  }
  const request: OperationSteps['request'] = (list: unknown[], { version }) => [...list, version]
  const grow = change('Grown.', { 'GET a': { request, response } })
  const again = change('Again.', { 'GET a': { response: (list: unknown[]) => [...list, new Date(0)] } })
  const given = Object.freeze([new Date(0)])
  const at = '1970-01-01T00:00:00.000Z'
  const pushed = { at, price: null, a: {}, b: [[], {}], own: {} }
  expect(historyOf([grow]).response('GET a', given, 'v1')).toStrictEqual([at, pushed])
  expect(seen).toEqual([{ version: 'v1' }, [at]])
  const grown = historyOf([grow], [again])
  expect(grown.response('GET a', given, 'v1')).toStrictEqual([at, at, pushed])
  expect(grown.request('GET a', given, 'v1')).toStrictEqual([at, 'v1'])
})

test('a body that is converted by hand is that of a success, 200 unless another one is described', () => {
  const wrapped = change('Wrapped.', { 'GET user': { response: (value: unknown) => ({ value }) } })
  const empty = change('An empty response.', { 'GET user': { status: { 200: 204, 100: 599 } } })
  const history = historyOf([wrapped], [empty])
  expect(history.response('GET user', 1, 'v1')).toBeUndefined()
  const made = change('Made.', { 'GET user': { status: { 204: 200 }, response: (value: unknown) => ({ value }) } })
  expect(historyOf([made], [empty]).response('GET user', 1, 'v1')).toEqual({})
  const routes = namedRoutes({ user: '/' })
  routes.route('user').get(end)
  routes.describe('GET user', { response: { 204: null, 201: {}, '4XX': {} } })
  const inTable = history.for({ routes, scheme })
  const bodies = [1, undefined].map((body) => inTable.response('GET user', body, 'v1'))
  expect(bodies).toEqual([{ value: 1 }, undefined])
})

const say = (text: string) => ({ response: (path: string[]) => [...path, text] })
const releases = (...given: OperationChanges[]) =>
  historyOf(...given.map((operations, index) => [change(`Change ${index + 2}.`, operations)]))
const ofUser = { 'GET users:user': say('x') }
const added = { 'GET user': 'added' } as const
const removed = { 'GET user': 'removed' } as const

function shop() {
  const users = namedRoutes({ detail: '/:id', user: '/self', late: '/late', any: '/any', head: '/head' })
  users.route('detail').get(end)
  users.route('user').get(end).patch(end)
  users.route('any').all(end)
  users.route('head').head(end)
  const part = inNamespaces(namedRoutes({}), { orders: table({ detail: '/:id' }), users })
  return inNamespaces(table({ health: '/health' }), { v1: part, v2: part })
}
const isNeutral = (name: string) => name === 'health' || name === 'v2:users:head'

const FAULTS = rows(`
  GET detail | its name fits several routes: "v1:orders:detail", "v1:users:detail", "v2:orders:detail", "v2:users:detail". Write it with more of its namespaces.
  GET v1:detail | "routes" has no name "v1:detail". Did you mean "detail"?
  GET head | "v2:users:head" is neutral: it has no version.
  PUT user | its route has no handler for PUT. Did you mean "GET user" or "PATCH user"?
`)
test.each(FAULTS)('a change of "%s" is rejected, because %s', (key, but) => {
  const message = `versioning(): the change "Change 2." speaks of "${key}", but ${but}`
  expect(() => releases({ [key]: say('x') }).bind(shop(), isNeutral)).toThrow(new TypeError(message))
})

const V2 = 'GET v2:users:user'
const removedAgain = { 'GET users:user': { removed: true, ...say('x') } } as const
const BESIDE = 'Steps of the version that removes it go beside the mark: { removed: true, response: ... }.'
test.each<[says: string, ...given: OperationChanges[]]>([
  ['says of "GET v2:users:user" that it is added, as version "v2" says already.', added, { [V2]: 'added' }],
  ['says of "GET v1:users:user" that it is removed, as version "v3" says already.', added, removed, removedAgain],
  [`has steps for "GET v1:users:user", which version "v2" removed. ${BESIDE}`, removed, { 'GET user': say('x') }],
])('a contradiction: it %s', (says, ...given) => {
  const at = given.length + 1
  const message = `versioning(): the change "Change ${at}." of version "v${at}" ${says}`
  expect(() => releases(...given).bind(shop())).toThrow(new TypeError(message))
})

test.each<[title: string, ...given: OperationChanges[]]>([
  ['the version alone apart', { 'GET orders:detail': say('x'), 'GET user': say('x') }],
  ['a route without handlers yet', { 'PUT late': say('x') }],
  ['.all()', { 'PURGE any': say('x') }],
  ['HEAD, which GET covers', { 'GET head': say('x') }],
])('a table takes %s', (_title, ...given) => {
  expect(() => releases(...given).bind(shop())).not.toThrow()
})

test('by hand in a table: names are checked and resolved, and the history stays as it is', () => {
  const changes = releases({ 'GET users:user': say('x'), 'GET v2:users:detail': say('v2'), 'GET health': say('?') })
  const byName = () => ['users:user', 'v2:users:user', 'typo'].map((name) => changes.response(`GET ${name}`, [], 'v1'))
  const before = byName()
  expect(before).toEqual([['x'], ['x'], []])
  const [routes, users] = [shop(), table({ user: '/', detail: '/:id', more: '/more' })]
  const inTable = changes.for({ routes })
  const by = (name: string) => inTable.response(`GET ${name}`, [], 'v1')
  const late = inTable.request('PUT late', 1, 'v1')
  expect([by('v2:users:user'), by('users:user'), by('v1:users:detail'), late]).toEqual([['x'], ['x'], [], 1])
  const usr = '"routes" has no name "users:usr". Did you mean "users:user" or "users:any"?'
  expect(() => by('users:usr')).toThrow(new TypeError(`response(): "GET users:usr" is no operation: ${usr}`))
  const other = inNamespaces(table({ health: '/health' }), { v2: inNamespaces(namedRoutes({}), { users }) })
  expect(changes.for({ routes: other }).response('GET more', [], 'v1')).toEqual([])
  expect(() => by('more')).toThrow('"routes" has no name "more"')
  make({ changes, routes, scheme: new HeaderVersioning() })()
  changes.bind(other)
  expect(byName()).toEqual(before)
  expect(inTable.versions).toBe(changes.versions)
  expect(inTable.list()).toEqual(changes.list())
  expect(() => inTable.has(loud, 'v1')).toThrow('it lacks the change "Loud."')
  expect(() => inTable.shape('User', {}, 'v1')).toThrow(`shape(): the history has no shape 'User'.`)
})

test('by hand, a neutral route stays as it is', () => {
  const inTable = releases(ofUser).for({ routes: shop(), neutral: ['health', '/a'], scheme })
  const seen = ['y']
  expect([inTable.response('GET health', seen, 'v1'), inTable.request('GET health', seen, 'v1')]).toEqual([seen, seen])
})

test.each<[message: string, options: object | undefined]>([
  ['for(): option "routes" takes a table made by namedRoutes(); got undefined.', {}],
  ['for() takes an object of options; got undefined.', undefined],
  ['for(): unknown option "neutrl". Did you mean "neutral"?', { routes: table({ x: '/x' }), neutrl: ['x'] }],
  ['for(): option "routes" takes a table made by namedRoutes(); got {}.', { routes: {} }],
  ['the change "Change 2." speaks of "GET users:user", but', { routes: shop(), neutral: ['v1:users:user'] }],
  ['Did you mean "health"?', { routes: shop(), neutral: ['helth'] }],
  ['the change "Change 2." speaks of "GET users:user", but "routes" has no name "users:user".', { routes: tableOf() }],
])('for() rejects: %s', (message, options) => {
  const make = () => releases(ofUser).for(options as never)
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})

test('a scheme has the versions of one history, and keeps none of a history that does not fit', () => {
  const scheme = new HeaderVersioning()
  const odd = historyOf([change('X', { 'GET odd': 'added' })])
  expect(make({ scheme, changes: odd })).toThrow('"routes" has no name "odd"')
  expect(scheme.acceptedVersions).toEqual([])
  for (const _ of [1, 2]) make({ scheme })()
  expect(scheme.acceptedVersions).toEqual(dates.versions)
  expect(make({ scheme, changes: history })).toThrow(
    'HeaderVersioning: this instance already has the versions of another history',
  )
  expect(new HeaderVersioning().acceptedVersions).toEqual([])
})

test('a full name is its own route, and those that end in it are others', () => {
  const routes = inNamespaces(table({ detail: '/detail' }), { users: namedRoutes({ detail: '/:id' }) })
  const changes = releases({ 'GET detail': { added: true, ...say('own') } })
  const own = changes.bind(routes)
  const inTable = changes.for({ routes })
  expect(inTable.response('GET detail', [], 'v1')).toEqual(['own'])
  expect(inTable.response('GET users:detail', [], 'v1')).toEqual([])
  expect(['v1', 'v2', 'v9'].map((version) => own.addsBehind(version))).toEqual([true, false, false])
  const listed = [expect.objectContaining({ description: 'Change 2.', shapes: [] })]
  expect([own.definitionsIn('v1'), own.changesIn('v2', 'v1')]).toEqual([new Map(), listed])
  expect([own.operation('GET', 'detail', 'v9').present, own.hasRoute('detail', 'v1')]).toEqual([true, false])
  // A name that is added later means itself.
  inNamespaces(routes, { late: namedRoutes({ detail: '/late' }) })
  const has = ['detail', 'users:detail', 'late:detail'].map((name) => own.operation('GET', name, 'v1').present)
  expect(has).toEqual([false, true, true])
})

test('a route is there in a version if one of its operations is', () => {
  const both = namedRoutes({ all: '/all', two: '/two' })
  both.route('all').all(end)
  both.route('two').get(end).post(end).all(end)
  const spaced = inNamespaces(namedRoutes({}), { v1: both, v2: both, v3: both })
  const gone = { 'GET all': 'removed', 'GET two': 'removed' } as const
  const routes = releases(gone, { 'POST two': 'removed', 'POST all': 'removed' }).bind(spaced)
  const names = ['v1:all', 'v1:two', 'v2:two', 'v3:two', 'v2:all']
  // The version among the namespaces counts, not that of the link.
  expect(names.map((name) => routes.hasRoute(name, 'v3'))).toEqual([true, true, true, false, true])
  expect(routes.hasRoute('v1:two', 'v1')).toBe(true)
})

test('by hand, a shape that only bodies hold is converted too, and one that responses could not hold is told', () => {
  const text = { type: 'string' }
  const Money = { $id: 'Money', type: 'object', properties: { amount: text }, required: ['amount'] }
  const Raft = { $id: 'Raft', type: 'object', properties: { logs: text, price: Money }, required: ['logs'] }
  const routes = namedRoutes({ rafts: '/rafts' }).describe('POST rafts', { body: Raft, response: { 204: null } })
  routes.route('rafts').post((_req, res) => void res.end())
  const convertedBy = (given: Parameters<typeof fields>[0]) => {
    const changes = versionHistory('v1').version(
      'v2',
      change('Logs.', { Raft: fields(given), Money: fields({ renamed: { sum: 'amount' } }) }),
    )
    const byHand = changes.for({ scheme: HeaderVersioning, changes, routes })
    return [byHand, byHand.shape('Raft', { logs: 'a', price: { amount: 'b' } }, 'v1')] as const
  }
  const [byHand, raft] = convertedBy({ renamed: { stems: 'logs' } })
  expect(raft).toEqual({ stems: 'a', price: { sum: 'b' } })
  expect(byHand.shape('Money', { amount: 'c' }, 'v1')).toEqual({ sum: 'c' })
  expect(() => convertedBy({ removed: { stems: { schema: text } } })).toThrow('has no "value" for the removed "stems"')
  expect(() => byHand.shape('Rafts' as never, {}, 'v1')).toThrow('the history has no shape')
})
