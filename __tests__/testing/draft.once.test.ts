import { draftHistory } from 'express-versioning/testing'
import { differencesOf } from '../../src/openapi/meaning/documents'
import { alone, type Document, drafted, givenBy } from '../support/drafts'

type Json = { readonly [key: string]: unknown }

const text = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const object = (properties: Json, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
})
const id = { name: 'id', in: 'path', required: true, schema: text }

/** Makes a document of an API with one shape, in a body and in a response. */
function documentOf(
  version: string,
  user: unknown,
  more: { paths?: Json; schemas?: Json; rest?: Json } = {},
): Document {
  return {
    openapi: '3.1.0',
    info: { title: 'Shop', version },
    paths: {
      '/users': {
        post: {
          requestBody: { required: true, ...json(ref('User')) },
          responses: { 201: { description: 'Made.', ...json(ref('User')) } },
        },
      },
      ...more.paths,
    },
    components: { schemas: { User: user, ...more.schemas } },
    ...more.rest,
  } as unknown as Document
}

/** Drafts the history of two documents, of which the older one must be what the draft gives. */
function complete(older: Document, newer: Document): string {
  const written = draftHistory([older, newer])
  expect(written).toContain('The draft is complete')
  expect(differencesOf(alone(older), givenBy(drafted(written), newer, older.info.version))).toEqual([])
  return written
}

const enumOf = (...values: readonly string[]) => ({ type: 'string', enum: values })
const money = object({ amount: { type: 'integer' } }, ['amount'])

test.each<[option: string, older: unknown, newer: unknown, written: RegExp]>([
  [
    'renamed',
    object({ id: text, name: { type: 'integer' } }),
    object({ id: text, title: { type: 'integer' } }),
    /renamed: \{\s+\/\/ A guess: .*\n\s+name: 'title'/,
  ],
  [
    'removed',
    object({ id: text, sales: { type: 'integer', default: 0 } }, ['id', 'sales']),
    object({ id: text }, ['id']),
    /sales: \{ schema: \{ type: 'integer', default: 0 \}, value: 0 \}/,
  ],
  [
    'removed, optional',
    object({ id: text, sales: { ...money, dependencies: { amount: ['tax'] } } }, ['id']),
    object({ id: text }, ['id']),
    /dependencies: \{ amount: \['tax'\] \}[\s\S]*optional: true,\s+value: \(\) => undefined/,
  ],
  ['added', object({ id: text }), object({ id: text, note: text }), /fields\(\{ added: \['note'\] \}\)/],
  [
    'added, required',
    object({ id: text }),
    object({ id: text, note: { const: 'x' }, only: enumOf('y'), more: text }, ['note', 'only']),
    /added: \{ note: 'x', only: 'y', more: undefined \}/,
  ],
  [
    'added, by an example',
    object({ id: text }),
    object({ id: text, note: { type: 'string', examples: ['x'] } }, ['note']),
    /\/\/ A guess: .* is the example\.\n\s+note: 'x'/,
  ],
  [
    'values with a default',
    object({ tier: { ...enumOf('a', 'b', 'x'), default: 'b' } }),
    object({ tier: { ...enumOf('a', 'b', 'c', 'd'), default: 'a' } }),
    /response: \(value\) => \(\['c', 'd'\]\.includes\(value\) \? 'b' : value\),\s+request: \(value\) => \(\['x'\]\.includes\(value\) \? 'a' : value\)/,
  ],
  [
    'values, one left',
    object({ tier: enumOf('a') }),
    object({ tier: enumOf('a', 'b') }),
    /values: \{ tier: \{ b: 'a' \} \}/,
  ],
  [
    'removedValues',
    object({ tier: enumOf('a', 'b') }),
    object({ tier: enumOf('a') }),
    /removedValues: \{ tier: \{ b: 'a' \} \}/,
  ],
  [
    'renamedValues',
    object({ tier: enumOf('a', 'on') }),
    object({ tier: enumOf('a', 'active') }),
    /renamedValues: \{\s+tier: \{\s+\/\/ A guess.*\n\s+on: 'active'/,
  ],
  [
    'nested',
    object({ id: text, email: text, phone: money }, ['id', 'email']),
    object({ id: text, contact: object({ email: text, phone: money }, ['email']) }, ['id', 'contact']),
    /nested: \{\s+\/\/ A guess.*\n\s+contact: \['email', 'phone'\]/,
  ],
  [
    'required',
    object({ id: text, note: { type: 'string', default: '' } }, ['id']),
    object({ id: text, note: { type: 'string', default: '' } }, ['id', 'note']),
    /required: \{ note: '' \}/,
  ],
  [
    'optional',
    object({ id: text, note: { type: 'string', default: '' } }, ['id', 'note']),
    object({ id: text, note: { type: 'string', default: '' } }, ['id']),
    /optional: \{ note: '' \}/,
  ],
  [
    'listed',
    object({ author: money }, []),
    object({ authors: { type: 'array', items: money } }),
    /listed: \{\s+\/\/ A guess.*\n\s+author: 'authors'/,
  ],
  [
    'listed under its name',
    object({ author: money }, []),
    object({ author: { type: 'array', items: money } }),
    /listed: \{ author: 'author' \}/,
  ],
  [
    'odd names',
    object({ id: text, "it's": text }),
    object({ id: text, 'it\u202es': text }),
    /"?it's"?: "?'?it\\u202es/,
  ],
])('what fields() can say is said: %s', (_, older, newer, written) => {
  expect(complete(documentOf('1', older), documentOf('2', newer))).toMatch(written)
})

test.each<[what: string, older: unknown, newer: unknown, written: RegExp]>([
  [
    'a value for responses',
    object({ a: text, b: text }, ['a', 'b']),
    object({ b: text }, ['b']),
    /a: \{ schema: \{ type: 'string' \}, value: \(\) => todo\('User: the value of "a" in responses'\) \}/,
  ],
  [
    'a value for bodies',
    object({}),
    object({ a: text }, ['a']),
    /added: \{ a: todo\('User: the value of "a" for bodies of older clients'\) \}/,
  ],
  [
    'a value for bodies without one',
    object({ a: text, b: text }, ['b']),
    object({ a: text, b: text }, ['a', 'b']),
    /required: \{ a: \(\) => todo\(/,
  ],
  [
    'a value for responses without one',
    object({ a: text, b: text }, ['a', 'b']),
    object({ a: text, b: text }, ['b']),
    /optional: \{ a: \(\) => todo\(/,
  ],
  [
    'older values',
    object({ a: enumOf('x', 'y') }),
    object({ a: enumOf('x', 'y', 'z') }),
    /values: \{ a: \{ z: todo\('User: the "a" that older clients get instead of "z"'\) \} \}/,
  ],
  [
    'newer values',
    object({ a: enumOf('x', 'y', 'z') }),
    object({ a: enumOf('x', 'y') }),
    /removedValues: \{ a: \{ z: \(\) => todo\(/,
  ],
  [
    'another type',
    object({ a: text }),
    object({ a: { type: 'integer' } }),
    /converted: \{\s+a: \{\s+schema: \{ type: 'string' \},\s+response: \(\) => todo\(.*\),\s+request: \(\) => todo\(/,
  ],
  [
    'what is no object',
    enumOf('x'),
    enumOf('y'),
    /User: shape\(\{ type: 'string', enum: \['x'\] \}, \{\s+response: \(\) => todo\(.*\),\s+request: \(\) => todo\(/,
  ],
  ['what fields() does not reach', { ...object({ a: text }), minProperties: 1 }, object({ b: text }), /User: shape\(/],
  [
    'a partial shape that required something',
    object({ a: text, b: text }, ['a']),
    object({ a: text, b: text }),
    /User: shape\(/,
  ],
])('what no document says is left to do: %s', (_, older, newer, written) => {
  const text = draftHistory([documentOf('1', older), documentOf('2', newer)])
  expect(text).toMatch(/is not complete: it has \d todo\(\)\.$/m)
  expect(text).toMatch(written)
  expect(text).toContain('function todo(what) {')
  // Values that must be there stop the module when it is loaded; steps fail when they run.
  if (/: todo\(/.test(text)) expect(() => drafted(text)).toThrow('To do: User: ')
  else
    expect(differencesOf(alone(documentOf('1', older)), givenBy(drafted(text), documentOf('2', newer), '1'))).toEqual(
      [],
    )
})

const User = object({ id: text }, ['id'])
const get = (schema: unknown, more: Json = {}) => ({
  get: { responses: { 200: { description: 'Done.', ...json(schema) } }, ...more },
})
const query = (...names: readonly string[]) => ({
  parameters: names.map((name) => ({ name, in: 'query', schema: { type: 'integer' } })),
})
const withPaths = (version: string, paths: Json, schemas: Json = {}) => documentOf(version, User, { paths, schemas })

test.each<[what: string, older: Json, newer: Json, written: RegExp]>([
  ['a new operation', {}, { '/a/{id}': { parameters: [id], ...get(User) } }, /'GET \/a\/\{id\}': 'added'/],
  [
    'a status',
    { '/a': { put: { responses: { 200: { description: '', ...json(ref('User')) } } } } },
    { '/a': { put: { responses: { 202: { description: '', ...json(ref('User')) } } } } },
    /\/\/ A guess: 202 was 200\.\n\s+status: \{ 202: 200 \}/,
  ],
  [
    'a name for a schema',
    { '/a': get(User) },
    { '/a': get(ref('User')) },
    /versionHistory\('1'\)\n {2}\.version\('2'\)/,
  ],
  [
    'a new parameter',
    { '/a': get(User, query('page')) },
    { '/a': get(User, query('page', 'limit')) },
    /query: \(\{ limit: _0, \.\.\.others \}\) => others/,
  ],
  [
    'a parameter with another name',
    { '/a': get(User, query('page')) },
    { '/a': get(User, query('p')) },
    /\/\/ A guess: "page" and "p".*\n\s+query: \(\{ p: _0, page: _1, \.\.\.others \}\) => \(\{ \.\.\.others, \.\.\.\(_1 !== undefined && \{ p: _1 \}\) \}\)/,
  ],
  [
    'a property of a response',
    { '/a': get(object({ a: text }, ['a'])) },
    { '/a': get(object({ a: text, b: money }, ['a', 'b'])) },
    /response: \(\{ b: _0, \.\.\.others \}\) => others/,
  ],
])('operations are said: %s', (_, older, newer, written) => {
  expect(complete(withPaths('1', older), withPaths('2', newer))).toMatch(written)
})

test("an operation that today's document lacks is put into the table, with the shapes that it alone has", () => {
  const Old = object({ user: ref('User'), inner: ref('Inner') }, ['user'])
  const Inner = object({ old: ref('Old'), it: text })
  const page = { name: 'page', in: 'query', schema: { type: 'integer' } }
  const own = get(ref('Old'), { parameters: [{ $ref: '#/components/parameters/page' }] })
  const item = { parameters: [id, { ...page, schema: text }], ...own }
  const post = { post: { responses: { 204: { description: 'Done.' } } } }
  const older = documentOf('1', object({ id: text, name: text }), {
    paths: { '/old/{id}': { ...item, ...post }, '/gone': { get: { responses: { 204: { description: '' } } } } },
    schemas: { Old, Inner },
  })
  Object.assign((older as unknown as { components: object }).components, { parameters: { page } })
  const newer = documentOf('2', object({ id: text, name: text, more: text }), {
    paths: { '/old/{id}': { parameters: [id], ...post } },
  })
  const written = complete(older, newer)
  expect(written).toContain("'GET /old/{id}': 'removed'")
  expect(written).toContain('routes: routesOf(withRemoved(document))')
})

test('a chain of documents is one history: each version means what its document says', () => {
  const [first, second, third] = [
    documentOf('1', object({ id: text, name: text }), {
      paths: { '/a': get(ref('User')), '/b': get(ref('User')), '/c': get(ref('User')) },
    }),
    documentOf('2', object({ id: text, title: text }), { paths: { '/b': get(ref('User')) } }),
    documentOf('3', object({ id: text, title: text, more: text }), { paths: { '/a': get(ref('User')) } }),
  ]
  const written = draftHistory([first, second, third])
  expect(written).toContain('The draft is complete')
  const module = drafted(written)
  for (const one of [first, second])
    expect(differencesOf(alone(one), givenBy(module, third, one.info.version))).toEqual([])
})

test('documents need no components', () => {
  const plain = (version: string, paths: Json) =>
    ({ openapi: '3.1.0', info: { title: 'Shop', version }, paths }) as unknown as Document
  const [older, newer] = [plain('1', { '/a': get(text), '/b': get(text) }), plain('2', { '/b': get(text) })]
  expect(complete(older, newer)).toContain("'GET /a': 'removed'")
})

test('a schema that later documents lack is written where it was', () => {
  const Address = object({ street: text, near: { type: 'array', items: ref('Address') } })
  const list = { $ref: '#/components/responses/Bare/content/application~1json/schema' }
  const bare = { Bare: { description: '', content: { 'application/json': { schema: object({ bare: text }) } } } }
  const older = documentOf('1', object({ id: text, address: ref('Address'), bare: list, more: list }, ['id']), {
    schemas: { Address },
  })
  Object.assign((older as unknown as { components: object }).components, { responses: bare })
  const written = complete(older, documentOf('2', object({ id: text }, ['id'])))
  expect(written).toContain("$ref: '#/$defs/Address'")
})

test('a shape asks only for the values of its side', () => {
  const paths = (name: string, more: Json = {}) => ({
    '/a': {
      put: {
        requestBody: { required: true, ...json(ref('In')) },
        responses: { 200: { description: '', ...json(ref(name)) } },
        ...more,
      },
    },
  })
  const fields = { a: enumOf('x', 'y'), b: text, c: text, d: { type: 'integer' }, e: text, i: text }
  const older = object({ ...fields, g: money }, ['b', 'g', 'i'])
  const newer = object({ ...fields, a: enumOf('x', 'y', 'z'), d: { type: 'boolean' }, f: { type: 'number' } }, [
    'c',
    'f',
    'i',
  ])
  const back = object({ ...fields, a: enumOf('y'), b: text }, ['b', 'i'])
  const draft = (one: unknown, other: unknown) =>
    draftHistory([
      withPaths('1', paths('Out'), { In: one, Out: one }),
      withPaths('2', paths('Out'), { In: other, Out: other }),
    ])
  const written = draft(older, newer)
  const [In, Out] = written.split('Out: fields(')
  expect(In).not.toMatch(/response:/)
  expect(In).toMatch(/values: \{ a: \{ z: 'x' \} \}/)
  expect(In).toMatch(/optional: \{ b: \(\) => undefined \}/)
  expect(Out).not.toMatch(/request:/)
  expect(Out).toMatch(/required: \{ c: \(\) => undefined \}/)
  expect(Out).toMatch(/added: \['f'\]/)
  const among = (...values: string[]) => object({ ...fields, a: enumOf(...values) }, ['b', 'i'])
  expect(draft(among('x', 'y', 'z'), among('y', 'z')).split('Out: fields(')[1]).toMatch(
    /removedValues: \{ a: \{ x: \(\) => undefined \} \}/,
  )
  const [body, response] = draft({ ...older, minProperties: 1 }, older).split('Out: shape(')
  expect(body).toMatch(/\{ request: \(\) => todo\('In: make the newer shape of the older one'\) \}/)
  expect(response).toMatch(/\{ response: \(\) => todo\('Out: make the older shape of the newer one'\) \}/)
  expect(draft(object({ ...fields }, ['b', 'i']), back)).toMatch(/removedValues: \{ a: \{ x: 'y' \} \}/)
})

const done = (more: Json = {}) => ({ responses: { 200: { description: 'Done.', ...json(ref('User')), ...more } } })
const header = (schema: unknown) => ({ headers: { 'X-Total': { schema } } })
const twice = (schema: unknown) => ({
  responses: {
    200: { description: '', content: { 'application/json': { schema }, 'application/x+json': { schema } } },
  },
})
const errors = (more: Json) => ({ responses: { ...done().responses, ...more } })

test.each<[what: string, older: Json, newer: Json, said: string]>([
  [
    'a path parameter',
    { '/a/{id}': { parameters: [id], get: done() } },
    { '/a/{id}': { parameters: [{ ...id, schema: { type: 'integer' } }], get: done() } },
    '// - no change can say that GET /a/{id} has changed at /parameters/path id/schema/type: the document of 1 shows what 2 has',
  ],
  [
    'the name of one',
    { '/a/{id}': { parameters: [id], get: done() } },
    { '/a/{no}': { parameters: [{ ...id, name: 'no' }], get: done() } },
    '// - the document of 1 that the draft gives is another one: GET /a/{no} is new',
  ],
  [
    'a header',
    { '/a': { get: done(header(text)) } },
    { '/a': { get: done(header({ type: 'integer' })) } },
    '// - no change can say that GET /a has changed at /responses/200/headers/X-Total/schema/type: the document of 1 shows what 2 has',
  ],
  [
    'another media type',
    { '/a': { get: done() } },
    { '/a': { get: done({ content: { 'application/json': { schema: ref('User') }, 'text/csv': {} } }) } },
    '// - no change can say that GET /a has changed at /responses/200/content/text/csv: the document of 1 shows what 2 has',
  ],
  [
    'a new error',
    { '/a': { get: done() } },
    { '/a': { get: errors({ 404: { description: '', ...json(ref('User')) } }) } },
    '// - the document of 1 that the draft gives is another one: GET /a has changed at /responses/404',
  ],
  [
    'a redirect',
    { '/a': { get: errors({ 302: { description: '', ...json(text) } }) } },
    { '/a': { get: errors({ 302: { description: '', ...json(User) } }) } },
    '// - the document of 1 that the draft gives is another one: GET /a has changed at /responses/302/content/application/json/schema/type',
  ],
  [
    'the style of a parameter',
    { '/a': { get: { ...done(), parameters: [{ name: 'a', in: 'query', schema: text }] } } },
    { '/a': { get: { ...done(), parameters: [{ name: 'a', in: 'query', schema: text, allowReserved: true }] } } },
    '// - no change can say that GET /a has changed at /x-styles/a/allowReserved: the document of 1 shows what 2 has',
  ],
  [
    'an extension',
    { '/a': { get: errors({ 'x-cache': { for: 1 } }) } },
    { '/a': { get: errors({ 'x-cache': { for: 2 } }) } },
    '// - no change can say that GET /a has changed at /responses/X-CACHE/for: the document of 1 shows what 2 has',
  ],
  [
    'whether a body is needed',
    { '/a': { put: { ...done(), requestBody: { required: true, ...json(User) } } } },
    { '/a': { put: { ...done(), requestBody: json(User) } } },
    '// - no change can say that PUT /a has changed at /requestBody/required: the document of 1 shows what 2 has',
  ],
])('what no change can say is told: %s', (_, older, newer, said) => {
  const written = draftHistory([withPaths('1', older), withPaths('2', newer)])
  expect(written).toMatch(/^\/\/ The draft is not complete: it has \d things? that it could not read or say\.$/m)
  expect(written).toContain(`${said}\n`)
})

test.each<[what: string, older: Json, newer: Json, written: RegExp]>([
  [
    'a body',
    { '/a': { put: { ...done(), requestBody: { required: true, ...json({ type: 'array', items: text }) } } } },
    { '/a': { put: { ...done(), requestBody: { required: true, ...json({ type: 'array', items: User }) } } } },
    /request: \(\) => todo\('PUT \/a: make the newer body of the older one'\)[\s\S]*body: \{ type: 'array'/,
  ],
  [
    'no body',
    { '/a': { put: done() } },
    { '/a': { put: { ...done(), requestBody: { required: true, ...json(User) } } } },
    /older: \{ body: null \}/,
  ],
  [
    'a new parameter that is required',
    { '/a': { get: done() } },
    { '/a': { get: { ...done(), parameters: [{ name: 'a', in: 'query', required: true, schema: text }] } } },
    /query: \(\) => todo\(/,
  ],
  [
    'a response',
    { '/a': get(text) },
    { '/a': get(User) },
    /response: \(\) => todo\('GET \/a: make the older response 200 of the newer one'\),\s+older: \{ response: \{ 200: \{ type: 'string' \} \} \}/,
  ],
  [
    'a response of two types',
    { '/a': { get: twice(text) } },
    { '/a': { get: twice(User) } },
    /make the older body of 200'\),\s+older: \{\s+response: \{\s+200: \{\s+content: \{ 'application\/json': \{ type: 'string' \}, 'application\/x\+json': \{ type: 'string' \} \}/,
  ],
  [
    'an error',
    { '/a': { get: errors({ 404: { description: '', ...json(text) } }) } },
    { '/a': { get: errors({ 404: { description: '', ...json(User) } }) } },
    /error: \(\) => todo\('GET \/a: make the older body of 404'\),\s+older: \{ error: \{ 404: \{ type: 'string' \} \} \}/,
  ],
  [
    'a status without a body',
    { '/a': { put: done() } },
    { '/a': { put: { responses: { 204: { description: '' } } } } },
    /status: \{ 204: 200 \},\s+response: \(\) => todo\(.*\),\s+older: \{ response: \{ 200: \{ \$ref: '#\/components\/schemas\/User' \} \} \}/,
  ],
])('bodies that nobody can make are left to do: %s', (_, older, newer, written) => {
  const text = draftHistory([withPaths('1', older), withPaths('2', newer)])
  expect(text).toMatch(/is not complete: it has 1 todo\(\)\.$/m)
  expect(text).toMatch(written)
  expect(differencesOf(alone(withPaths('1', older)), givenBy(drafted(text), withPaths('2', newer), '1'))).toEqual([])
})

test('a status that loses its body needs nothing', () => {
  const [older, newer] = [{ 204: { description: '' } }, done().responses]
  complete(
    withPaths('1', { '/a': { put: { responses: older } } }),
    withPaths('2', { '/a': { put: { responses: newer } } }),
  )
})

test('a part that says too little, and what versioning() asks for, are told', () => {
  const [older, newer] = [object({ a: text }), object({ b: { type: 'integer' } }, ['b'])]
  const open = { '/a': { get: { responses: { 200: { description: 'x', ...json({}) } } } } }
  expect(draftHistory([documentOf('1', User, { paths: open }), documentOf('2', User, { paths: open })])).toMatch(
    /^\/\/ - in 1 and 2: at "\/paths\/~1a\/get\/responses/m,
  )
  const alike = { '/a': get(object({ b: { type: 'integer' } })) }
  const written = draftHistory([documentOf('1', older, { paths: alike }), documentOf('2', newer, { paths: alike })])
  expect(written).toMatch(/^\/\/ - the draft needs more before it can be used: versioning\(\): /m)
})

test('schemas that only look different are the same', () => {
  const cat = object({ kind: { const: 'cat' } }, ['kind'])
  const dog = object({ kind: { const: 'dog' } }, ['kind'])
  const tree = (note: string) => ({
    ...object({ id: text, inner: { type: 'array', items: ref('Tree') } }),
    description: note,
  })
  const documentIn = (version: string, [one, other]: readonly unknown[], more: Json, schemas: Json) =>
    documentOf(version, object({ pet: { oneOf: [one, other] }, list: { const: ['a', { b: 1 }] }, ...more }), {
      paths: {
        '/trees': get(ref('Tree')),
        '/more': {
          put: {
            requestBody: {
              required: true,
              content: { 'application/json': { schema: cat }, 'application/x+json': { schema: ref('User') } },
            },
            responses: { 204: { description: '' } },
          },
        },
      },
      schemas: { Tree: tree(version), ...schemas },
    })
  const user = { description: 'x', anyOf: [{ ...ref('Same'), title: 'Same' }, { type: 'null' }], minProperties: 1 }
  const aside = { ...ref('Same'), minLength: 1, dependencies: { a: ['b'] } }
  const written = complete(
    documentIn('1', [cat, dog], { user, aside }, { Same: text }),
    documentIn(
      '2',
      [dog, cat],
      { user: { ...user, anyOf: [{ type: 'null' }, text] }, aside: { ...aside, ...ref('Other') } },
      { Other: text, Tree: { ...tree('2'), required: [] } },
    ),
  )
  expect(written).toContain(".version('2')")
})

test.each<[what: string, older: unknown, newer: unknown]>([
  ['a constant list', { const: ['a', { b: 1 }] }, { const: ['a', { b: 2 }] }],
  ['a longer one', { const: ['a'] }, { const: ['a', 'b'] }],
  ['a tuple', { type: 'array', prefixItems: [text, money] }, { type: 'array', prefixItems: [money, text] }],
  ['branches', { anyOf: [text, money] }, { anyOf: [text, { type: 'integer' }] }],
  ['a reference', { ...ref('Some'), minLength: 1 }, { ...ref('Other'), minLength: 1 }],
  ['a boolean', { type: 'array', items: false }, { type: 'array', items: text }],
])('schemas that differ are converted: %s', (_, older, newer) => {
  const documents = [older, newer].map((one, index) =>
    documentOf(String(index), object({ id: text, one, ref: ref('Some'), other: ref('Other') }, ['id']), {
      schemas: { Some: text, Other: { type: 'integer' } },
    }),
  ) as [Document, Document]
  expect(draftHistory(documents)).toMatch(/converted: \{\s+one: \{/)
})

test('properties of which several could be the other one are no guess', () => {
  const number = { type: 'number' }
  const older = object({ id: text, a: text, b: number, c: number, d: money }, ['id'])
  const newer = object({ id: text, e: text, f: text, g: number, h: object({}), i: object({ a: number }) }, ['id'])
  expect(complete(documentOf('1', older), documentOf('2', newer))).not.toContain('A guess')
})

test('what fields() would not take is a shape', () => {
  const draft = (one: unknown, other: unknown) => draftHistory([documentOf('1', one), documentOf('2', other)])
  expect(draft({ ...User, additionalProperties: false }, User)).toContain('User: shape({')
  expect(draft(User, object({ id: text, a: { ...text, default: 1 } }, ['id', 'a']))).toContain('User: shape({')
})

test('names that JavaScript has itself are names', () => {
  const named = (name: string, schema: unknown) => ({
    type: 'object',
    properties: JSON.parse(`{"id":{"type":"string"},${JSON.stringify(name)}:${JSON.stringify(schema)}}`),
  })
  const [proto, maker] = [named('__proto__', { type: 'integer' }), named('constructor', { type: 'integer' })]
  expect(complete(documentOf('1', maker), documentOf('2', proto))).toContain("constructor: '__proto__'")
  expect(complete(documentOf('1', proto), documentOf('2', maker))).toContain("['__proto__']: 'constructor'")
  const listed = named('__proto__', { type: 'array', items: { type: 'integer' } })
  expect(complete(documentOf('1', proto), documentOf('2', listed))).toContain("['__proto__']: '__proto__'")
})

test('methods and places of OpenAPI 3.2, ranges, defaults and forms are read', () => {
  const form = (schema: unknown) => ({ requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } } })
  const responses = {
    default: { description: '', ...json(object({ code: text })) },
    '2xx': { description: '', ...json(ref('User')) },
  }
  const bare = { $ref: '#/components/responses/Bare/content/application~1json/schema' }
  const documentIn = (version: string, user: unknown, more: Json) =>
    documentOf(version, user, {
      paths: {
        '/files': {
          post: { ...form(ref('User')), responses },
          additionalOperations: { COPY: { responses } },
          parameters: [],
          ...more,
        },
        '/bare': { get: { responses: { 200: { $ref: '#/components/responses/Bare' } } } },
        '/inner': get({ type: 'array', items: bare }),
      },
      rest: {
        openapi: '3.2.0',
        components: {
          schemas: { User: user },
          responses: { Bare: { description: '', ...json(object({ user: ref('User') })) } },
          securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
        },
      },
    })
  const [older, newer] = [object({ id: text, a: text }), object({ id: text, b: text })]
  complete(documentIn('1', older, {}), documentIn('2', newer, {}))
  // Other methods cannot be put back.
  const move = { additionalOperations: { COPY: { responses }, MOVE: { responses } } }
  const written = draftHistory([documentIn('1', older, move), documentIn('2', newer, {})])
  expect(written).toContain('but its route has no handler for MOVE')
})

test('options of values are told apart by what changes', () => {
  const fieldOf = (one: unknown) => object({ id: text, a: one }, ['id'])
  const draft = (one: unknown, other: unknown) =>
    draftHistory([documentOf('1', fieldOf(one)), documentOf('2', fieldOf(other))])
  expect(draft(enumOf('a', 'b', 'x'), enumOf('b', 'c', 'd'))).toMatch(
    /values: \{ a: \{ c: 'b', d: 'b' \} \},\s+removedValues: \{\s+a: \{\s+a: \(\) => todo\(/,
  )
  expect(draft(enumOf('a', 'b'), enumOf('a', 'b', 'c'))).not.toContain('removedValues')
  expect(draft(enumOf('a'), enumOf('b', 'c'))).toMatch(/removedValues|converted|shape/)
  expect(draft({ type: 'string', enum: [] }, enumOf('a'))).not.toMatch(/[vV]alues: \{/)
  expect(draft({ enum: ['a', {}] }, { enum: ['a'] })).toContain('converted: {')
  expect(draft({ ...enumOf('a'), minLength: 1 }, enumOf('b'))).toContain('converted: {')
  expect(draft({ ...enumOf('a', 'b'), default: 'a' }, enumOf('a'))).toMatch(
    /response: \(value\) => value,\s+request: \(\) => todo/,
  )
  complete(
    documentOf('1', fieldOf({ ...text, default: 'a', readOnly: true })),
    documentOf('2', fieldOf({ ...text, default: 'b' })),
  )
})

test('a parameter that is no longer required needs nothing', () => {
  const paths = (required: boolean) => ({
    '/a': get(User, { parameters: [{ name: 'a', in: 'query', required, schema: text }] }),
  })
  expect(complete(withPaths('1', paths(true)), withPaths('2', paths(false)))).toContain('query: (value) => value')
  const two = (...names: string[]) => ({ '/a': get(User, query(...names)) })
  expect(complete(withPaths('1', two('a', 'b')), withPaths('2', two('c')))).toContain(
    '({ a: _0, b: _1, c: _2, ...others }) => others',
  )
})

test('long lists of operations are cut in sentences, and a mistake of a document keeps its kind', () => {
  const paths = Object.fromEntries('abcdefg'.split('').map((name) => [`/${name}`, get(User)]))
  expect(complete(withPaths('1', {}), withPaths('2', paths))).toContain(
    'New in 2: `GET /a`, `GET /b`, `GET /c`, `GET /d`, `GET /e` and 2 more.',
  )
  const broken = {
    get openapi(): string {
      throw new RangeError('own')
    },
  }
  expect(() => draftHistory([broken, broken])).toThrow(new RangeError('own'))
})

test.each<[what: string, documents: unknown, message: string]>([
  [
    'one document',
    [documentOf('1', User)],
    'draftHistory() takes a list of two OpenAPI documents or more, oldest first; got',
  ],
  ['no list', {}, 'draftHistory() takes a list'],
  ['one version', [documentOf('1', User), documentOf('1', User)], "draftHistory(): two documents have the version '1'"],
  ['no version', [documentOf('1', User), documentOf('', User)], 'names its version as "info.version"; got \'\''],
  ['no info', [documentOf('1', User), { openapi: '3.1.0', paths: {} }], 'got undefined'],
  ['no document', [documentOf('1', User), { swagger: '2.0' }], 'got Swagger 2.0'],
])('%s is no history', (_, documents, message) => {
  expect(() => draftHistory(documents as object[])).toThrow(message)
})

describe('an operation whose path changed', () => {
  const named = (operationId: string, more: Json = {}) => get(User, { operationId, parameters: [id], ...more })
  const moved = (version: string, paths: Json) => withPaths(version, paths)

  test('is moved if its operationId and its parameters stayed', () => {
    const older = moved('1', { '/people/{id}': named('user') })
    const newer = moved('2', { '/users/{id}': named('user') })
    const written = complete(older, newer)
    expect(written).toContain("{ 'GET /users/{id}': { path: '/people/{id}' } }")
    expect(written).not.toMatch(/added|removed|withRemoved/)
  })

  test('is moved in each version that moves it, and keeps its other changes', () => {
    const shown = { response: object({ a: text }) }
    const of = (version: string, path: string, more: Json = {}) =>
      moved(version, { [path]: named('user', more), '/other/{id}': named('other') })
    const documents = [
      of('1', '/people/{id}', { parameters: [id, { name: 'q', in: 'query', schema: text }] }),
      of('2', '/persons/{id}'),
      of('3', '/{id}/user'),
      of('4', '/users/{id}', { responses: { 200: { description: '', ...json(shown.response) } } }),
    ] as const
    const written = draftHistory(documents)
    expect([...written.matchAll(/path: '(.*)'/g)].map(([, path]) => path)).toStrictEqual([
      '/people/{id}',
      '/persons/{id}',
      '/{id}/user',
    ])
    expect(written).toMatch(
      /'GET \/users\/\{id\}': \{\s+path: '\/people\/\{id\}',\s+query: \(\{ q: _0, \.\.\.others \}\)/,
    )
    expect(written).not.toMatch(/'added'|'removed'/)
  })

  test('is moved away for a new operation', () => {
    const written = complete(
      moved('1', { '/a/{id}': named('one') }),
      moved('2', { '/b/{id}': named('one'), '/a/{id}': named('two') }),
    )
    expect(written).toMatch(/'GET \/b\/\{id\}': \{\s+path: '\/a\/\{id\}'/)
    expect(written).toContain("'GET /a/{id}': 'added'")
  })

  test.each<[why: string, older: Json, newer: Json]>([
    [
      'has other parameters',
      { '/a/{id}': named('one') },
      { '/b/{name}': named('one', { parameters: [{ ...id, name: 'name' }] }) },
    ],
    [
      'has no operationId',
      { '/a/{id}': get(User, { parameters: [id] }) },
      { '/b/{id}': get(User, { parameters: [id] }) },
    ],
    [
      'shares its operationId',
      { '/a/{id}': named('one'), '/c/{id}': named('one') },
      { '/b/{id}': named('one'), '/c/{id}': named('other') },
    ],
    ['is where another one was', { '/a/{id}': named('one'), '/b/{id}': named('two') }, { '/b/{id}': named('one') }],
  ])('is another one if it %s', (_, older, newer) => {
    const written = draftHistory([moved('1', older), moved('2', newer)])
    expect(written).not.toContain('path:')
    expect(written).toContain("'GET /a/{id}': 'removed'")
  })

  test('is the same one if only the name of a parameter changed', () => {
    const newer = { '/a/{key}': named('one', { parameters: [{ ...id, name: 'key' }] }) }
    const written = draftHistory([moved('1', { '/a/{id}': named('one') }), moved('2', newer)])
    expect(written).toContain('GET /a/{id} was removed')
    expect(written).not.toContain('path:')
  })
})
