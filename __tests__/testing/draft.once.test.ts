import { HeaderVersioning, versioning } from 'express-versioning'
import { routesOf } from 'express-versioning/openapi'
import { draftHistory } from 'express-versioning/testing'
import { differencesOf } from '../../src/openapi/meaning/document-differences'
import { alone, type Document, drafted, givenBy } from '../support/drafts'
import { rows } from '../support/rows'
import {
  complete,
  documentOf,
  expectIn,
  type Json,
  json,
  object,
  pathsOf,
  ref,
  text,
  User,
  withPaths,
} from './shorthand'

const userOf = (given = '') => (given.startsWith('{') ? JSON.parse(given) : given)

test.each(
  rows(`
  renamed | id name:integer | id title:integer | renamed: { // A guess: … name: 'title'
  removed | id! sales!:integer~0 | id! | sales: { schema: { type: 'integer', default: 0 }, value: 0 }
  removed, optional | id! sales:taxed | id! | dependencies: { amount: ['tax'] } }, optional: true, value: () => undefined
  added | id | id note | fields({ added: ['note'] })
  added, required | id | id note!={"const":"x"} only!:y more | added: { note: 'x', only: 'y', more: undefined }
  values with a default | tier:a,b,x~"b" | tier:a,b,c,d~"a" | response: (value) => (['c', 'd'].includes(value) ? 'b' : value), request: (value) => (['x'].includes(value) ? 'a' : value)
  values, one left | tier:a | tier:a,b | values: { tier: { b: 'a' } }
  removedValues | tier:a,b | tier:a | removedValues: { tier: { b: 'a' } }
  renamedValues | tier:a,on | tier:a,active | renamedValues: { tier: { // A guess: … on: 'active'
  nested | id! email! phone:money | id! contact!:(email!;phone:money) | nested: { // A guess: … contact: ['email', 'phone']
  required | id! note~"" | id! note!~"" | required: { note: '' }
  optional | id! note!~"" | id! note~"" | optional: { note: '' }
  listed | author:money | authors:[]money | listed: { // A guess: … author: 'authors'
  listed under its name | author:money | author:[]money | listed: { author: 'author' }
  odd names | id it's | id it\u202es | it\\u202es
`),
)('what fields() can say is said: %s', (_, older = '', newer = '', written) => {
  expectIn(complete(documentOf('1', older), documentOf('2', newer)), written)
})

test.each(
  rows(`
  a value for responses | a! b! | b! | a: { schema: { type: 'string' }, value: todo('User: the value of "a" in responses') }
  no value of an example | a! b! | a! b! c!={"type":"string","examples":["x"]} | added: { c: todo('User: the value of "c" for bodies of older clients') }
  no example of a removed property | a!={"type":"string","example":"x"} b! | b! | value: todo(
  a value for bodies |  | a! | added: { a: todo('User: the value of "a" for bodies of older clients') }
  a value for bodies without one | a b! | a! b! | required: { a: todo(
  a value for responses without one | a! b! | a b! | optional: { a: todo(
  older values | a:x,y | a:x,y,z | values: { a: { z: todo('User: the "a" that older clients get instead of "z"') } }
  newer values | a:x,y,z | a:x,y | removedValues: { a: { z: todo(
  another type | a | a:integer | converted: { a: { schema: { type: 'string' }, response: todo(…), request: todo(
  no object | {"type":"string","enum":["x"]} | {"type":"string","enum":["y"]} | User: shape({ type: 'string', enum: ['x'] }, { response: todo(…), request: todo(
  what fields() does not reach | a +minProperties=1 | b | User: shape(
  a partial shape that required something | a! b | a b | User: shape(
`),
)('what no document says is left to do: %s', (_, before, after, written) => {
  const [older, newer] = [documentOf('1', userOf(before)), documentOf('2', userOf(after))]
  const text = draftHistory([older, newer])
  expect(text).toMatch(/is not complete: it has \d todo\(\)\.$/m)
  expectIn(text, written)
  expect(differencesOf(alone(older), givenBy(drafted(text), [older, newer], '1'))).toEqual([])
})

test.each(
  rows(`
  a new operation |  | GET /a/{id} 200=User | 'GET /a/{id}': 'added'
  a status | PUT /a 200=@User | PUT /a 202=@User | // A guess: 202 was 200. status: { 202: 200 }
  a status that loses its body | PUT /a 204 | PUT /a 200=@User | status: { 200: 204 }
  a name for a schema | GET /a 200=User | GET /a 200=@User | versionHistory('1') .version('2')
  a new parameter | GET /a ?page 200=User | GET /a ?page ?limit 200=User | query: ({ limit: _0, ...others }) => others
  a parameter with another name | GET /a ?page 200=User | GET /a ?p 200=User | // A guess: "page" and "p" … query: ({ p: _0, page: _1, ...others }) => ({ ...others, ...(_1 !== undefined && { p: _1 }) })
  no guess of several parameters | GET /a ?a ?b 200=User | GET /a ?c 200=User | ({ a: _0, b: _1, c: _2, ...others }) => others
  a parameter that may be missing now | GET /a ?a! 200=User | GET /a ?a 200=User | query: (value) => value
  a property of a response | GET /a 200=(a!) | GET /a 200=(a!;b!:money) | response: ({ b: _0, ...others }) => others
`),
)('operations are said: %s', (_, older = '', newer = '', written) => {
  expectIn(complete(withPaths('1', older), withPaths('2', newer)), written)
})

test("an operation that today's document lacks is put into the table, with the shapes that it alone has", () => {
  const shapes = { Old: object('user!:@User inner:@Inner'), Inner: object('old:@Old it') }
  const page = { name: 'page', in: 'query', schema: { type: 'integer' } }
  const { '/old/{id}': found } = pathsOf('GET /old/{id} 200=@Old + POST /old/{id} 204') as Record<string, { get: Json }>
  Object.assign(found?.get as Json, { parameters: [{ $ref: '#/components/parameters/page' }] })
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: text },
    { ...page, schema: text },
  ]
  const older = documentOf(
    '1',
    'id name',
    { ...pathsOf('GET /gone 204'), '/old/{id}': { ...found, parameters } },
    { schemas: shapes },
  )
  Object.assign((older as unknown as { components: object }).components, { parameters: { page } })
  const written = complete(older, documentOf('2', 'id name more', 'POST /old/{id} 204'))
  expect(written).toContain("'GET /old/{id}': 'removed'")
  expect(written).toContain(
    'routes: routesOf(document, { removed: [older] }) })\n// Here, document is the OpenAPI document of 2, older that of 1.\n',
  )
})

test('a chain of documents is one history: each version means what its document says', () => {
  const documents = [
    documentOf('1', 'id name', 'GET /a 200=@User + GET /b 200=@User + GET /c 200=@User'),
    documentOf('2', 'id title', 'GET /b 200=@User'),
    documentOf('3', 'id title more', 'GET /a 200=@User'),
  ] as const
  const written = draftHistory(documents)
  expect(written).toContain('The draft is complete')
  for (const one of documents.slice(0, 2))
    expect(differencesOf(alone(one), givenBy(drafted(written), documents, one.info.version))).toEqual([])
})

test('documents need no components', () => {
  const plain = (version: string, operations: string) =>
    ({ openapi: '3.1.0', info: { title: 'Shop', version }, paths: pathsOf(operations) }) as unknown as Document
  const [older, newer] = [plain('1', 'GET /a 200=text + GET /b 200=text'), plain('2', 'GET /b 200=text')]
  expect(complete(older, newer)).toContain("'GET /a': 'removed'")
})

test('a schema that later documents lack is written where it was', () => {
  const bare = '{"$ref":"#/components/responses/Bare/content/application~1json/schema"}'
  const Address = object('street near:[]@Address')
  const older = documentOf('1', `id! address:@Address bare=${bare} more=${bare}`, '', { schemas: { Address } })
  const responses = { Bare: { description: '', ...json(object('bare')) } }
  Object.assign((older as unknown as { components: object }).components, { responses })
  expect(complete(older, documentOf('2', 'id!'))).toContain("$ref: '#/$defs/Address'")
})

test('a shape asks only for the values of its side', () => {
  const draft = (one: string, other: string) => {
    const documents = [one, other].map((words, index) => {
      const shape = object(words)
      return withPaths(String(index + 1), 'PUT /a body!=@In 200=@Out', { In: shape, Out: shape })
    })
    return draftHistory(documents)
  }
  const older = 'a:x,y b! c d:integer e i! g!:money'
  const [In, Out] = draft(older, 'a:x,y,z b c! d:boolean e i! f!:number').split('Out: fields(')
  expect(In).not.toMatch(/response:/)
  expect(In).toContain("values: { a: { z: 'x' } }")
  expect(In).toContain('optional: { b: () => undefined }')
  expect(Out).not.toMatch(/request:/)
  expect(Out).toContain('required: { c: () => undefined }')
  expect(Out).toContain("added: ['f']")
  const [, among] = draft('a:x,y,z b!', 'a:y,z b!').split('Out: fields(')
  expect(among).toContain('removedValues: { a: { x: () => undefined } }')
  expect(draft('a:x,y b!', 'a:y b!')).toContain("removedValues: { a: { x: 'y' } }")
  const [body, response] = draft(`${older} +minProperties=1`, older).split('Out: shape(')
  expect(body).toContain("{ request: todo('In: make the newer shape of the older one') }")
  expect(response).toContain("{ response: todo('Out: make the older shape of the newer one') }")
})

test.each(
  rows(`
  a path parameter | GET /a/{id} 200=@User | GET /a/{id:integer} 200=@User | no change: GET /a/{id} has changed at /parameters/path id/schema/type
  a header | GET /a 200=@User 200+{"headers":{"N":{"schema":{"type":"string"}}}} | GET /a 200=@User 200+{"headers":{"N":{"schema":{"type":"integer"}}}} | no change: GET /a has changed at /responses/200/headers/N/schema/type
  another media type | GET /a 200=@User | GET /a 200=@User 200+{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/User"}},"text/csv":{}}} | no change: GET /a has changed at /responses/200/content/text/csv
  the style of a parameter | GET /a ?a 204 | GET /a ?a+{"allowReserved":true} 204 | no change: GET /a has changed at /parameters/query a/allowReserved
  two operations | GET /a 200=@User x-cache={"for":1} + GET /b 200=@User x-cache={"for":1} | GET /a 200=@User x-cache={"for":2} + GET /b 200=@User x-cache={"for":2} | no change: GET /a and GET /b have changed at /responses/x-cache/for
  an extension | GET /a 200=@User x-cache={"for":1} | GET /a 200=@User x-cache={"for":2} | no change: GET /a has changed at /responses/x-cache/for
  whether a body is needed | PUT /a body!=User 200=@User | PUT /a body=User 200=@User | no change: PUT /a has changed at /requestBody/required
  the name of a path parameter alone | GET /a/{id} #one 200=@User | GET /a/{no} #one 200=@User | no change: GET /a/{no} is new
  a new error | GET /a 200=@User | GET /a 200=@User 404=@User | no change: GET /a has changed at /responses/404
  a redirect | GET /a 200=@User 302=text | GET /a 200=@User 302=User | no change: GET /a has changed at /responses/302/content/application/json/schema/type
`),
)('what no change can say is told: %s', (_, older = '', newer = '', told = '') => {
  const written = draftHistory([withPaths('1', older), withPaths('2', newer)])
  expect(written).toMatch(/^\/\/ The draft is not complete: it has \d things? that it could not read or say\.$/m)
  const sentence = told.replace(/^no change: (.*)/, 'no change can say that $1: the document of 1 shows what 2 has')
  expect(written).toContain(`// - ${sentence}\n`)
})

test.each(
  rows(`
  a body | PUT /a body!=[]text 200=@User | PUT /a body!=[]User 200=@User | request: todo('PUT /a: make the newer body of the older one'), older: { body: { type: 'array'
  no body | PUT /a 200=@User | PUT /a body!=User 200=@User | older: { body: null }
  a new parameter that is required | GET /a 200=@User | GET /a ?a! 200=@User | query: todo(
  a response | GET /a 200=text | GET /a 200=User | response: todo('GET /a: make the older response 200 of the newer one'), older: { response: { 200: { type: 'string' } } }
  a response of two types | GET /a 200=text&text | GET /a 200=User&User | make the older body of 200'), older: { response: { 200: { content: { 'application/json': { type: 'string' }, 'application/x+json': { type: 'string' } }
  an error | GET /a 200=@User 404=text | GET /a 200=@User 404=User | error: todo('GET /a: make the older body of 404'), older: { error: { 404: { type: 'string' } } }
  a status without a body | PUT /a 200=@User | PUT /a 204 | status: { 204: 200 }, response: todo(…), older: { response: { 200: { $ref: '#/components/schemas/User' } } }
`),
)('bodies that nobody can make are left to do: %s', (_, older = '', newer = '', written) => {
  const text = draftHistory([withPaths('1', older), withPaths('2', newer)])
  expect(text).toMatch(/is not complete: it has 1 todo\(\)\.$/m)
  expectIn(text, written)
  expect(
    differencesOf(
      alone(withPaths('1', older)),
      givenBy(drafted(text), [withPaths('1', older), withPaths('2', newer)], '1'),
    ),
  ).toEqual([])
})

test('a part that says too little, and what versioning() asks for, are told', () => {
  const draft = (one: string, other: string, operation: string) =>
    draftHistory([documentOf('1', one, operation), documentOf('2', other, operation)])
  expect(draft('id!', 'id!', 'GET /a 200={}')).toMatch(/^\/\/ - in 1 and 2: at "\/paths\/~1a\/get\/responses/m)
  const asks = /^\/\/ - the draft needs more before it can be used: versioning\(\): /m
  expect(draft('a', 'b!:integer', 'GET /a 200=(b:integer)')).toMatch(asks)
})

test('schemas that only look different are the same', () => {
  const documentIn = (version: string, kinds: string[], more: Json, schemas: Json) => {
    const oneOf = kinds.map((kind) => ({ ...object('kind!'), properties: { kind: { const: kind } } }))
    const pet = { ...object(''), properties: { pet: { oneOf }, list: { const: ['a', { b: 1 }] }, ...more } }
    const Tree = { ...object('id inner:[]@Tree'), description: version }
    const operations = 'GET /trees 200=@Tree + PUT /more body!=(kind!={"const":"cat"})&@User 204'
    return documentOf(version, pet, operations, { schemas: { Tree, ...schemas } })
  }
  const user = { description: 'x', anyOf: [{ ...ref('Same'), title: 'Same' }, { type: 'null' }], minProperties: 1 }
  const aside = { ...ref('Same'), minLength: 1, dependencies: { a: ['b'] } }
  const others = { user: { ...user, anyOf: [{ type: 'null' }, text] }, aside: { ...aside, ...ref('Other') } }
  const Tree = { ...object('id inner:[]@Tree'), description: '2', required: [] }
  const written = complete(
    documentIn('1', ['cat', 'dog'], { user, aside }, { Same: text }),
    documentIn('2', ['dog', 'cat'], others, { Other: text, Tree }),
  )
  expect(written).toContain(".version('2')")
})

test.each(
  rows(`
  a constant list | {"const":["a",{"b":1}]} | {"const":["a",{"b":2}]}
  a longer one | {"const":["a"]} | {"const":["a","b"]}
  a tuple | {"type":"array","prefixItems":[{"type":"string"},{}]} | {"type":"array","prefixItems":[{},{"type":"string"}]}
  branches | {"anyOf":[{"type":"string"},{"type":"object"}]} | {"anyOf":[{"type":"string"},{"type":"integer"}]}
  a reference | {"$ref":"#/components/schemas/Some","minLength":1} | {"$ref":"#/components/schemas/Other","minLength":1}
  a boolean | {"type":"array","items":false} | {"type":"array","items":{"type":"string"}}
`),
)('schemas that differ are converted: %s', (_, older, newer) => {
  const schemas = { Some: text, Other: { type: 'integer' } }
  const documents = [older, newer].map((one, index) =>
    documentOf(String(index), `id! one=${one} ref:@Some other:@Other`, '', { schemas }),
  )
  expectIn(draftHistory(documents), 'converted: { one: {')
})

test('properties of which several could be the other one are no guess', () => {
  const older = documentOf('1', 'id! a b:number c:number d:money')
  const newer = documentOf('2', 'id! e f g:number h:() i:(a:number)')
  expect(complete(older, newer)).not.toContain('A guess')
})

test('what fields() would not take is a shape', () => {
  const draft = (one: string, other: string) => draftHistory([documentOf('1', one), documentOf('2', other)])
  expect(draft('id! +additionalProperties=false', 'id!')).toContain('User: shape({')
  expect(draft('id!', 'id! a!~1')).toContain('User: shape({')
})

test('names that JavaScript has itself are names', () => {
  const named = (version: string, name: string, schema: unknown) => {
    const properties = JSON.parse(`{"id":{"type":"string"},${JSON.stringify(name)}:${JSON.stringify(schema)}}`)
    return documentOf(version, { type: 'object', properties })
  }
  const integer = { type: 'integer' }
  const proto = named('1', '__proto__', integer)
  const maker = named('2', 'constructor', integer)
  expect(complete(maker, proto)).toContain("constructor: '__proto__'")
  expect(complete(proto, maker)).toContain("['__proto__']: 'constructor'")
  const listed = named('2', '__proto__', { type: 'array', items: integer })
  expect(complete(proto, listed)).toContain("['__proto__']: '__proto__'")
})

test('methods and places of OpenAPI 3.2, ranges, defaults and forms are read', () => {
  const form = { requestBody: { content: { 'application/x-www-form-urlencoded': { schema: ref('User') } } } }
  const responses = {
    default: { description: '', ...json(object('code')) },
    '2xx': { description: '', ...json(ref('User')) },
  }
  const Bare = { description: '', ...json(object('user:@User')) }
  const inner = '{"$ref":"#/components/responses/Bare/content/application~1json/schema"}'
  const securitySchemes = { key: { type: 'apiKey', in: 'header', name: 'X-Key' } }
  const documentIn = (version: string, words: string, ...methods: string[]) => {
    const user = object(words)
    const additionalOperations = Object.fromEntries(['COPY', ...methods].map((method) => [method, { responses }]))
    const paths = {
      '/files': { post: { ...form, responses }, additionalOperations, parameters: [] },
      '/bare': { get: { responses: { 200: { $ref: '#/components/responses/Bare' } } } },
      ...pathsOf(`GET /inner 200=[]${inner}`),
    }
    const components = { schemas: { User: user }, responses: { Bare }, securitySchemes }
    return documentOf(version, user, paths, { rest: { openapi: '3.2.0', components } })
  }
  const newer = documentIn('2', 'id b')
  complete(documentIn('1', 'id a'), newer)
  // Other methods cannot be put back.
  expect(draftHistory([documentIn('1', 'id a', 'MOVE'), newer])).toMatch(/the draft needs more .*MOVE/)
})

test('options of values are told apart by what changes', () => {
  const draft = (one: string, other: string) =>
    draftHistory([documentOf('1', `id! a${one}`), documentOf('2', `id! a${other}`)])
  expectIn(draft(':a,b,x', ':b,c,d'), "values: { a: { c: 'b', d: 'b' } }, removedValues: { a: { a: todo(")
  expect(draft(':a,b', ':a,b,c')).not.toContain('removedValues')
  expect(draft(':a', ':b,c')).toMatch(/removedValues|converted|shape/)
  expect(draft('={"type":"string","enum":[]}', ':a')).not.toMatch(/[vV]alues: \{/)
  expect(draft('={"enum":["a",{}]}', '={"enum":["a"]}')).toContain('converted: {')
  expect(draft('={"type":"string","enum":["a"],"minLength":1}', ':b')).toContain('converted: {')
  expectIn(draft(':a,b~"a"', ':a'), 'response: (value) => value, request: todo')
  complete(
    documentOf('1', 'id! a={"type":"string","default":"a","readOnly":true}'),
    documentOf('2', 'id! a={"type":"string","default":"b"}'),
  )
})

test('long lists of operations are cut in sentences, and a mistake of a document keeps its kind', () => {
  const paths = [...'abcdefg'].map((name) => `GET /${name} 200=User`).join(' + ')
  expect(complete(withPaths('1', ''), withPaths('2', paths))).toContain(
    'New in 2: `GET /a`, `GET /b`, `GET /c`, `GET /d`, `GET /e` and 2 more.',
  )
  const broken = {
    get openapi(): string {
      throw new RangeError('own')
    },
  }
  expect(() => draftHistory([broken, broken])).toThrow(new RangeError('own'))
})

const one = documentOf('1', 'id!')
test.each<[what: string, documents: unknown, message: string]>([
  ['one document', [one], 'draftHistory() takes a list of two OpenAPI documents or more, oldest first; got'],
  ['no list', {}, 'draftHistory() takes a list'],
  ['one version', [one, one], "draftHistory(): two documents have the version '1'"],
  ['no version', [one, documentOf('', 'id!')], 'names its version as "info.version"; got \'\''],
  ['no info', [one, { openapi: '3.1.0', paths: {} }], 'got undefined'],
  ['no document', [one, { swagger: '2.0' }], 'got Swagger 2.0'],
])('%s is no history', (_, documents, message) => {
  expect(() => draftHistory(documents as object[])).toThrow(message)
})

describe('an operation whose path changed', () => {
  test.each(
    rows(`
    its operationId and parameters stayed | GET /people/{id} #user 200=User | GET /users/{id} #user 200=User | { 'GET /users/{id}': { path: '/people/{id}' } }
    its operationId stayed, and nothing else | GET /people/{id} #user 200=text | GET /api/users/{id} #user ?a 200=text | path: '/people/{id}', query:
    all but a segment stayed | GET /people/{id}/pets 200=User | GET /users/{id}/pets 200=User | { 'GET /users/{id}/pets': { // A guess: it is /users/{id}/pets now. path: '/people/{id}/pets' } }
    all but a segment, beside one that another operation tells | DELETE /a 204 + DELETE /a/{id} 204 | DELETE /b 204 + DELETE /b/{id} 204 | path: '/a'
    of several, that whose segment another one tells | GET /a/x 200=User + DELETE /a/{id} 204 | GET /b/x 200=User + DELETE /b/{id} 204 + DELETE /c/{id} 204 | path: '/a/{id}'
    it is all of its path, and its schema stayed | GET /people 200=[]User | GET /users/{id} 200=User + GET /humans 200=[]User | path: '/people'
    its schema got another name | GET /people 200=@Person | GET /humans 200=@User | path: '/people'
    another one came to its place | GET /a/{id} #one 200=User | GET /b/{id} #one 200=User + GET /a/{id} #two 200=User | { 'GET /b/{id}': { path: '/a/{id}' } }), change('New in 2: \`GET /a/{id}\`.', { 'GET /a/{id}': 'added' })
  `),
  )('is moved: %s', (_, older = '', newer = '', written) => {
    const [before, after] = [withPaths('1', older, { Person: User }), withPaths('2', newer, { Person: User })]
    const draft = complete(before, after)
    expectIn(draft, written)
    expect(draft).not.toMatch(/removed/)
  })

  test('is moved with the names that its parameters have now', () => {
    const written = draftHistory([
      withPaths('1', 'GET /people/{person}/pets/{id} #pet 200=User'),
      withPaths('2', 'GET /users/{id}/pets/{pet} #pet 200=User'),
    ])
    expectIn(written, "{ path: '/people/{pet}/pets/{id}' }")
    expect(written).toContain('no change can say that GET /people/{person}/pets/{id} was removed')
  })

  test('is moved in each version that moves it, and keeps its other changes', () => {
    const documents = [
      'GET /people/{id} #user ?q:text 200=User',
      'GET /persons/{id} #user 200=User',
      'GET /{id}/user #user 200=User',
      'GET /users/{id} #user 200=(a)',
    ].map((operation, index) => withPaths(String(index + 1), `${operation} + GET /other/{id} #other 200=User`))
    const written = draftHistory(documents)
    const paths = [...written.matchAll(/path: '(.*)'/g)].map(([, path]) => path)
    expect(paths).toStrictEqual(['/people/{id}', '/persons/{id}', '/{id}/user'])
    expectIn(written, "'GET /users/{id}': { path: '/people/{id}', query: ({ q: _0, ...others })")
    expect(written).not.toMatch(/'added'|'removed'/)
  })

  test.each(
    rows(`
    has more parameters | GET /a/{id} #one 200=User | GET /b/{id}/{no} #one 200=User
    has nothing that stayed | GET /a/{id} 200=User | GET /b/{id} 200=text
    has two other segments | GET /a/{id} 200=User | GET /b/{id}/c 200=User
    has a parameter in the segment | GET /a/{id} 200=User | GET /a/all 200=User
    shares its operationId, and its schemas | GET /a/{id} #one 200=User + GET /c/{id} #one 200=text | GET /b/{id} #one 200=User + GET /d/{id} 200=User
    is where another one was | GET /a/{id} #one 200=User + GET /b/{id} #two 200=User | GET /b/{id} #one 200=User
    is all of its path, and says nothing | GET /a/{id} 200=User + POST /old 204 | POST /new 204
  `),
  )('is another one if it %s', (_, older = '', newer = '') => {
    const written = draftHistory([withPaths('1', older), withPaths('2', newer)])
    expect(written).not.toContain('path:')
    expect(written).toContain("'GET /a/{id}': 'removed'")
  })
})

test.each(
  rows(`
  NestJS | GET /a/{id} #UsersController_one 200=User | GET /a/{id} #PeopleController_findOne 200=User
  NestJS, moved | GET /a/{id} #AController_one 200=User | GET /b/{id} #BController_one 200=User
  FastAPI | GET /a/{id} #read_a__id__get 200=User | GET /a/{id} #read_one_a__id__get 200=User
  FastAPI, moved | GET /a/{id} #read_a__id__get 200=User | GET /b/{id} #read_b__id__get 200=User
`),
)('generated names of operations, and servers, are no remarks: %s', (_, older = '', newer = '') => {
  const servers = (version: string) => ({ servers: [{ url: `https://example.com/${version}` }] })
  const [before, after] = [older, newer].map((operation, index) => {
    const own = pathsOf(operation)
    for (const item of Object.values(own) as Json[])
      Object.assign(item, servers('item'), { get: { ...(item.get as Json), ...servers(String(index)) } })
    return documentOf(String(index + 1), 'id! servers', own, { rest: servers(String(index)) })
  }) as [Document, Document]
  expect(draftHistory([before, after])).toContain('The draft is complete')
})

test('a name that somebody chose is a remark', () => {
  const written = draftHistory([withPaths('1', 'GET /a #one 204'), withPaths('2', 'GET /a #two 204')])
  expect(written).toContain('no change can say that GET /a has changed at /operationId: the document of 1 shows')
})

test('versioning() lists all that is to do at once, and documents need none of it', () => {
  const [older, newer] = [
    documentOf('1', 'a! b:x', 'GET /a 200=text + PUT /a body!=text 204'),
    documentOf('2', 'b:x,y c!:integer', 'GET /a 200=User + PUT /a body!=User 204'),
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
