import { HeaderVersioning, versioning } from 'express-versioning'
import { type Change, change, shape } from 'express-versioning/changes'
import { historyOf, type Table, tableOf } from '../support/changes'
import { describing, told } from '../support/described'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const array = (items: object, more: object = {}) => ({ type: 'array', items, ...more })
const text = { type: 'string' }
const end = () => {}
const to = ($ref: string) => ({ $ref })
const [U, T] = [to('#/$defs/User'), to('#/$defs/Tree')]
const must = { required: ['kind'] }
const user = object({ id: text }, { required: ['id'] })
const oldUser = object({ uid: text }, { required: ['uid'] })
const tree = object({ name: text, kids: array(T), by: U })
const $defs = { User: user, Tree: tree }
const within = (schema: object): Record<string, unknown> => ({ ...schema, $defs })
const NEW = { id: '1' }
const OLD = { uid: '1' }

const steps = {
  response: ({ id, ...rest }: { id: string }) => ({ ...rest, uid: id }),
  request: ({ uid, ...rest }: { uid: string }) => ({ ...rest, id: uid }),
}
const passing = { response: (value: unknown) => value, request: (value: unknown) => value }
const User = shape<{ uid: string }, { id: string }>(oldUser, user, steps)
const renamed = change('Users are renamed.', { User })
const same = (response: object = {}) => shape(user, user, { ...passing, ...response })
const unsaid = () => {
  throw new Error('Date cannot be represented in JSON Schema')
}
const dated = { '~standard': { version: 1, vendor: 'x', jsonSchema: { input: unsaid, output: unsaid } } } as never

const responding = (schema: object) => (table: Table) =>
  describing({ 'GET other': { response: { $defs, ...schema } } }, end, table)
/** Binds a history to a table, also by hand. Each change has a version of its own. */
function bound(changes: Change<object>[], describe: (table: Table) => unknown) {
  const [history, routes] = [historyOf(...changes.map((one) => [one as Change])), tableOf()]
  describe(routes)
  return { history: history.for({ routes }), requests: history.bind(routes) }
}
const withBody = (schema: object, ...changes: Change<object>[]) =>
  bound(changes, (table) => {
    describing({ 'PUT other': { response: null, body: within(schema) } }, end, responding(schema)(table))
  }).history

/** A user that stands where no schema says so. */
const KEPT = { ...NEW }
const older = (value: unknown): unknown => {
  if (value === NEW || typeof value !== 'object' || value === null) return value === NEW ? OLD : value
  if (Array.isArray(value)) return value.map(older)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, older(one)]))
}
const [A, B] = ['a', 'b'].map((kind) => object({ kind: { const: kind }, of: U, odd: 7 }, must)) as [object, object]
const [C, WITHOUT] = [object({ kind: { const: 'c' } }, must), object({ kind: { enum: ['c'] } })]
const byType = { oneOf: [U, array(U), { enum: ['x', 7, null] }] }
const unnamed = { a: U, b: to('#/properties/a'), c: to('#/properties/d'), d: array(U) }
const byKey = object({ kb: U }, { patternProperties: { '^k': U, '^x': text } })
const elsewhere = [
  object({ kind: to('#/anyOf/1/properties/k') }, must),
  object({ kind: { const: 'u' }, k: { const: 'c' }, of: U }, must),
]

// The property of shapes generates the usual places.
test.each<[title: string, schema: object, newest: unknown]>([
  ['additionalProperties', object({ a: true }, { additionalProperties: U }), { a: KEPT, b: NEW }],
  ['patternProperties', byKey, { k: NEW, kb: NEW, x: 'x', ka: null, b: KEPT }],
  ['a pattern that no shape needs', object({ a: U }, { patternProperties: { '[\\w-.]': text } }), { a: NEW, b: 'x' }],
  ['no object', { properties: { a: U } }, [1]],
  ['no list', { items: U }, { a: 1 }],
  ['a union, by the JSON type', byType, [NEW]],
  ['a union, by a property that one must have', { anyOf: [A, WITHOUT] }, { of: KEPT }],
  ['a union in a union', { anyOf: [{ oneOf: [A, B] }, text] }, { kind: 'a', of: NEW }],
  ['a union with allOf', { anyOf: [A, { allOf: [C] }] }, { kind: 'a', of: NEW }],
  ['a union, by a property elsewhere', { anyOf: elsewhere }, { kind: 'u', of: NEW }],
  ['recursive without a name', object({ of: U, next: to('#') }), { of: NEW, next: { of: NEW } }],
  ['of parts without a name', object(unnamed), { a: NEW, b: NEW, c: [NEW] }],
])('a shape is converted where the body is %s', (_title, schema, newest) => {
  const history = withBody(schema, renamed)
  expect(history.response('GET other', newest, 'v1')).toEqual(older(newest))
  expect(history.response('GET other', newest, 'v2')).toBe(newest)
  expect(history.request('PUT other', older(newest), 'v1')).toEqual(newest)
})

test.each<[title: string, schema: object, value: unknown, found: string]>([
  ['a list instead of the shape', U, [NEW], 'a list in'],
  ['a string instead of the shape', U, 'Ada', 'a string in'],
  ['an object instead of a list', array(U), { 0: NEW }, 'an object in'],
  ['a string within', object({ users: array(U) }), { users: [NEW, 'Bob'] }, 'a string at "/properties/users/items" of'],
  ['a number that the union lacks', { anyOf: [U, text] }, 7, 'a number in'],
  ['no branch with the property', { oneOf: [A, B] }, { kind: 'c', of: NEW }, 'an object in'],
  ['two patterns', object({}, { patternProperties: { '^a': U, b$: array(U) } }), { ab: NEW }, 'an object in'],
])('what the description does not allow is rejected in older versions: %s', (_title, schema, value, found) => {
  const history = withBody(schema, renamed)
  const error = `The change "Users are renamed." failed: its "response" of "User" found ${found} the response 200 of "GET other", which its schema does not allow.`
  expect(() => history.response('GET other', value, 'v1')).toThrow(new Error(error))
  const request = () => history.request('PUT other', value, 'v1')
  const cause = new TypeError(`There is ${found} the body of "PUT other", which its schema does not allow.`)
  expect(request).toThrow(expect.objectContaining({ status: 400, code: 'ERR_VERSION_BODY', cause }))
})

test('a shape that becomes null is not visited further', () => {
  const toNull = (value: object) => ('kids' in value && String(value.kids) === '' ? null : { ...value, is: 'old' })
  const Tree = shape(within(tree), within(tree), { ...passing, response: toNull as never })
  const history = withBody(T, change('Both.', { User, Tree }))
  const newest = { by: NEW, kids: [{ kids: [] }] }
  expect(history.response('GET other', newest, 'v1')).toEqual({ is: 'old', by: OLD, kids: [null] })
})

test('several changes of one shape are one visit; null ends them, and each checks its own type', () => {
  const Text = { $id: 'Text', ...text }
  const changes: Change<object>[] = [3, 2, 1].map((index) => {
    const response = (value: unknown) => (value === 'end' ? null : value === 'list' ? [] : `${value}${index}`)
    return change(`Change ${index}.`, { Text: shape(Text, Text, { response }) })
  })
  const [Renamed, Same] = [shape(oldUser, oldUser, passing), shape(Text, Text, passing)]
  changes.push(change('Another.', { User: Renamed }), change('Both.', { User, Text: Same }))
  const { history } = bound(changes, responding(object({ texts: array(Text), by: U })))
  const shown = (said: string, version: string) => history.response('GET other', { texts: [said], by: NEW }, version)
  const found = [shown('a', 'v1'), shown('a', 'v2'), shown('end', 'v1'), shown('list', 'v3')]
  expect(found).toEqual(['a123', 'a12', null, []].map((older) => ({ texts: [older], by: OLD })))
  expect(shown('a', 'v6')).toEqual({ texts: ['a'], by: NEW })
  expect(() => shown('list', 'v1')).toThrow('its "response" of "Text" found a list')
})

test('own steps say what bodies were, by the older status', () => {
  const list = object({ items: array(U) }, { required: ['items'], $defs: { User: oldUser } })
  const page = object({ a: to('#/properties/b'), b: text })
  const step = (value: unknown) => value
  const [plain, one] = [within(array(U)), within(U)]
  const failed = { 400: null, 409: one, '5XX': page }
  const older = { body: list, query: object({ max: {} }), response: { 200: list }, error: failed }
  const head = { status: { 201: 200 }, headers: { Age: null, Location: String } }
  const posted = { request: step, response: step, error: step, ...head, older }
  const got = { status: { 202: 200 }, older: { response: { 404: page } } }
  const own = change('Lists are plain.', { '*': { error: step }, 'POST user-list': posted, 'GET user-list': got })
  const described = { response: { 201: plain, 400: one, 409: one } }
  const { requests } = bound([renamed, own, change('Again.', { User: same() })], (table) => {
    const errors = { response: { '4XX': null, '5XX': null } }
    const users = { response: { 200: plain, 202: one } }
    describing({ '*': errors, 'POST user-list': { ...described, body: plain }, 'GET user-list': users }, end, table)
  })
  const said = { body: older.body, query: older.query, responses: { 201: list, 400: null, 409: one } }
  const saidIn = (version: string, told: object) => {
    const { responses, ...parts } = requests.operation('POST', 'user-list', version).bodies(told, {})
    return { ...parts, responses: Object.fromEntries(responses) }
  }
  expect(['v1', 'v2', 'v3'].map((version) => saidIn(version, described))).toEqual([
    said,
    said,
    { responses: described.response },
  ])
  const definitions = ['v1', 'v2', 'v3'].map((version) => requests.definitionsIn(version).get('User')?.schema)
  expect(definitions).toEqual([oldUser, user, user])
  const told = [true, { 200: {}, '5XX': true }, undefined].map((response) => saidIn('v1', { response }).responses)
  expect(told).toEqual([{ 200: list }, { 200: list, '5XX': page }, { 200: list }])
  expect(saidIn('v9', { response: true })).toEqual({ responses: { 200: true } })
  expect(requests.definitionsIn('v9').get('User')).toEqual({ schema: user, isOlder: false })
  const headIn = (version: string, status: number) => requests.operation('POST', 'user-list', version).head(status)
  expect(headIn('v1', 201)).toEqual({ status: 200, without: new Set(['age']) })
  expect(headIn('v3', 404)).toEqual({ status: 404, without: new Set() })
  const places = [expect.objectContaining({ name: 'User', operations: ['POST user-list', 'GET user-list'] })]
  const listed = expect.objectContaining({ description: 'Users are renamed.', shapes: places })
  expect(requests.changesIn('v2', 'v1')).toEqual([listed])
})

const OF = 'the response 200 of "GET other"'
const cannot = (where: string, why: string) => `the shape "User" cannot be converted ${where} ${OF}: ${why}.`
const BRANCH =
  'its branch cannot be told from another one, by the JSON type, a property with one value, the "discriminator", or a required property that no other branch has'
const PART =
  'it is a part of an object, and shape() of "User" converts whole values: give the object a name, and say its change beside that of "User", or write fields()'
const like = (...branches: object[]) => [{ anyOf: branches }, cannot('at "/anyOf" of', BRANCH)] as const
const hidden = (at: string, keyword: string) => cannot(`at "${at}" of`, `values do not show "${keyword}"`)
const deep = array({ properties: { a: { contains: { not: U } } } })
const invalid = object({ a: object({}, { patternProperties: { '(': text, '^k': U } }) })
const PATTERN = `there is no valid pattern at "/properties/a/patternProperties" of ${OF}: Invalid regular expression: /(/u: Unterminated group.`

const Tree = (from: object, into: object) => change('T.', { Tree: shape(within(from), within(into), passing) })
const notSaid = (where: string) =>
  `the "newer" of the shape "Tree" in version 'v2' ("T.") is not what the descriptions say: they differ ${where}.`
const odd = { ...tree, properties: { ...tree.properties, odd: 7 } }
const titled = { ...tree, properties: { ...tree.properties, title: text } }
const both = change('X.', { User, Tree: shape(within(tree), within(tree), passing) })
const came = [change('X.', { User: shape(oldUser, user, {}) }), change('New.', { 'GET other': 'added' })]
const UNDATED = 'cannot be expressed in JSON Schema: Date cannot be represented in JSON Schema'
const bodyOf = (response: unknown) => change('X.', { User, 'GET other': { older: { response: response as never } } })

const nobody = like(object({ k: { const: 1 }, of: U }), object({ k: { const: 2 } }))
const loop = to('#/$defs/Loop')
const foreign = to('https://a.b/Name')
const somewhere = change('X.', { User: shape(dated, user, passing as never) })
const nowhere = change('X.', { Other: shape(dated, dated, {}), User })
const SOMEWHERE = `of the shape "User" of the change "X.", its "older" ${UNDATED}; it is in ${OF}.`
const NOWHERE = 'the change "X." speaks of the shape "Other", which no description and no "older" has.'
const OLDER = `the "older" "response" of "GET other" in the change "X." ${UNDATED}`

test.each<[title: string, schema: object, message: string, ...changes: Change<object>[]]>([
  ['a part that is a part of itself', { allOf: [U, to('#/$defs/Self'), to('#/$defs/Self')] }, ''],
  ['contains', deep, hidden('/items/properties/a/contains', 'contains')],
  ['dependencies of a draft', { dependencies: { a: U } }, hidden('/dependencies/a', 'dependencies')],
  ['a branch like another', ...like(U, { type: 'object' })],
  ['a branch elsewhere', { anyOf: [U, foreign] }, ''],
  ['properties that nobody must have', ...nobody],
  ['a property that is an object', ...like(object({ kind: { const: {} }, of: U }, must), B)],
  ['a property of itself', ...like(object({ kind: to('#/anyOf/0/properties/kind'), of: U }), B)],
  ['an invalid pattern', invalid, PATTERN],
  ['a reference beside properties', { ...foreign, properties: { a: U } }, ''],
  ['a reference without shapes', { ...loop, properties: { a: U } }, ''],
  ['a union that contains itself', { anyOf: [U, loop] }, ''],
  ['a part that is no schema', T, '', Tree(odd, tree)],
  ['a property named as an annotation', T, notSaid('at "/properties/title"'), Tree(tree, titled)],
  ['another kind of schema', T, notSaid('at "/type"'), Tree(tree, array(tree))],
  ['an annotation', T, '', Tree(tree, { ...tree, title: 'Tree', deprecated: true })],
  ['a description of a reference', T, '', Tree({ description: 'x', ...T }, { title: 'y', ...T })],
  ['a side without JSON Schema that stands somewhere', U, SOMEWHERE, somewhere],
  ['a side without JSON Schema that stands nowhere', U, NOWHERE, nowhere],
  ['an older body without JSON Schema', U, OLDER, bodyOf(dated)],
  ['a missing step of an operation that came later', U, '', ...came],
  ['a change of two shapes', { allOf: [U], properties: { t: T } }, cannot('in', PART), both],
])('versioning() looks at %s', (_title, schema, message, ...changes) => {
  const described = responding({
    ...schema,
    $defs: {
      ...$defs,
      Name: text,
      Loop: { anyOf: [text, loop] },
      Self: { allOf: [to('#/$defs/Self')], minProperties: 1 },
    },
  })
  const expected = message === '' ? '' : `versioning(): ${message}`
  expect(told(() => bound(changes.length === 0 ? [renamed] : changes, described))).toBe(expected)
})

test('a description of an operation without a handler is told where its shape is missing', () => {
  const message = told(() => bound([renamed], (table) => table.describe('GET other', { response: within(U) })))
  const early = '"GET other" is described, but has no handler in the table: add handlers before versioning().'
  expect(message).toContain(early)
})

test('all that is forgotten is told at once', () => {
  const numbered = object({ id: { type: 'number' } }, { required: ['id'] })
  const asIs = { response: (value: unknown) => value }
  const [first, described] = [shape(user, numbered, { request: (value) => value }), within(U)]
  const second = { User: shape(user, user, {}), Usr: User, 'GET other': asIs }
  const third = change('C.', { 'PATCH other': { request: (value) => value } })
  const versions = { v1: { body: user, summary: 'Old' }, v2: undefined } as never
  const describe = (table: Table) => {
    table.describe('GET other', { response: { 200: described, '2XX': true } })
    table.describe('POST other', { body: { ...U, $defs: { User: { type: 'object' } } } })
    table.describe('POST user-list', { response: dated, body: described })
    table.describe('PATCH other', { response: null, body: described, versions })
    table.route('other').get(end).post(end).patch(end)
    table.route('user-list').post(end).put(end)
    table.route('user-detail').all(end)
  }
  const message = told(() => bound([change('A.', { User: first }), change('B.', second), third], describe))
  expect(`${message}\n`).toBe(`versioning(): 12 things do not fit in the shapes of "changes":
- the "response" of "POST user-list" cannot be expressed in JSON Schema: Date cannot be represented in JSON Schema
- describe() says no "response" (null where the handler sends no JSON) of "PUT user-list", "GET user-detail", "POST user-detail", "PUT user-detail", "PATCH user-detail", "DELETE user-detail", "POST other".
- describe() says no "body" (null where requests have none) of "PUT user-list", "POST user-detail", "PUT user-detail", "PATCH user-detail".
- the schema "User" of "POST user-list" differs from that of "POST other".
- the "newer" of the shape "User" in version 'v2' ("A.") is not its "older" in version 'v3': they differ at "/properties/id/type".
- the change "B." speaks of the shape "Usr", which no description and no "older" has. Did you mean "User"?
- the shape "User" of the change "B." has no "request", but is in the body of "POST user-list", the body of "POST other", the body of "PATCH other".
- the shape "User" of the change "A." has no "response", but is in the response 200 of "GET other".
- the shape "User" of the change "B." has no "response", but is in the response 200 of "GET other".
- the change "B." of version 'v3' has an own "response", but no { older: { response } } that says where changed shapes ("User") were before, for the response 200 of "GET other".
- the change "C." of version 'v4' has an own "request", but no { older: { body } } that says where changed shapes ("User") were before, for the body of "PATCH other".
- describe() says what changes of shapes say, and could only contradict: "versions.v1.body" of "PATCH other".
`)
})

test('by hand, the schemas of shapes say what is inside; a shape comes and goes', () => {
  const tag = object({ label: text }, { required: ['label'] })
  const defs = { User: user, Tag: tag }
  const Tag = shape<string, { label: string }>(text, tag, { response: ({ label }) => label })
  const Own = object({ tags: array(to('#/$defs/Tag')), by: U, post: to('#/$defs/Own') })
  const Post = shape<object, object>(
    { title: 'Older', $ref: '#/$defs/Own', $defs: { ...defs, Own } },
    { $id: 'Post', ...object({ by: U, post: to('#') }), $defs: defs },
    { response: (value) => ({ ...value, tags: [{ label: 'none' }] }) },
  )
  const Three = same({ response: (value: object) => ({ ...value, old: 3 }) })
  const changes = [change('Tags.', { Tag }), change('No tags.', { Post }), change('More.', { User: Three })]
  const history = historyOf(...changes.map((one) => [one as Change]))
  const given = { by: NEW, post: { by: null } }
  const by = { id: '1', old: 3 }
  const tagged = (tags: unknown[]) => ({ by, tags, post: { by: null, tags } })
  const shown = history.versions.map((version) => history.shape('Post', given, version))
  expect(shown).toEqual([tagged(['none']), tagged([{ label: 'none' }]), { by, post: { by: null } }, given])
  expect(shown[3]).toBe(given)
  const without = historyOf([change('X.', { User: shape(user, user, {}) })])
  expect(without.shape('User', NEW, 'v2')).toBe(NEW)
  const unknown = `the history has no version 'v'. Did you mean "v1" or "v2" or "v3"?`
  const lacks = 'the shape "User" of the change "X." has no "response", but is in "User".'
  for (const [message, call] of [
    [`: the history has no shape 'Pst'. Did you mean "Post"?`, () => history.shape('Pst', {}, 'v1')],
    [`: ${unknown}`, () => history.shape('Post', {}, 'v')],
    [' takes a body that JSON can express; got Symbol(x).', () => history.shape('Post', Symbol('x'), 'v1')],
    [`: ${lacks}`, () => without.shape('User', {}, 'v1')],
  ] as const) {
    expect(call).toThrow(new TypeError(`shape()${message}`))
  }
})

test('by hand, operations of a history with shapes need a table, and binding one changes no history', () => {
  const older = { response: object({ of: U }, { $defs: { User: oldUser } }) }
  const own = { response: (value: object) => ({ of: value }), older }
  const history = historyOf([change('X.', { User, 'GET other': own })])
  const [routes, others] = [tableOf(), tableOf()]
  responding(U)(routes)
  responding(array(U))(others)
  describing({ 'GET user-list': { response: object({ label: text }, { $id: 'Label' }) } }, end, others)
  const message = (property: string) =>
    `${property}(): the history has shapes, and only a table tells where they are in "GET other". Use history.for(options).${property}(...), with the options of versioning().`
  const [one, two] = [history.for({ routes }), history.for({ routes: others, scheme: HeaderVersioning })]
  for (const bind of [
    () => {},
    () => history.bind(routes),
    () => versioning({ scheme: HeaderVersioning, changes: history, routes }),
  ]) {
    bind()
    expect(() => history.response('GET other', NEW, 'v1')).toThrow(new TypeError(message('response')))
    expect(() => history.request('GET other', NEW, 'v1')).toThrow(new TypeError(message('request')))
    expect(history.shape('User', NEW, 'v1')).toEqual(OLD)
  }
  expect(one.response('GET other', NEW, 'v1')).toEqual({ of: OLD })
  expect(two.request('GET user-list', NEW, 'v1')).toBe(NEW)
  expect(() => one.request('GET user-list', NEW, 'v1')).toThrow('does not know the body of "GET user-list"')
  expect(one.shape('User', NEW, 'v1')).toEqual(OLD)
  // The table has shapes that never changed.
  expect(two.shape('Label', NEW, 'v1')).toBe(NEW)
  expect(() => two.shape('Labl', NEW, 'v1')).toThrow(`shape(): the history has no shape 'Labl'. Did you mean "Label"?`)
  expect(() => two.shape('User', NEW, 'v3')).toThrow("shape(): the history has no version 'v3'.")
})
