import { type RequestHandler, Router } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { type Change, change, shape } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { ask, historyOf, serveShapes, type Table, tableOf } from '../support/changes'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const array = (items: object, more: object = {}) => ({ type: 'array', items, ...more })
const text = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
/** The references to the shapes. */
const [U, T] = [ref('User'), ref('Tree')]
const to = ($ref: string) => ({ $ref })
const must = { required: ['kind'] }
const user = object({ id: text }, { required: ['id'] })
const oldUser = object({ uid: text }, { required: ['uid'] })
const tree = object({ name: text, kids: array(T), by: U })
const $defs = { User: user, Tree: tree }
const NEW = { id: '1' }
const OLD = { uid: '1' }

const steps = {
  response: ({ id, ...rest }: { id: string }) => ({ ...rest, uid: id }),
  request: ({ uid, ...rest }: { uid: string }) => ({ ...rest, id: uid }),
}
const passing = { response: (value: unknown) => value, request: (value: unknown) => value }
const User = shape<{ uid: string }, { id: string }>(oldUser, user, steps)
const renamed = change('Users are renamed.', { User })
const kinds = ['a', 'b'].map((kind) => object({ kind: { const: kind }, of: U, odd: 7 }, must))
const [A, B] = kinds as [object, object]

/** Serves a body under `GET other`, and what `PUT other` gets. */
const serveBody = (changes: Change<object>[], schema: object, newest?: unknown) =>
  serveShapes(historyOf(changes as never), (table) => {
    table.describe('GET other', { response: { ...schema, $defs } })
    table.describe('PUT other', { response: null, body: { ...schema, $defs } })
    const put: unknown[] = []
    const route = table.route('other').put((req, res) => res.status(204).end(void put.push(req.body)))
    route.get((req, res) => res.status(req.query.status ? 203 : 200).json(req.query.put ? put.pop() : newest))
  })

/** A user that stands where no schema says so. */
const KEPT = { ...NEW }
const older = (value: unknown): unknown => {
  if (value === NEW || typeof value !== 'object' || value === null) return value === NEW ? OLD : value
  if (Array.isArray(value)) return value.map(older)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, older(one)]))
}
const none = { type: 'null' }
const byType = { oneOf: [U, array(U), { enum: ['x', 7, null] }] }
const unnamed = { a: U, b: to('#/properties/a'), c: to('#/properties/d'), d: array(U), e: to('https://a.b/c') }
const byReference = [
  object({ kind: to('#/anyOf/1/properties/k') }, must),
  object({ kind: { const: 'u' }, k: { const: 'c' }, of: U }, must),
]

test.each<[title: string, schema: object, newest: unknown]>([
  ['the whole', U, NEW],
  ['a property, one that is missing, and null', object({ a: U, b: U, c: U }), { a: NEW, c: null }],
  ['items', array(U), [NEW, null]],
  ['prefixItems', array({}, { prefixItems: [text, U] }), ['1', NEW, KEPT]],
  ['items behind prefixItems', { prefixItems: [true], items: U }, [KEPT, NEW]],
  ['additionalProperties', object({ a: true }, { additionalProperties: U }), { a: KEPT, b: NEW }],
  [
    'patternProperties',
    object({ kb: U }, { patternProperties: { '^k': U, '^x': text } }),
    { k: NEW, kb: NEW, x: 'x', ka: null, b: KEPT },
  ],
  ['a pattern that no shape needs', object({ a: U }, { patternProperties: { '[\\w-.]': text } }), { a: NEW, b: 'x' }],
  ['no object', { properties: { a: U } }, [1]],
  ['no list', { items: U }, { a: 1 }],
  ['a nullable', { anyOf: [U, none] }, NEW],
  ['null itself', { anyOf: [U, none] }, null],
  ['a union, by the JSON type', byType, [NEW]],
  ['a union, by another JSON type', byType, 7],
  ['a union, by a property', { anyOf: kinds }, { kind: 'b', of: NEW }],
  ['a union, by a property that one must have', { anyOf: [A, object({ kind: { enum: ['c'] } })] }, { of: KEPT }],
  ['a union in a union', { anyOf: [{ oneOf: kinds }, text] }, { kind: 'a', of: NEW }],
  ['a union with allOf', { anyOf: [A, { allOf: [object({ kind: { const: 'c' } }, must)] }] }, { kind: 'a', of: NEW }],
  ['a union, by a property elsewhere', { anyOf: byReference }, { kind: 'u', of: NEW }],
  ['recursive without a name', object({ of: U, next: to('#') }), { of: NEW, next: { of: NEW } }],
  ['a recursive shape', T, { by: NEW, kids: [{ by: NEW }] }],
  ['of parts without a name', object(unnamed), { a: NEW, b: NEW, c: [NEW], e: KEPT }],
])('a shape is converted where the body is %s', async (_title, schema, newest) => {
  const served = await serveBody([renamed], schema, newest)
  const put = async (version: string, body: unknown) => {
    await ask(served, version, '/other', { method: 'PUT', body: JSON.stringify(body) })
    return (await ask(served, 'v2', '/other?put=1')).json
  }
  const get = async (version: string) => (await ask(served, version, '/other')).json
  expect([await get('v1'), await get('v2')]).toEqual([older(newest), newest])
  expect([await put('v1', older(newest)), await put('v2', newest)]).toEqual([newest, newest])
})

test.each<[title: string, schema: object, value: unknown, found: string]>([
  ['a list in place of the shape', U, [NEW], 'a list in'],
  ['a text in place of the shape', U, 'Ada', 'a string in'],
  ['an object in place of a list', array(U), { 0: NEW }, 'an object in'],
  ['a list in place of an object', object({ user: U }), [NEW], 'a list in'],
  ['a text within', object({ users: array(U) }), { users: [NEW, 'Bob'] }, 'a string at "/properties/users/items" of'],
  ['a number that the union lacks', { anyOf: [U, text] }, 7, 'a number in'],
  ['no branch with the property', { oneOf: kinds }, { kind: 'c', of: NEW }, 'an object in'],
  ['two patterns', object({}, { patternProperties: { '^a': U, b$: array(U) } }), { ab: NEW }, 'an object in'],
])('what the description does not allow is refused in older versions: %s', async (_title, schema, value, found) => {
  const served = await serveBody([renamed], schema, value)
  const error = `The change "Users are renamed." failed: its "response" of "User" found ${found} the answer 200 of "GET other", which its schema does not allow.`
  const { status, json } = await ask(served, 'v1', '/other')
  expect([status, json]).toEqual([500, { error, code: 'ERR_VERSION_CHANGE', name: 'Error' }])
  expect((await ask(served, 'v2', '/other')).json).toEqual(value)
  const put = await ask(served, 'v1', '/other', { method: 'PUT', body: JSON.stringify(value) })
  expect(put).toMatchObject({ status: 400, json: { code: 'ERR_VERSION_BODY' } })
})

test.each<[steps: object, failed: string]>([
  [{ response: () => undefined }, 'returned undefined, which JSON cannot express'],
  [{ response: () => Promise.reject(new Error('late')) }, 'returned a promise, but steps are synchronous'],
  [{ response: () => ({ at: Number.NaN }) }, 'returned a value that JSON cannot express'],
  [{ response: () => JSON.parse('{') }, 'threw'],
])('a step of a shape fails under its name: %#', async (steps, failed) => {
  const served = await serveBody([change('X.', { User: shape(user, user, { ...passing, ...steps }) })], array(U), [NEW]) // biome-ignore format: a row
  const error = `The change "X." failed: its "response" of "User" ${failed}.`
  expect((await ask(served, 'v1', '/other')).json).toEqual({ error, code: 'ERR_VERSION_CHANGE', name: 'Error' })
})

test('shapes of one change: outermost first in answers, innermost first in bodies; null ends them', async () => {
  const seen: unknown[] = []
  const note = (value: object, to: object) => {
    seen.push(structuredClone(value))
    return 'kids' in value && String(value.kids) === '' ? null : { ...value, ...to }
  }
  const Tree = shape<object, object>(
    { ...tree, $defs },
    { ...tree, $defs },
    {
      response: (value) => note(value, { is: 'old' }) as object,
      request: (value) => note(value, { is: 'new' }) as object,
    },
  )
  const both = change('Both.', { User, Tree })
  const served = await serveBody([both], T, { by: NEW, kids: [{ kids: [] }] })
  const older = { is: 'old', by: OLD, kids: [null] }
  expect((await ask(served, 'v1', '/other')).json).toEqual(older)
  expect(seen.splice(0)).toEqual([{ by: NEW, kids: [{ kids: [] }] }, { kids: [] }])
  await ask(served, 'v1', '/other', { method: 'PUT', body: { by: OLD, kids: [{ by: OLD }] } })
  expect(seen).toEqual([{ by: NEW }, { by: NEW, kids: [{ by: NEW, is: 'new' }] }])
})

test('several changes of one shape are one visit; null ends them, and each checks its own type', async () => {
  const step = (index: number) => (value: unknown) =>
    value === 'end' ? null : value === 'list' ? [] : `${value}${index}` // biome-ignore format: a row
  const textShape = { $id: 'Text', ...text }
  const changes = [3, 2, 1].map((index) => [
    change(`Change ${index}.`, { Text: shape(textShape, textShape, { response: step(index) }) }),
  ])
  changes.push([change('Another.', { User: shape(oldUser, oldUser, passing) }) as never])
  changes.push([change('Both.', { User, Text: shape(textShape, textShape, passing) }) as never])
  const served = await serveShapes(historyOf(...changes), (table) => {
    table.describe('GET other', { response: object({ texts: array(textShape), by: U }, { $defs }) })
    table.route('other').get((req, res) => res.json({ texts: [String(req.query.text), null], by: NEW }))
  })
  const asked = async (said: string, version: string) => (await ask(served, version, `/other?text=${said}`)).json
  expect(await asked('a', 'v1')).toEqual({ texts: ['a123', null], by: OLD })
  expect(await asked('a', 'v2')).toEqual({ texts: ['a12', null], by: OLD })
  expect(await asked('a', 'v6')).toEqual({ texts: ['a', null], by: NEW })
  expect(await asked('end', 'v1')).toEqual({ texts: [null, null], by: OLD })
  expect(await asked('list', 'v3')).toEqual({ texts: [[], null], by: OLD })
  expect(await asked('list', 'v1')).toMatchObject({ code: 'ERR_VERSION_CHANGE' })
})

test.each([
  ['GET', '/users', 'v1', 200, [OLD]],
  ['GET', '/users?status=404', 'v1', 404, OLD],
  ['GET', '/users?status=503', 'v1', 503, OLD],
  ['GET', '/users?status=302', 'v1', 302, NEW],
  ['GET', '/users?status=201', 'v1', 500, 'does not know answers of "GET user-list" with status 201'],
  ['GET', '/users?status=201', 'v3', 201, NEW],
  ['GET', '/users?status=204', 'v1', 204, undefined],
  ['PUT', '/users', 'v1', 201, { some: NEW }],
  ['GET', '/users/7', 'v1', 200, NEW],
  ['GET', '/plain', 'v1', 200, NEW],
  ['GET', '/other', 'v1', 500, 'does not know the answers of "GET other"'],
  ['GET', '/other?status=404', 'v1', 404, NEW],
  ['GET', '/other', 'v3', 200, NEW],
  ['POST', '/other', 'v1', 500, 'does not know the body of "POST other"'],
  ['POST', '/other', 'v3', 200, OLD],
] as const)('fails closed for what nobody described: %s %s in %s', async (method, path, version, status, json) => {
  const show =
    (value: unknown): RequestHandler =>
    ({ query: { status = 200 } }, res) =>
      void res.status(Number(status)).json(status === 200 ? value : NEW)
  const fill = (table: Table) => {
    const described = { ...U, $defs }
    const response = { 200: array(U, { $defs }), 404: described, default: null, '5XX': described }
    table.describe('GET user-list', { response }).describe('PUT user-list', { response: object({}), body: null })
    table
      .route('user-list')
      .get(show([NEW]))
      .put((_req, res) => void res.status(201).json({ some: NEW }))
    table.route('user-detail').get(show(NEW))
    table.use('/plain', Router().get('/', show(NEW)))
    // Handlers that nobody knows when versioning() is called.
    process.nextTick(() =>
      table
        .route('other')
        .get(show(NEW))
        .post((req, res) => void res.json(req.body)),
    )
  }
  const same = change('Same.', { User: shape(user, user, passing), '*': { headers: { Age: null } } })
  const before = change('Before.', { '*': { headers: { Via: null } } })
  const served = await serveShapes(historyOf([renamed], [before, same]), fill, { neutral: ['user-detail'] })
  const answer = await ask(served, version, path, method === 'GET' ? {} : { method, body: OLD })
  const error = `${json}, which nobody had described when versioning() was called.`
  expect(answer.status).toBe(status)
  if (typeof json === 'string') expect(answer.json).toMatchObject({ error: expect.stringContaining(error) })
  else expect(answer.json).toEqual(json)
})

test('own steps say what bodies were, by the older status; documents say it too', async () => {
  const list = object({ items: array(U) }, { required: ['items'], $defs: { User: oldUser } })
  const page = object({ a: { $ref: '#/properties/b' }, b: text })
  const enveloped = change('Lists are plain, and a new one is 201.', {
    '*': { error: (error: unknown) => error },
    'POST user-list': {
      request: ({ items }: { items: unknown[] }) => items,
      response: (items: unknown[]) => ({ items }),
      error: () => ({ error: 'old' }),
      status: { 201: 200 },
      older: {
        body: list,
        response: { 200: list, 400: null },
        query: object({ max: { $ref: '#/properties/of' }, of: {} }),
      },
    },
    'GET user-list': { status: { 202: 200 }, older: { response: { 404: page } } },
  })
  let routes!: Table
  const plain = array(U, { $defs })
  const Old = shape(oldUser, user, steps as never)
  const history = historyOf([renamed], [enveloped], [change('New.', { 'GET other': 'added', Old })])
  const served = await serveShapes(history, (table) => {
    routes = table
    table.describe('POST user-list', { response: { 201: plain, 400: { ...U, $defs }, 409: { ...U, $defs } }, body: plain }) // biome-ignore format: a row
    table.describe('GET user-list', { response: { 200: plain, 202: { ...U, $defs } } })
    table.describe('GET other', { response: { ...ref('Old'), $defs: { Old: user } } })
    table
      .route('user-list')
      .post((req, res) => res.status(req.query.bad ? Number(req.query.bad) : 201).json(req.query.bad ? NEW : req.body))
      .get((_req, res) => res.json([]))
    table.route('other').get((_req, res) => res.json(NEW))
  })
  const post = async (version: string, body: unknown, query = '') => {
    const { status, json } = await ask(served, version, `/users${query}`, { method: 'POST', body })
    return [status, json]
  }
  expect(await post('v1', { items: [OLD] })).toEqual([200, { items: [OLD] }])
  expect(await post('v2', { items: [NEW] })).toEqual([200, { items: [NEW] }])
  expect(await post('v3', [NEW])).toEqual([201, [NEW]])
  for (const bad of [400, 409]) {
    expect(await post('v1', { items: [OLD] }, `?bad=${bad}`)).toEqual([bad, { error: 'old' }])
  }
  expect(history.response('POST user-list', [NEW], 'v1')).toEqual({ items: [OLD] })
  const bound = history.version('v5', change('Again.', { User: shape(user, user, passing) })).bind(routes)
  const definitions = ['v1', 'v2', 'v4', 'v5', 'v9'].map((version) => bound.definitionsIn(version).get('User'))
  expect(definitions).toEqual([oldUser, user, user, user, user])
  expect(history.request('POST user-list', { items: [OLD] }, 'v1')).toEqual([NEW])
  const documents = openapi({ scheme: HeaderVersioning, changes: history, routes })
  const schemaOf = (of: unknown) =>
    (of as { content?: Record<string, { schema: object }> })?.content?.['application/json']?.schema
  const told = ['v1', 'v2', 'v3', 'v4'].map((version) => {
    const { paths, components } = documents.document(version)
    const { post, get } = paths['/users'] ?? {}
    return [
      schemaOf(post?.requestBody),
      Object.entries(post?.responses ?? {}).map(([status, answer]) => [status, schemaOf(answer) !== undefined]),
      schemaOf(get?.responses?.[200]),
      post?.parameters?.map(({ name }) => name),
      Object.keys((components?.schemas?.User as { properties?: object } | undefined)?.properties ?? {}),
    ]
  })
  const at = { $ref: '#/components/schemas/User' }
  const older = object({ items: array(at) }, { required: ['items'] })
  const answers = [['200', true], ['400', false], ['409', true]] // biome-ignore format: a row
  const both = { anyOf: [array(at), at] }
  const newest = [array(at), [['201', true], ['400', true], ['409', true]], array(at), ['X-API-Version'], ['id']] // biome-ignore format: a row
  const parameters = ['X-API-Version', 'max', 'of']
  expect(told).toEqual([
    [older, answers, both, parameters, ['uid']],
    [older, answers, both, parameters, ['id']],
    newest,
    newest,
  ])
})

/** Returns the message of `versioning()` about a history and a table with these descriptions. */
function told(changes: Change<object>[], describe: (table: Table) => void): string {
  const routes = tableOf()
  describe(routes)
  try {
    versioning({ scheme: HeaderVersioning, changes: historyOf(changes as never), routes })
    return ''
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    return (error as Error).message
  }
}
const answering = (schema: object) => (table: Table) => {
  table.describe('GET other', { response: { $defs, ...schema } })
  table.route('other').get((_req, res) => res.end())
}
const cannot = (where: string, why: string) => `versioning(): the shape "User" cannot be converted ${where} the answer 200 of "GET other": ${why}.` // biome-ignore format: a row
const BRANCH = 'its branch cannot be told from another one, by the JSON type or by a property with one value'

const like = (...branches: object[]) => [{ anyOf: branches }, cannot('at "/anyOf" of', BRANCH)] as const
const hidden = (at: string, keyword: string) => cannot(`at "${at}" of`, `values do not show "${keyword}"`)
test.each<readonly [title: string, schema: object, message: string]>([
  ['allOf', { allOf: [U] }, hidden('/allOf/0', 'allOf')],
  [
    'contains',
    array({ properties: { a: { contains: { not: U } } } }),
    hidden('/items/properties/a/contains', 'contains'),
  ],
  ['if', { if: U }, hidden('/if', 'if')],
  ['items of a draft', { items: [U] }, hidden('/items/0', 'items')],
  ['a branch like another', ...like(U, { type: 'object' })],
  ['a branch of any type', ...like(U, {})],
  ['a branch elsewhere', ...like(U, to('https://a.b/c'))],
  ['a property that nobody must have', ...like(object({ k: { const: 1 }, of: U }), object({ k: { const: 2 } }))],
  ['a property that is an object', ...like(object({ kind: { const: {} }, of: U }, must), B)],
  ['a property of itself', ...like(object({ kind: to('#/anyOf/0/properties/kind'), of: U }), B)],
  ['two schemas of one value', { properties: { a: U }, ...U }, cannot('in', 'several schemas speak of one value')],
  [
    'an invalid pattern',
    object({ a: object({}, { patternProperties: { '(': text, '^k': U } }) }),
    'versioning(): there is no valid pattern at "/properties/a/patternProperties" of the answer 200 of "GET other": Invalid regular expression: /(/u: Unterminated group.',
  ],
])('a place that cannot be converted is told: %s', (_title, schema, message) => {
  expect(told([renamed], answering({ ...schema, $defs }))).toBe(message)
})

const dated = z.object({ at: z.date() })
const undated = 'cannot be expressed in JSON Schema: Date cannot be represented in JSON Schema'
const Tree = (older: object, newer: object) =>
  change('T.', { Tree: shape({ ...older, $defs }, { ...newer, $defs }, passing) })
const notSaid = (where: string) =>
  `versioning(): the "newer" of the shape "Tree" in version 'v2' ("T.") is not what the descriptions say: they differ ${where}.`

test.each<[title: string, changes: Change<object>[], schema: object, message: string]>([
  ['another property', [Tree(tree, { ...tree, required: [] })], T, notSaid('at "/required"')],
  ['a part that is no schema', [Tree({ ...tree, properties: { ...tree.properties, odd: 7 } }, tree)], T, ''],
  ['another kind of schema', [Tree(tree, array(tree))], T, notSaid('at "/type"')],
  ['an annotation', [Tree(tree, { ...tree, title: 'Tree', deprecated: true })], T, ''],
  ['a description of a reference', [Tree({ description: 'x', ...T }, { title: 'y', ...T })], T, ''],
  [
    'a side without JSON Schema that stands somewhere',
    [change('X.', { User: shape(dated, user, passing as never) })],
    U,
    `versioning(): of the shape "User" of the change "X.", its "older" ${undated}; it stands in the answer 200 of "GET other".`,
  ],
  [
    'a side without JSON Schema that stands nowhere',
    [change('X.', { Other: shape(dated, dated, {}), User })],
    U,
    'versioning(): the change "X." speaks of the shape "Other", which no description and no "older" has.',
  ],
  [
    'an older body without JSON Schema',
    [change('X.', { User, 'GET other': { older: { response: dated } } })],
    U,
    `versioning(): the "older" "response" of "GET other" in the change "X." ${undated}`,
  ],
  [
    'a missing step of an operation that came later',
    [change('X.', { User: shape(oldUser, user, {}) }), change('New.', { 'GET other': 'added' })],
    U,
    '',
  ],
  [
    'a change of two shapes',
    [change('X.', { User, Tree: shape({ ...tree, $defs }, { ...tree, $defs }, passing) })],
    { allOf: [U], properties: { t: T } },
    cannot('at "/allOf/0" of', 'values do not show "allOf"'),
  ],
  ['a reference beside properties', [renamed], { $ref: 'https://a.b/c', properties: { a: U } }, ''],
  ['a reference without shapes beside properties', [renamed], { ...ref('Loop'), properties: { a: U } }, ''],
  ['a union that contains itself', [renamed], { anyOf: [U, ref('Loop')] }, ''],
])('versioning() looks at %s', (_title, changes, schema, message) => {
  const Loop = { anyOf: [text, ref('Loop')] }
  expect(told(changes, answering({ ...schema, $defs: { ...$defs, Loop } }))).toBe(message)
})

test('all that is forgotten is told at once', () => {
  const older = object({ id: { type: 'number' } }, { required: ['id'] })
  const message = told(
    [
      change('A.', { User: shape(user, older, { request: (value) => value }) }),
      change('B.', { User: shape(user, user, {}), Usr: User, 'GET other': { response: (value) => value } }),
      change('C.', { 'PATCH other': { request: (value) => value } }),
    ],
    (table) => {
      const described = { ...U, $defs }
      const end: RequestHandler = (_req, res) => void res.end()
      table.describe('GET other', { response: { 200: described, '2XX': true } })
      table.describe('POST other', { body: { ...U, $defs: { User: { type: 'object' } } } })
      table.describe('POST user-list', { response: dated, body: described })
      const versions = { v1: { body: user, summary: 'Old' }, v2: undefined } as never
      table.describe('PATCH other', { response: null, body: described, versions })
      table.route('other').get(end).post(end).patch(end)
      table.route('user-list').post(end).put(end)
      table.route('user-detail').all(end)
    },
  )
  expect(message.split('\n')).toMatchInlineSnapshot(`
[
  "versioning(): 12 things do not fit in the shapes of "changes":",
  "- the "response" of "POST user-list" cannot be expressed in JSON Schema: Date cannot be represented in JSON Schema",
  "- describe() says no "response" (null for none) of "PUT user-list", "GET user-detail", "POST user-detail", "PUT user-detail", "PATCH user-detail", "DELETE user-detail", "POST other".",
  "- describe() says no "body" (null for none) of "PUT user-list", "POST user-detail", "PUT user-detail", "PATCH user-detail".",
  "- the schema "User" of "POST user-list" differs from that of "POST other".",
  "- the "newer" of the shape "User" in version 'v2' ("A.") is not its "older" in version 'v2': they differ at "/properties/id/type".",
  "- the change "B." speaks of the shape "Usr", which no description and no "older" has. Did you mean "User"?",
  "- the shape "User" of the change "B." has no "request", but stands in the body of "POST user-list", the body of "POST other", the body of "PATCH other".",
  "- the shape "User" of the change "A." has no "response", but stands in the answer 200 of "GET other".",
  "- the shape "User" of the change "B." has no "response", but stands in the answer 200 of "GET other".",
  "- the change "B." of version 'v2' has an own "response", but no { older: { response } } that says where changed shapes ("User") stand before, for the answer 200 of "GET other".",
  "- the change "C." of version 'v2' has an own "request", but no { older: { body } } that says where changed shapes ("User") stand before, for the body of "PATCH other".",
  "- describe() says what changes of shapes say, and could only contradict: "versions.v1.body" of "PATCH other".",
]
`)
})

test('by hand, the schemas of shapes say what is inside; a shape comes and goes', () => {
  const tag = object({ label: text }, { required: ['label'] })
  const post = (properties: object) => ({ $id: 'Post', ...object(properties), $defs: { User: user, Tag: tag } })
  const Tag = shape<string, { label: string }>(text, tag, { response: ({ label }) => label })
  const untagged = shape<object, object>(
    {
      title: 'Older',
      $ref: '#/$defs/Own',
      $defs: { User: user, Tag: tag, Own: object({ tags: array(ref('Tag')), by: U, post: ref('Own') }) },
    },
    post({ by: U, post: { $ref: '#' } }),
    { response: (value) => ({ ...value, tags: [{ label: 'none' }] }) },
  )
  const old = shape<object, object>(user, user, { response: (value) => ({ ...value, old: 3 }) })
  const history = historyOf(
    [change('Tags.', { Tag })],
    [change('No tags.', { Post: untagged })],
    [change('More.', { User: old })],
  )
  const given = { by: NEW, post: { by: null } }
  expect(history.versions.map((version) => history.shape('Post', given, version))).toEqual([
    { by: { id: '1', old: 3 }, tags: ['none'], post: { by: null, tags: ['none'] } },
    { by: { id: '1', old: 3 }, tags: [{ label: 'none' }], post: { by: null, tags: [{ label: 'none' }] } },
    { by: { id: '1', old: 3 }, post: { by: null } },
    given,
  ])
  expect(history.shape('Post', given, 'v4')).toBe(given)
  expect(history.shape('User', NEW, 'v3')).toEqual({ id: '1', old: 3 })
  const without = historyOf([change('X.', { User: shape(user, user, {}) })])
  expect(without.shape('User', NEW, 'v2')).toBe(NEW)
  const missing = 'shape(): the shape "User" of the change "X." has no "response", but stands in "User".'
  for (const [of, name, value, version, message] of [
    [history, 'Pst', {}, 'v1', 'shape(): the history has no shape \'Pst\'. Did you mean "Post"?'],
    [history, 'Post', {}, 'v', 'shape(): the history has no version \'v\'. Did you mean "v1" or "v2" or "v3"?'],
    [history, 'Post', () => 1, 'v1', 'shape() takes a body that JSON can express; got [Function (anonymous)].'],
    [without, 'User', {}, 'v1', missing],
  ] as const) {
    expect(() => of.shape(name, value, version)).toThrow(new TypeError(message))
  }
  // Without a table, operations have their own steps alone; with one, their shapes too.
  const steps = historyOf([
    change('X.', {
      User,
      'GET other': {
        response: (value: object) => ({ of: value }),
        older: { response: object({ of: U }, { $defs: { User: oldUser } }) },
      },
    }),
  ])
  expect(steps.response('GET other', NEW, 'v1')).toEqual({ of: NEW })
  const routes = tableOf()
  answering(U)(routes)
  versioning({ scheme: HeaderVersioning, changes: steps, routes })
  expect(steps.response('GET other', NEW, 'v1')).toEqual({ of: OLD })
})

const SCHEMA = 'takes JSON Schema 2020-12'
test.each<[make: () => unknown, message: string]>([
  [() => shape('user' as never, user, {}), `shape(): option "older" ${SCHEMA}`],
  [() => shape(user, undefined as never, {}), `shape(): option "newer" ${SCHEMA}`],
  [() => shape(user, user, { response: 1 } as never), 'shape(): option "response" takes a function; got 1.'],
  [() => shape(user, user, { query: String } as never), 'shape(): unknown option "query".'],
  [
    () => change('X.', { 'GET other': User } as never),
    'change(): the change "X.": "GET other": unknown option "newer".',
  ],
  [() => change('X.', { '*': User } as never), 'change(): the change "X.": "*": unknown option "older".'],
  [() => change('X.', { User: {} } as never), 'change(): the change "X." takes an operation'],
  [() => change('X.', { 'GET a': { older: { body: 7 } } } as never), `"GET a": option "older.body" ${SCHEMA}`],
  [() => change('X.', { 'GET a': { older: { query: null } } } as never), `"GET a": option "older.query" ${SCHEMA}`],
  [
    () => change('X.', { 'GET a': { older: { response: { 200: 7 } } } } as never),
    `"GET a": option "older.response" ${SCHEMA}`,
  ],
  [
    () => change('X.', { 'GET a': { older: { reponse: {} } } } as never),
    '"GET a": "older": unknown option "reponse". Did you mean "response"?',
  ],
])('a mistake is told where it is written: %#', (make, message) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})
