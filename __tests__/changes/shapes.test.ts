import express, { Router } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { type Change, change, shape } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { ask, historyOf, tableOf } from '../support/changes'
import { serve } from '../support/serve'
import { serveShapes } from '../support/shapes'

type Table = ReturnType<typeof tableOf>

const User = z.object({ id: z.string(), given: z.string(), family: z.string() }).meta({ id: 'User' })
const UserV1 = z.object({ id: z.string(), name: z.string() })
const Post = z
  .object({ id: z.string(), author: User, likedBy: z.array(User), reviewer: User.nullable(), editor: User.optional() })
  .meta({ id: 'Post' })
const splitName = change('Users have `given` and `family` in place of `name`.', {
  User: shape(UserV1, User, {
    response: ({ id, given, family }) => ({ id, name: `${given} ${family}` }),
    request: ({ id, name }) => {
      const [given = '', family = ''] = name.split(' ')
      return { id, given, family }
    },
  }),
})

const ADA = { id: '1', given: 'Ada', family: 'Lovelace' }
const BOB = { id: '2', given: 'Bob', family: 'Martin' }
const OLD_ADA = { id: '1', name: 'Ada Lovelace' }
const OLD_BOB = { id: '2', name: 'Bob Martin' }
const POST = { id: 'p', author: ADA, likedBy: [ADA, BOB], reviewer: null }
const OLD_POST = { id: 'p', author: OLD_ADA, likedBy: [OLD_ADA, OLD_BOB], reviewer: null }

test('a shape is converted wherever it stands, in answers and bodies, and the newest version is untouched', async () => {
  const bodies: unknown[] = []
  const served = await serveShapes(historyOf([splitName]), (table) => {
    table.describe('GET user-list', { response: z.object({ data: z.array(Post) }) })
    table.describe('POST user-list', { response: { 201: Post, 400: z.object({ of: User }), 204: null }, body: Post })
    table.describe('GET other', { response: z.string() })
    const posts = table.route('user-list')
    posts.get((_req, res) => res.json({ data: [POST, POST] }))
    posts.post((req, res) => {
      bodies.push(req.body)
      if (req.query.bad !== undefined) res.status(400).json({ of: ADA })
      else if (req.query.none !== undefined) res.status(204).end()
      else res.status(201).json(req.body)
    })
    table.route('other').get((_req, res) => res.json(ADA))
  })
  const body = { method: 'POST', body: OLD_POST }
  expect((await ask(served, 'v1', '/users')).json).toEqual({ data: [OLD_POST, OLD_POST] })
  expect((await ask(served, 'v2', '/users')).json).toEqual({ data: [POST, POST] })
  expect((await ask(served, 'v1', '/users', body)).json).toEqual(OLD_POST)
  expect((await ask(served, 'v1', '/users?bad', body)).json).toEqual({ of: OLD_ADA })
  expect((await ask(served, 'v1', '/users?none', body)).status).toBe(204)
  expect(bodies).toEqual([POST, POST, POST])
  // No schema says that a user stands there.
  expect((await ask(served, 'v1', '/other')).json).toEqual(ADA)
})

const array = { type: 'array' } as const
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const user = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const $defs = { User: user }
const passing = { response: (value: unknown) => value, request: (value: unknown) => value }
const same = shape(user, user, passing)
const renamed = change('Users are renamed.', { User: same })

test.each<[title: string, schema: object, value: unknown]>([
  ['a list in place of the shape', ref('User'), [ADA]],
  ['a text in place of the shape', ref('User'), 'Ada'],
  ['an object in place of the list on the way', { ...array, items: ref('User') }, { 0: ADA }],
  ['a list in place of the object on the way', { type: 'object', properties: { user: ref('User') } }, [ADA]],
  ['a text within', { type: 'object', additionalProperties: { ...array, items: ref('User') } }, { a: [ADA, 'Bob'] }],
  ['a number where the union has none', { anyOf: [ref('User'), { type: 'string' }] }, 7],
  ['a text with a status that nobody described', { properties: {}, ...ref('User') }, undefined],
  [
    'no branch with the property',
    {
      oneOf: ['a', 'b'].map((kind) => ({
        type: 'object',
        properties: { kind: { const: kind }, user: ref('User') },
        required: ['kind'],
      })),
    },
    { kind: 'c', user: ADA },
  ],
  [
    'a name of two patterns with different shapes',
    { patternProperties: { '^a': ref('User'), b$: { ...array, items: ref('User') } } },
    { ab: ADA },
  ],
])('what the description does not allow is not sent to older versions: %s', async (_title, schema, value) => {
  const served = await serveShapes(historyOf([renamed]), (table) => {
    table.describe('GET other', { response: { ...schema, $defs } })
    table.describe('PUT other', { response: true, body: { ...schema, $defs } })
    table
      .route('other')
      .get((_req, res) => (value === undefined ? res.status(203).json(ADA) : res.json(value)))
      .put((req, res) => res.json(req.body))
  })
  expect((await ask(served, 'v1', '/other')).json).toMatchObject({ code: 'ERR_VERSION_CHANGE' })
  expect((await ask(served, 'v2', '/other')).json).toEqual(value ?? ADA)
  if (value === undefined) return
  const put = await ask(served, 'v1', '/other', { method: 'PUT', body: JSON.stringify(value) })
  expect([put.status, put.json]).toEqual([
    400,
    { error: 'The request does not fit its version.', code: 'ERR_VERSION_BODY', name: 'VersioningError' },
  ])
})

test.each<[title: string, steps: object, failed: string]>([
  ['undefined', { response: () => undefined }, 'returned undefined, which JSON cannot express'],
  ['a promise', { response: () => Promise.reject(new Error('late')) }, 'returned a promise, but steps are synchronous'],
  [
    'a value that JSON cannot say within',
    { response: () => ({ at: Number.NaN }) },
    'returned a value that JSON cannot express',
  ],
  [
    'nothing, because it throws',
    {
      response() {
        throw new Error('x')
      },
    },
    'threw',
  ],
])('a step of a shape that gives %s is told by its name', async (_title, steps, failed) => {
  const served = await serveShapes(historyOf([change('X.', { User: shape(user, user, steps) })]), (table) => {
    table.describe('GET other', { response: { ...array, items: ref('User'), $defs } })
    table.route('other').get((_req, res) => res.json([ADA]))
  })
  const { status, json } = await ask(served, 'v1', '/other')
  expect([status, json]).toEqual([
    500,
    { error: `The change "X." failed: its "response" of "User" ${failed}.`, code: 'ERR_VERSION_CHANGE', name: 'Error' },
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

const handler = (table: Table, method: 'get' | 'post' = 'get') => table.route('other')[method]((_req, res) => res.end())
const answering = (schema: object) => (table: Table) => {
  table.describe('GET other', { response: { ...schema, $defs } })
  handler(table)
}
const inOther = (reason: string) => `versioning(): the shape "User" cannot be converted ${reason}.`

test.each<[title: string, schema: object, message: string]>([
  [
    'allOf',
    { allOf: [ref('User')] },
    inOther('at "/allOf/0" of the answer 200 of "GET other": values do not show "allOf"'),
  ],
  [
    'contains, deep within',
    { ...array, items: { properties: { a: { contains: { not: ref('User') } } } } },
    inOther('at "/items/properties/a/contains" of the answer 200 of "GET other": values do not show "contains"'),
  ],
  ['if', { if: ref('User') }, inOther('at "/if" of the answer 200 of "GET other": values do not show "if"')],
  [
    'a branch like another',
    { anyOf: [ref('User'), { type: 'object' }] },
    inOther(
      'at "/anyOf" of the answer 200 of "GET other": its branch cannot be told from another one, by the JSON type or by a property with one value',
    ),
  ],
  [
    'two schemas of one value',
    { properties: { a: ref('User') }, ...ref('User') },
    inOther('in the answer 200 of "GET other": several schemas speak of one value'),
  ],
])('a place where values do not show a shape is told: %s', (_title, schema, message) => {
  expect(told([renamed], answering(schema))).toBe(message)
})

test('operations that came later are not answered in the newest shape; plain routers and neutral routes are not looked at', async () => {
  const bodies: unknown[] = []
  const served = await serveShapes(
    historyOf([splitName]),
    (table) => {
      table.describe('GET user-list', { response: z.array(User) })
      table.route('user-list').get((_req, res) => res.json([ADA]))
      table.route('user-detail').get((_req, res) => res.json(ADA))
      table.use(
        '/plain',
        Router().get('/', (_req, res) => res.json(ADA)),
      )
      // Handlers that nobody knows when versioning() is called.
      process.nextTick(() => {
        table
          .route('other')
          .get((_req, res) => res.json(ADA))
          .post((req, res) => {
            bodies.push(req.body)
            res.json(req.body)
          })
        table.route('user-list').patch((_req, res) => res.status(404).json({ given: 'none' }))
      })
    },
    { neutral: ['user-detail'] },
  )
  const asked = async (method: string, path: string, version = 'v1') => {
    const { status, json } = await ask(served, version, path, {
      method,
      ...(method === 'GET' ? {} : { body: OLD_ADA }),
    })
    return [status, (json as { code?: string }).code ?? json]
  }
  expect(await asked('GET', '/users')).toEqual([200, [OLD_ADA]])
  expect(await asked('GET', '/other')).toEqual([500, 'ERR_VERSION_CHANGE'])
  expect(await asked('POST', '/other')).toEqual([500, 'ERR_VERSION_CHANGE'])
  expect(await asked('PATCH', '/users')).toEqual([500, 'ERR_VERSION_CHANGE'])
  expect(bodies).toEqual([])
  expect(await asked('GET', '/other', 'v2')).toEqual([200, ADA])
  expect(await asked('PATCH', '/users', 'v2')).toEqual([404, { given: 'none' }])
  expect(await asked('GET', '/users/7')).toEqual([200, ADA])
  expect(await asked('GET', '/plain')).toEqual([200, ADA])
})

test('the own steps of an operation say what its bodies were, by the older status; documents say it too', async () => {
  const ListV1 = { type: 'object', properties: { items: { ...array, items: ref('User') } }, required: ['items'], $defs }
  const enveloped = change('Lists are plain, and a new one is 201.', {
    'POST user-list': {
      request: ({ items }: { items: unknown[] }) => items,
      response: (items: unknown[]) => ({ items }),
      status: { 201: 200 },
      older: { body: ListV1, response: { 200: ListV1 }, query: { type: 'object', properties: { max: {} } } },
    },
  })
  const routes = tableOf()
  const list = z.array(User)
  routes.describe('POST user-list', { response: { 201: list }, body: list })
  routes.route('user-list').post((req, res) => res.status(201).json(req.body))
  const history = historyOf([splitName], [enveloped])
  const options = { scheme: HeaderVersioning, changes: history, routes }
  const served = await serve((app) => app.use(versioning(options), express.json(), routes))
  const answers = await Promise.all(
    [{ items: [OLD_ADA] }, { items: [ADA] }, [ADA]].map((body, index) =>
      ask(served, `v${index + 1}`, '/users', { method: 'POST', body }),
    ),
  )
  expect(answers.map(({ status, json }) => [status, json])).toEqual([
    [200, { items: [OLD_ADA] }],
    [200, { items: [ADA] }],
    [201, [ADA]],
  ])
  expect(history.response('POST user-list', [ADA], 'v1')).toEqual({ items: [OLD_ADA] })
  const documents = openapi(options)
  const told = ['v1', 'v2', 'v3'].map((version) => {
    const { paths, components } = documents.document(version)
    const { requestBody, responses, parameters } = paths['/users']?.post ?? { responses: {} }
    const schemaOf = (of: unknown) =>
      (of as { content: Record<string, { schema: { type: string } }> }).content['application/json']
    return {
      body: schemaOf(requestBody)?.schema.type,
      answers: Object.entries(responses).map(([status, answer]) => [status, schemaOf(answer)?.schema.type]),
      query: parameters?.some(({ name }) => name === 'max'),
      user: Object.keys((components?.schemas?.User as unknown as { properties: object } | undefined)?.properties ?? {}),
    }
  })
  const older = { body: 'object', answers: [['200', 'object']], query: true }
  expect(told).toEqual([
    { ...older, user: ['id', 'name'] },
    { ...older, user: ['id', 'given', 'family'] },
    { body: 'array', answers: [['201', 'array']], query: false, user: ['id', 'given', 'family'] },
  ])
})

test('all that is forgotten is told at once', () => {
  const older = { ...user, properties: { id: { type: 'number' } } }
  const message = told(
    [
      change('A.', { User: shape(user, older, { request: (value) => value }) }),
      change('B.', { User: shape(user, user, {}), Usr: same, 'GET other': { response: (value) => value } }),
    ],
    (table) => {
      table.describe('GET other', { response: { 200: { ...ref('User'), $defs }, '2XX': true } })
      table.describe('POST other', { body: { ...ref('User'), $defs: { User: { type: 'object' } } } })
      table.describe('POST user-list', { response: z.object({ at: z.date() }), body: { ...ref('User'), $defs } })
      table.describe('PATCH other', {
        response: null,
        body: { ...ref('User'), $defs },
        versions: { v1: { body: user, summary: 'Old' } },
      })
      handler(table)
      handler(table, 'post')
      table.route('other').patch((_req, res) => res.end())
      table
        .route('user-list')
        .post((_req, res) => res.end())
        .put((_req, res) => res.end())
    },
  )
  expect(message.split('\n')).toEqual([
    'versioning(): 11 things do not fit in the shapes of "changes":',
    expect.stringMatching(/^- the "response" of "POST user-list" cannot be expressed in JSON Schema: Date/),
    '- the schema "User" of "POST user-list" differs from that of "POST other".',
    '- describe() says no "response" (null for none) of "PUT user-list", "POST other".',
    '- describe() says no "body" (null for none) of "PUT user-list".',
    '- the "newer" of the shape "User" in version \'v2\' ("A.") is not its "older" in version \'v2\': they differ at "/properties/id/type".',
    '- the change "B." speaks of the shape "Usr", which no description and no "older" has. Did you mean "User"?',
    '- describe() says what changes of shapes say, and could only contradict: "versions.v1.body" of "PATCH other".',
    '- the shape "User" of the change "B." has no "request", but stands in the body of "POST user-list", the body of "POST other", the body of "PATCH other".',
    '- the shape "User" of the change "A." has no "response", but stands in the answer 200 of "GET other".',
    '- the shape "User" of the change "B." has no "response", but stands in the answer 200 of "GET other".',
    '- the change "B." of version \'v2\' has an own "response", but no { older: { response } } that says where changed shapes ("User") stand before, for the answer 200 of "GET other".',
  ])
})

test('by hand, the schemas of shapes say what is inside; a shape comes and goes', () => {
  const text = { type: 'string' }
  const tag = { type: 'object', properties: { label: text }, required: ['label'] }
  const post = (properties: object) => ({ $id: 'Post', type: 'object', properties, $defs: { ...$defs, Tag: tag } })
  const tags = { tags: { ...array, items: ref('Tag') } }
  const history = historyOf(
    [
      change('Tags are objects.', {
        Tag: shape<string, { label: string }>(text, tag, { response: ({ label }) => label }),
      }),
    ],
    [
      change('A post has no tags any more.', {
        Post: shape<object, object>(post({ ...tags, by: ref('User') }), post({ by: ref('User') }), {
          response: (value) => ({ ...value, tags: [{ label: 'none' }] }),
        }),
      }),
    ],
    [
      change('Users say more.', {
        User: shape<object, object>(user, user, { response: (value) => ({ ...value, old: 3 }) }),
      }),
    ],
  )
  const given = { by: { id: '1' } }
  const versions = ['v1', 'v2', 'v3', 'v4']
  expect(versions.map((version) => history.shape('Post', given, version))).toEqual([
    { by: { id: '1', old: 3 }, tags: ['none'] },
    { by: { id: '1', old: 3 }, tags: [{ label: 'none' }] },
    { by: { id: '1', old: 3 } },
    given,
  ])
  expect(history.shape('Post', given, 'v4')).toBe(given)
  expect(history.shape('User', { id: '2' }, 'v3')).toEqual({ id: '2', old: 3 })
  for (const [name, value, version, message] of [
    ['Pst', {}, 'v1', 'shape(): the history has no shape \'Pst\'. Did you mean "Post"?'],
    ['Post', {}, 'v', 'shape(): the history has no version \'v\'. Did you mean "v1" or "v2" or "v3"?'],
    ['Post', () => 1, 'v1', 'shape() takes a body that JSON can express; got [Function (anonymous)].'],
  ] as const) {
    expect(() => history.shape(name, value, version)).toThrow(new TypeError(message))
  }
  const without = historyOf([change('X.', { User: shape(user, user, {}) })])
  expect(() => without.shape('User', {}, 'v1')).toThrow(
    new TypeError('shape(): the shape "User" of the change "X." has no "response", but stands in "User".'),
  )
  expect(without.shape('User', ADA, 'v2')).toBe(ADA)
})

test.each<[title: string, make: () => unknown, message: string]>([
  ['a text as a schema', () => shape('user' as never, user, {}), 'shape(): option "older" takes JSON Schema 2020-12'],
  ['no schema', () => shape(user, undefined as never, {}), 'shape(): option "newer" takes JSON Schema 2020-12'],
  [
    'a step that is none',
    () => shape(user, user, { response: 1 } as never),
    'shape(): option "response" takes a function',
  ],
  ['a step of another kind', () => shape(user, user, { query: String } as never), 'shape(): unknown option "query".'],
  [
    'a shape for an operation',
    () => change('X.', { 'GET other': same } as never),
    'change(): the change "X.": "GET other": unknown option "newer".',
  ],
  ['a name without a shape', () => change('X.', { User: {} } as never), 'change(): the change "X." takes an operation'],
  [
    'an older body that is no schema',
    () => change('X.', { 'GET other': { older: { body: 7 } } } as never),
    'change(): the change "X.": "GET other": option "older.body" takes JSON Schema 2020-12',
  ],
])('%s is refused where it is written', (_title, make, message) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})

test('a side that JSON Schema cannot say is told where it is needed, and only there', () => {
  const dated = change('X.', {
    User: shape(z.object({ at: z.date() }), user, passing as never),
    'GET other': { older: { response: z.object({ at: z.date() }) } },
  })
  const message = told([dated], answering(ref('User')))
  expect(message.split('\n').slice(1)).toEqual([
    expect.stringContaining(
      'the "older" "response" of "GET other" in the change "X." cannot be expressed in JSON Schema: Date',
    ),
    expect.stringMatching(
      /of the shape "User" of the change "X\.", its "older" cannot be expressed in JSON Schema: Date.*"GET other"/,
    ),
  ])
  const elsewhere = change('X.', {
    Other: shape(z.object({ at: z.date() }), z.object({ at: z.date() }), {}),
    User: same,
  })
  expect(told([elsewhere], answering(ref('User')))).toBe(
    'versioning(): the change "X." speaks of the shape "Other", which no description and no "older" has.',
  )
})

test('several changes of one shape are one visit; null ends them, and each checks its own type', async () => {
  const step = (index: number) => (value: unknown) =>
    value === 'end' ? null : value === 'list' ? [] : `${value}${index}`
  const text = { $id: 'Text', type: 'string' }
  const changes = [3, 2, 1].map((index) => [
    change(`Change ${index}.`, { Text: shape(text, text, { response: step(index) }) }),
  ])
  const served = await serveShapes(historyOf(...changes), (table) => {
    table.describe('GET other', { response: { ...array, items: text } })
    table.route('other').get((req, res) => res.json([String(req.query.text), null]))
  })
  const asked = async (said: string, version: string) => (await ask(served, version, `/other?text=${said}`)).json
  expect(await asked('a', 'v1')).toEqual(['a123', null])
  expect(await asked('a', 'v2')).toEqual(['a12', null])
  expect(await asked('a', 'v4')).toEqual(['a', null])
  expect(await asked('end', 'v1')).toEqual([null, null])
  expect(await asked('list', 'v3')).toEqual([[], null])
  expect(await asked('list', 'v1')).toMatchObject({ code: 'ERR_VERSION_CHANGE' })
})
