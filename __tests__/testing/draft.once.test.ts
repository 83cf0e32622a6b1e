import { HeaderVersioning, versioning } from 'express-versioning'
import { routesOf } from 'express-versioning/openapi'
import { draftHistory } from 'express-versioning/testing'
import { complete, drafted, expectIn, expectOlder } from '../support/drafts'
import {
  boolean,
  documentOf,
  enumOf,
  integer,
  type Json,
  list,
  money,
  number,
  object,
  operation,
  ref,
  response,
  text,
  User,
} from './api-documents'

const named = object({ id: text, given: text, mail: text })

/** Drafts the history of a shape. */
const draftOf = (older: Json, newer: Json) =>
  draftHistory([documentOf('1', { user: older }), documentOf('2', { user: newer })])

test.each([
  {
    name: 'renamed',
    older: object({ id: text, name: integer }),
    newer: object({ id: text, title: integer }),
    draft: "renamed: { // A guess: … name: 'title'",
  },
  {
    name: 'removed',
    older: object({ id: text, sales: { ...integer, default: 0 } }, ['id', 'sales']),
    newer: User,
    draft: "sales: { schema: { type: 'integer', default: 0 }, value: 0 }",
  },
  {
    name: 'removed, optional',
    older: object({ id: text, sales: { ...money, dependencies: { amount: ['tax'] } } }, ['id']),
    newer: User,
    draft: "dependencies: { amount: ['tax'] } }, optional: true, value: () => undefined",
  },
  {
    name: 'added',
    older: object({ id: text }),
    newer: object({ id: text, note: text }),
    draft: "fields({ added: ['note'] })",
  },
  {
    name: 'added, required',
    older: object({ id: text }),
    newer: object({ id: text, note: { const: 'x' }, only: enumOf('y'), more: text }, ['note', 'only']),
    draft: "added: { note: 'x', only: 'y', more: undefined }",
  },
  {
    name: 'values with a default',
    older: object({ tier: { ...enumOf('a', 'b', 'x'), default: 'b' } }),
    newer: object({ tier: { ...enumOf('a', 'b', 'c', 'd'), default: 'a' } }),
    draft:
      "response: (value) => (['c', 'd'].includes(value) ? 'b' : value), request: (value) => (['x'].includes(value) ? 'a' : value)",
  },
  {
    name: 'values, one left',
    older: object({ tier: enumOf('a') }),
    newer: object({ tier: enumOf('a', 'b') }),
    draft: "values: { tier: { b: 'a' } }",
  },
  {
    name: 'removedValues',
    older: object({ tier: enumOf('a', 'b') }),
    newer: object({ tier: enumOf('a') }),
    draft: "removedValues: { tier: { b: 'a' } }",
  },
  {
    name: 'renamedValues',
    older: object({ tier: enumOf('a', 'on') }),
    newer: object({ tier: enumOf('a', 'active') }),
    draft: "renamedValues: { tier: { // A guess: … on: 'active'",
  },
  {
    name: 'nested',
    older: object({ id: text, email: text, phone: money }, ['id', 'email']),
    newer: object({ id: text, contact: object({ email: text, phone: money }, ['email']) }, ['id', 'contact']),
    draft: "nested: { // A guess: … contact: ['email', 'phone']",
  },
  {
    name: 'required',
    older: object({ id: text, note: { ...text, default: '' } }, ['id']),
    newer: object({ id: text, note: { ...text, default: '' } }, ['id', 'note']),
    draft: "required: { note: '' }",
  },
  {
    name: 'optional',
    older: object({ id: text, note: { ...text, default: '' } }, ['id', 'note']),
    newer: object({ id: text, note: { ...text, default: '' } }, ['id']),
    draft: "optional: { note: '' }",
  },
  {
    name: 'listed',
    older: object({ author: money }),
    newer: object({ authors: list(money) }),
    draft: "listed: { // A guess: … author: 'authors'",
  },
  {
    name: 'listed under its name',
    older: object({ author: money }),
    newer: object({ author: list(money) }),
    draft: "listed: { author: 'author' }",
  },
  {
    name: 'odd names',
    older: object({ id: text, "it's": text }),
    newer: object({ id: text, 'it‮s': text }),
    draft: 'it\\u202es',
  },
])('what fields() can say is said: $name', ({ older, newer, draft }) => {
  expectIn(complete(documentOf('1', { user: older }), documentOf('2', { user: newer })), draft)
})

test.each([
  {
    name: 'a value for responses',
    older: object({ a: text, b: text }, ['a', 'b']),
    newer: object({ b: text }, ['b']),
    draft: "a: { schema: { type: 'string' }, value: todo('User: the value of \"a\" in responses') }",
  },
  {
    name: 'no value of an example',
    older: object({ a: text, b: text }, ['a', 'b']),
    newer: object({ a: text, b: text, c: { type: 'string', examples: ['x'] } }, ['a', 'b', 'c']),
    draft: 'added: { c: todo(\'User: the value of "c" for bodies of older clients\') }',
  },
  {
    name: 'no example of a removed property',
    older: object({ a: { type: 'string', example: 'x' }, b: text }, ['a', 'b']),
    newer: object({ b: text }, ['b']),
    draft: 'value: todo(',
  },
  {
    name: 'a value for bodies',
    older: object({}),
    newer: object({ a: text }, ['a']),
    draft: 'added: { a: todo(\'User: the value of "a" for bodies of older clients\') }',
  },
  {
    name: 'a value for bodies without one',
    older: object({ a: text, b: text }, ['b']),
    newer: object({ a: text, b: text }, ['a', 'b']),
    draft: 'required: { a: todo(',
  },
  {
    name: 'a value for responses without one',
    older: object({ a: text, b: text }, ['a', 'b']),
    newer: object({ a: text, b: text }, ['b']),
    draft: 'optional: { a: todo(',
  },
  {
    name: 'older values',
    older: object({ a: enumOf('x', 'y') }),
    newer: object({ a: enumOf('x', 'y', 'z') }),
    draft: 'values: { a: { z: todo(\'User: the "a" that older clients get instead of "z"\') } }',
  },
  {
    name: 'newer values',
    older: object({ a: enumOf('x', 'y', 'z') }),
    newer: object({ a: enumOf('x', 'y') }),
    draft: 'removedValues: { a: { z: todo(',
  },
  {
    name: 'another type',
    older: object({ a: text }),
    newer: object({ a: integer }),
    draft: "converted: { a: { schema: { type: 'string' }, response: todo(…), request: todo(",
  },
  {
    name: 'no object',
    older: enumOf('x'),
    newer: enumOf('y'),
    draft: "User: shape({ type: 'string', enum: ['x'] }, { response: todo(…), request: todo(",
  },
  {
    name: 'what fields() does not reach',
    older: { ...object({ a: text }), minProperties: 1 },
    newer: object({ b: text }),
    draft: 'User: shape(',
  },
  {
    name: 'a partial shape that required something',
    older: object({ a: text, b: text }, ['a']),
    newer: object({ a: text, b: text }),
    draft: 'User: shape(',
  },
])('what no document says is left to do: $name', (row) => {
  const [older, newer] = [documentOf('1', { user: row.older }), documentOf('2', { user: row.newer })]
  const draft = draftHistory([older, newer])
  expect(draft).toMatch(/is not complete: it has \d todo\(\)\.$/m)
  expectIn(draft, row.draft)
  expectOlder(draft, older, newer)
})

test('a schema that later documents lack is written where it was', () => {
  const bare = { $ref: '#/components/responses/Bare/content/application~1json/schema' }
  const Address = object({ street: text, near: list(ref('Address')) })
  const user = object({ id: text, address: ref('Address'), bare, more: bare }, ['id'])
  const older = documentOf('1', { user, schemas: { Address } })
  const responses = { Bare: response(object({ bare: text })) }
  Object.assign((older as unknown as { components: object }).components, { responses })
  expect(complete(older, documentOf('2'))).toContain("$ref: '#/$defs/Address'")
})

test('a shape asks only for the values of its side', () => {
  const draft = (older: Json, newer: Json) => {
    const paths = { '/a': { put: operation({ body: ref('In'), responses: { 200: response(ref('Out')) } }) } }
    const documents = [older, newer].map((shape, index) =>
      documentOf(String(index + 1), { paths, schemas: { In: shape, Out: shape } }),
    )
    return draftHistory(documents)
  }
  const older = object({ a: enumOf('x', 'y'), b: text, c: text, d: integer, e: text, i: text, g: money }, [
    'b',
    'i',
    'g',
  ])
  const newer = object({ a: enumOf('x', 'y', 'z'), b: text, c: text, d: boolean, e: text, i: text, f: number }, [
    'c',
    'i',
    'f',
  ])
  const [In, Out] = draft(older, newer).split('Out: fields(')
  expect(In).not.toMatch(/response:/)
  expect(In).toContain("values: { a: { z: 'x' } }")
  expect(In).toContain('optional: { b: () => undefined }')
  expect(Out).not.toMatch(/request:/)
  expect(Out).toContain('required: { c: () => undefined }')
  expect(Out).toContain("added: ['f']")
  const valuesOf = (...values: string[]) => object({ a: enumOf(...values), b: text }, ['b'])
  const [, among] = draft(valuesOf('x', 'y', 'z'), valuesOf('y', 'z')).split('Out: fields(')
  expect(among).toContain('removedValues: { a: { x: () => undefined } }')
  expect(draft(valuesOf('x', 'y'), valuesOf('y'))).toContain("removedValues: { a: { x: 'y' } }")
  const [ofBodies, ofResponses] = draft({ ...older, minProperties: 1 }, older).split('Out: shape(')
  expect(ofBodies).toContain("{ request: todo('In: make the newer shape of the older one') }")
  expect(ofResponses).toContain("{ response: todo('Out: make the older shape of the newer one') }")
})

test('a part that says too little, and what versioning() asks for, are told', () => {
  const draft = (older: Json, newer: Json, schema: Json) => {
    const paths = { '/a': { get: operation({ responses: { 200: response(schema) } }) } }
    return draftHistory([documentOf('1', { user: older, paths }), documentOf('2', { user: newer, paths })])
  }
  expect(draft(User, User, {})).toMatch(/^\/\/ - in 1 and 2: at "\/paths\/~1a\/get\/responses/m)
  const asks = /^\/\/ - the draft needs more before it can be used: versioning\(\): /m
  expect(draft(object({ a: text }), object({ b: integer }), { not: ref('User') })).toMatch(asks)
})

test.each([
  {
    title: 'copies',
    paths: { '/a': { get: operation({ responses: { 200: response(named) } }) } },
    table: '{ places }',
  },
  {
    title: 'unions that nothing tells',
    paths: { '/a': { get: operation({ responses: { 200: response({ anyOf: [ref('User'), named] }) } }) } },
    table: '{ places }',
    remark: '// - nothing tells the branch of a value at "GET /a 200": write the function in "places"',
  },
  {
    title: 'errors with a shape',
    paths: { '/a': { get: operation({ responses: { 200: response(text), 404: response(ref('User')) } }) } },
    table: ".describe('*', { response: { '4XX': { $ref: 'User' }, '5XX': { $ref: 'User' } } })",
  },
  {
    title: 'errors around a shape, and operations that went',
    paths: { '/a': { get: operation({ responses: { 200: response(named), 404: response(list(ref('User'))) } }) } },
    gone: { '/b': { get: operation({ responses: { 200: response(text), 404: response(text) } }) } },
    table: "{ removed: [older], places }).describe('*', { response: { '4XX': null, '5XX': null } })",
  },
])('a draft starts as it is printed: $title', ({ paths, gone = {}, table, remark = 'export const' }) => {
  const older = documentOf('1', {
    user: object({ id: text, forename: text, mail: text }),
    paths: { ...paths, ...gone },
  })
  const newer = documentOf('2', { user: named, paths })
  const written = draftHistory([older, newer])
  expect(written).toContain(table)
  expect(written).toContain(remark)
  const { history, tableOf } = drafted(written)
  const routes = tableOf([older, newer])
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes: history, routes }
  expect(() => versioning(options as never)).not.toThrow()
})

test('schemas that only look different are the same', () => {
  const documentIn = (version: string, kinds: string[], more: Json, schemas: Json) => {
    const oneOf = kinds.map((kind) => object({ kind: { const: kind } }, ['kind']))
    const pet = object({ pet: { oneOf }, list: { const: ['a', { b: 1 }] }, ...more })
    const Tree = { ...object({ id: text, inner: list(ref('Tree')) }), description: version }
    const cat = object({ kind: { const: 'cat' } }, ['kind'])
    const content = { 'application/json': { schema: cat }, 'application/x+json': { schema: ref('User') } }
    const paths = {
      '/trees': { get: operation({ responses: { 200: response(ref('Tree')) } }) },
      '/more': { put: operation({ requestBody: { required: true, content }, responses: { 204: response() } }) },
    }
    return documentOf(version, { user: pet, paths, schemas: { Tree, ...schemas } })
  }
  const user = { description: 'x', anyOf: [{ ...ref('Same'), title: 'Same' }, { type: 'null' }], minProperties: 1 }
  const aside = { ...ref('Same'), minLength: 1, dependencies: { a: ['b'] } }
  const others = { user: { ...user, anyOf: [{ type: 'null' }, text] }, aside: { ...aside, ...ref('Other') } }
  const Tree = { ...object({ id: text, inner: list(ref('Tree')) }), description: '2', required: [] }
  const written = complete(
    documentIn('1', ['cat', 'dog'], { user, aside }, { Same: text }),
    documentIn('2', ['dog', 'cat'], others, { Other: text, Tree }),
  )
  expect(written).toContain(".version('2')")
})

test.each([
  { name: 'a constant list', older: { const: ['a', { b: 1 }] }, newer: { const: ['a', { b: 2 }] } },
  { name: 'a longer one', older: { const: ['a'] }, newer: { const: ['a', 'b'] } },
  {
    name: 'a tuple',
    older: { type: 'array', prefixItems: [text, {}] },
    newer: { type: 'array', prefixItems: [{}, text] },
  },
  { name: 'branches', older: { anyOf: [text, { type: 'object' }] }, newer: { anyOf: [text, integer] } },
  {
    name: 'a reference',
    older: { $ref: '#/components/schemas/Some', minLength: 1 },
    newer: { $ref: '#/components/schemas/Other', minLength: 1 },
  },
  { name: 'a boolean', older: { type: 'array', items: false }, newer: list(text) },
])('schemas that differ are converted: $name', ({ older, newer }) => {
  const schemas = { Some: text, Other: integer }
  const documents = [older, newer].map((one, index) => {
    const user = object({ id: text, one, ref: ref('Some'), other: ref('Other') }, ['id'])
    return documentOf(String(index), { user, schemas })
  })
  expectIn(draftHistory(documents), 'converted: { one: {')
})

test('properties of which several could be the other one are no guess', () => {
  const older = object({ id: text, a: text, b: number, c: number, d: money }, ['id'])
  const newer = object({ id: text, e: text, f: text, g: number, h: object({}), i: object({ a: number }) }, ['id'])
  expect(complete(documentOf('1', { user: older }), documentOf('2', { user: newer }))).not.toContain('A guess')
})

test('what fields() would not take is a shape', () => {
  expect(draftOf({ ...User, additionalProperties: false }, User)).toContain('User: shape({')
  expect(draftOf(User, object({ id: text, a: { ...text, default: 1 } }, ['id', 'a']))).toContain('User: shape({')
})

test('names that JavaScript has itself are names', () => {
  const named = (version: string, name: string, schema: unknown) => {
    const properties = JSON.parse(`{"id":{"type":"string"},${JSON.stringify(name)}:${JSON.stringify(schema)}}`)
    return documentOf(version, { user: object(properties) })
  }
  const proto = named('1', '__proto__', integer)
  const maker = named('2', 'constructor', integer)
  expect(complete(maker, proto)).toContain("constructor: '__proto__'")
  expect(complete(proto, maker)).toContain("['__proto__']: 'constructor'")
  const listed = named('2', '__proto__', list(integer))
  expect(complete(proto, listed)).toContain("['__proto__']: '__proto__'")
})

test('options of values are told apart by what changes', () => {
  const draft = (older: Json, newer: Json) =>
    draftOf(object({ id: text, a: older }, ['id']), object({ id: text, a: newer }, ['id']))
  expectIn(
    draft(enumOf('a', 'b', 'x'), enumOf('b', 'c', 'd')),
    "values: { a: { c: 'b', d: 'b' } }, removedValues: { a: { a: todo(",
  )
  expect(draft(enumOf('a', 'b'), enumOf('a', 'b', 'c'))).not.toContain('removedValues')
  expect(draft(enumOf('a'), enumOf('b', 'c'))).toMatch(/removedValues|converted|shape/)
  expect(draft(enumOf(), enumOf('a'))).not.toMatch(/[vV]alues: \{/)
  expect(draft({ enum: ['a', {}] }, { enum: ['a'] })).toContain('converted: {')
  expect(draft({ ...enumOf('a'), minLength: 1 }, enumOf('b'))).toContain('converted: {')
  expectIn(draft({ ...enumOf('a', 'b'), default: 'a' }, enumOf('a')), 'response: (value) => value, request: todo')
  complete(
    documentOf('1', { user: object({ id: text, a: { ...text, default: 'a', readOnly: true } }, ['id']) }),
    documentOf('2', { user: object({ id: text, a: { ...text, default: 'b' } }, ['id']) }),
  )
})

const one = documentOf('1')
test.each<[what: string, documents: unknown, message: string]>([
  ['one document', [one], 'draftHistory() takes a list of two OpenAPI documents or more, oldest first; got'],
  ['no list', {}, 'draftHistory() takes a list'],
  ['one version', [one, one], "draftHistory(): two documents have the version '1'"],
  ['no version', [one, documentOf('')], 'names its version as "info.version"; got \'\''],
  ['no info', [one, { openapi: '3.1.0', paths: {} }], 'got undefined'],
  ['no document', [one, { swagger: '2.0' }], 'got Swagger 2.0'],
])('%s is no history', (_, documents, message) => {
  expect(() => draftHistory(documents as object[])).toThrow(message)
})

test('a mistake of a document keeps its kind', () => {
  const broken = {
    get openapi(): string {
      throw new RangeError('own')
    },
  }
  expect(() => draftHistory([broken, broken])).toThrow(new RangeError('own'))
})

test('versioning() lists all that is to do at once, and documents need none of it', () => {
  const pathsWith = (schema: Json) => ({
    '/a': {
      get: operation({ responses: { 200: response(schema) } }),
      put: operation({ body: schema, responses: { 204: response() } }),
    },
  })
  const [older, newer] = [
    documentOf('1', { user: object({ a: text, b: enumOf('x') }, ['a']), paths: pathsWith(text) }),
    documentOf('2', { user: object({ b: enumOf('x', 'y'), c: integer }, ['c']), paths: pathsWith(User) }),
  ]
  const { history } = drafted(draftHistory([older, newer]))
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes: history, routes: routesOf(newer) }
  expect(() => versioning(options as never)).toThrow(
    new TypeError(`versioning(): the changes have 4 todo() that must be written first:
- User: the value of "a" in responses (version '2')
- User: the value of "c" for bodies of older clients (version '2')
- GET /a: make the older response 200 of the newer one (version '2')
- PUT /a: make the newer body of the older one (version '2')`),
  )
})

test('a draft warns of nothing: it serves no requests', () => {
  const emit = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const word = { type: 'string', pattern: '\\-' }
  const documentIn = (version: string, name: string) => ({
    openapi: '3.1.0',
    info: { title: 'Words', version },
    paths: { '/': { get: { responses: { 200: { description: 'OK', content: { 'application/json': {} } } } } } },
    components: { schemas: { Word: { type: 'object', properties: { [name]: word, more: {} } } } },
  })
  expect(draftHistory([documentIn('1', 'text'), documentIn('2', 'word')])).toContain('versionHistory')
  expect(emit).not.toHaveBeenCalled()
  expect(() => draftHistory([documentIn('1', 'text'), {}])).toThrow('document 2 of 2')
  routesOf(documentIn('2', 'word'))
  expect(emit).toHaveBeenCalledTimes(1)
  emit.mockRestore()
})
