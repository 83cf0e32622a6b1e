// Places of shapes in schemas as people and tools write them: `allOf`, inheritance, and unions that a value tells.
import express from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { type Change, change, fields, type OperationChanges, shape } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { type OpenApiOperation, openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import { Ajv } from '../support/ajv'
import { ask, historyOf, tableOf } from '../support/changes'
import { property } from '../support/property'
import { serve } from '../support/serve'

type Json = Record<string, unknown>
const text = { type: 'string' }
const object = (properties: Json, ...required: string[]): Json => ({ type: 'object', properties, required })
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const named = (name: string, schema: Json): Json => ({ ...schema, $id: name })
const all = (...parts: unknown[]) => ({ allOf: parts })

const USER = named('User', object({ id: text, title: text, mail: text, phone: text }, 'id', 'title'))
const ADMIN = named('Admin', all(to('User'), object({ role: text }, 'role')) as Json)
const CAT = named('Cat', object({ sort: { const: 'cat' }, lives: text }, 'sort', 'lives'))
const DOG = named('Dog', object({ sort: { const: 'dog' }, bark: text }, 'sort', 'bark'))
const titled = fields({ renamed: { name: 'title' } })
const U = { id: '1', title: 'Ada' }
const V1 = { id: '1', name: 'Ada' }
const A = { id: '1', title: 'Ada', role: 'root' }
const AV1 = { id: '1', name: 'Ada', role: 'root' }

const versionsOf = (...changes: OperationChanges[]) => historyOf(...changes.map((one) => [change('X.', one)]))

function tableWith(schema: unknown, defs: Json[], response: unknown) {
  const routes = tableOf()
  const $defs = Object.fromEntries(defs.map((one) => [one.$id as string, one]))
  const described = { ...(schema as Json), $defs } as never
  routes.describe('GET user-list', { response: null }).describe('GET other', { response: described })
  routes.describe('POST other', { body: described, response: {} })
  routes
    .route('other')
    .get((_req, res) => void res.json(response))
    .post((req, res) => void res.json([req.body]))
  return routes
}

/** Holds what is sent and taken in `v1` against the document, the contract, and what is expected. */
async function holds(schema: unknown, defs: Json[], changes: OperationChanges[], newest: unknown, older: unknown) {
  const routes = tableWith(schema, defs, newest)
  const options = { scheme: HeaderVersioning, changes: versionsOf(...changes), routes }
  const ajv = () => new Ajv({ discriminator: true })
  const compile = (one: object) => ajv().compile(one)
  const judged = contract({ compile, responses: 'throw', unknown: 'keep' })
  const api = await serve((app) => {
    app.use(versioning({ ...options, contract: judged }), express.json(), routes)
  })
  const got = await ask(api, 'v1', '/other')
  expect([got.status, got.json]).toEqual([200, older])
  const sent = await ask(api, 'v1', '/other', { method: 'POST', body: older })
  expect([sent.status, sent.json]).toEqual([200, [newest]])
  const { document } = openapi(options, { info: { title: 'T' } })
  for (const [version, value] of [
    ['v1', older],
    [`v${changes.length + 1}`, newest],
  ] as const) {
    const { paths, components } = document(version)
    const { get } = paths['/other'] as { get: OpenApiOperation }
    const body = get.responses[200]?.content?.['application/json']?.schema
    const judge = new Ajv().compile({ ...(body as object), components })
    expect(judge(value) || judge.errors).toBe(true)
  }
  return document
}

const Tagged = named('Tagged', object({ tags: { type: 'array', items: to('User') } }))
const Node = named('Node', all(to('User'), object({ next: to('Node'), of: to('User') })) as Json)
const oldUser = object({ id: text, name: text, mail: text, phone: text }, 'id', 'name')
const steps = {
  response: ({ title, ...rest }: Json) => ({ ...rest, name: title }),
  request: ({ name, ...rest }: Json) => ({ ...rest, title: name }),
}
const User = shape<Json, Json>(oldUser as never, USER as never, steps as never)
const Admin = shape<Json, Json>(all(oldUser, object({ role: text }, 'role')) as never, steps as never)
const Derived = shape<Json, Json>(all(to('User'), object({ role: text }, 'role')) as never, steps as never)
const map = (of: unknown) => ({ type: 'object', additionalProperties: of })
const typed = { User: titled }
const PETS = { oneOf: [to('Cat'), to('Dog')] }
const mapping = { cat: to('Cat').$ref, dog: to('Dog').$ref }
const discriminator = { propertyName: 'sort', mapping }
const kinds = fields({ renamed: { kind: 'sort' } })
const plain = (pet: Json, name: string) => ({ ...pet, properties: { ...(pet.properties as Json), [name]: text } })
const told = { User: titled }
const UNTOLD = object({ size: text }, 'size')

test.each<
  [title: string, schema: unknown, newest: unknown, older: unknown, changes: OperationChanges[], defs?: Json[]]
>([
  // As @nestjs/swagger writes `@ApiProperty({ description, type: () => User })`, and the same with `nullable: true` in 3.1.
  [
    'a described reference',
    object({ by: { description: 'Who.', allOf: [to('User')] } }),
    { by: U },
    { by: V1 },
    [typed],
  ],
  [
    'a nullable reference',
    object({ by: { oneOf: [{ description: 'Who.', allOf: [to('User')] }, { type: 'null' }] } }),
    { by: U },
    { by: V1 },
    [typed],
  ],
  ['null there', object({ by: { anyOf: [all(to('User')), { type: 'null' }] } }), { by: null }, { by: null }, [typed]],
  ['a reference with a type', object({ by: { type: 'object', allOf: [to('User')] } }), { by: U }, { by: V1 }, [typed]],
  ['an empty part', object({ by: all(to('User'), { description: 'Who.' }) }), { by: U }, { by: V1 }, [{ User }]],
  [
    'a page as getSchemaPath() writes it',
    all(to('Tagged'), object({ data: { type: 'array', items: to('User') } })),
    { tags: [U], data: [U] },
    { tags: [V1], data: [V1] },
    [{ User }],
  ],
  [
    'parts of parts',
    all(all(object({ a: to('User') })), object({ b: to('User') })),
    { a: U, b: U },
    { a: V1, b: V1 },
    [{ User }],
  ],
  ['one part alone', all(object({ a: to('User') }), { minProperties: 1 }), { a: U }, { a: V1 }, [{ User }]],
  ['inheritance', to('Admin'), A, AV1, [typed]],
  ['inheritance in a list', { type: 'array', items: to('Admin') }, [A, A], [AV1, AV1], [typed]],
  ['inheritance inline', all(to('User'), object({ of: to('Admin') })), { ...U, of: A }, { ...V1, of: AV1 }, [typed]],
  [
    'inheritance beside properties',
    { ...to('User'), ...object({ of: to('User') }) },
    { ...U, of: U },
    { ...V1, of: V1 },
    [typed],
  ],
  [
    'inheritance in a loop',
    to('Node'),
    { ...U, next: { ...U, of: U }, of: U },
    { ...V1, next: { ...V1, of: V1 }, of: V1 },
    [typed],
    [Node],
  ],
  [
    'two changed parts',
    all(to('User'), to('Tagged'), object({ x: to('User') })),
    { ...U, tags: [U], x: U },
    { ...V1, labels: [V1], x: V1 },
    [{ User: titled, Tagged: fields({ renamed: { labels: 'tags' } }) }],
  ],
  ['a part that is there twice', all(to('Admin'), to('User')), A, AV1, [typed]],
  [
    'a part without a name behind a reference',
    to('Boss'),
    A,
    AV1,
    [typed],
    [
      named('Boss', {
        allOf: [to('User'), { $ref: '#/$defs/__schema0' }],
        $defs: { __schema0: object({ role: text }, 'role') },
      }),
    ],
  ],
  [
    'a loop of a derived shape',
    to('Boss'),
    { ...A, of: { ...A, x: '1' } },
    { id: '1', name: 'Ada', level: 'root', of: { id: '1', name: 'Ada', level: 'root', x: '1' } },
    [{ User: titled, Boss: fields({ renamed: { level: 'role' } }) }],
    [
      named('Boss', {
        ...object({ role: text, of: all(to('Boss'), object({ x: text })) }, 'role'),
        allOf: [to('User')],
      }),
    ],
  ],
  [
    'several versions',
    to('Admin'),
    A,
    { id: '1', label: 'Ada', role: 'root' },
    [{ User: fields({ renamed: { label: 'name' } }) }, typed],
  ],
  ['a derived shape beside its part', to('Admin'), A, AV1, [{ User, Admin }]],
  ['a derived shape whose older side refers to its part', to('Admin'), A, AV1, [{ User, Admin: Derived }]],
  ['a shape() beside rules that name no property', all(to('User'), { minProperties: 1 }), U, V1, [{ User }]],
  [
    'a loop of parts',
    to('Pet'),
    { by: U, friend: { x: '1', by: U } },
    { by: V1, friend: { x: '1', by: V1 } },
    [typed],
    [named('Pet', object({ by: to('User'), friend: all(to('Pet'), object({ x: text })) }))],
  ],
  ['a map in a part', all(map(to('User')), { minProperties: 1 }), { x: U }, { x: V1 }, [typed]],
  [
    'a part that requires properties together',
    all(to('User'), { dependentRequired: { id: ['mail'] }, required: ['id'] }),
    { ...U, mail: 'a' },
    { ...V1, mail: 'a' },
    [typed],
  ],
  [
    'fields() of a derived shape and its part',
    to('Admin'),
    A,
    { id: '1', name: 'Ada', level: 'root' },
    [{ User: titled, Admin: fields({ renamed: { level: 'role' } }) }],
  ],
  [
    'fields() of a derived shape that requires outside',
    to('Boss'),
    A,
    { id: '1', title: 'Ada', level: 'root' },
    [{ Boss: fields({ renamed: { level: 'role' } }) }],
    [named('Boss', { allOf: [to('User'), object({ role: text })], required: ['id', 'role'] })],
  ],
  [
    'fields() of a derived shape with its own properties',
    to('Boss'),
    A,
    { id: '1', name: 'Ada', level: 'root' },
    [{ User: titled, Boss: fields({ renamed: { level: 'role' } }) }],
    [named('Boss', { ...object({ role: text }, 'role'), allOf: [to('User')] })],
  ],
  [
    'a union, by a constant',
    PETS,
    { sort: 'cat', lives: '9' },
    { kind: 'cat', lives: '9' },
    [{ Cat: kinds, Dog: kinds }],
  ],
  [
    'a discriminator',
    { ...PETS, discriminator },
    { sort: 'dog', bark: 'x' },
    { kind: 'dog', bark: 'x' },
    [{ Cat: kinds, Dog: kinds }],
  ],
  [
    'a discriminator alone, with a part',
    object({ pet: { anyOf: [to('Tom'), to('Rex')], discriminator: { propertyName: 'sort' } } }),
    { pet: { sort: 'Tom', title: 'a' } },
    { pet: { kind: 'Tom', title: 'a' } },
    [{ Base: kinds, Tom: fields({ added: ['fur'] }) }],
    [
      named('Base', object({ sort: text }, 'sort')),
      named('Tom', all(to('Base'), object({ title: text, fur: text })) as Json),
      named('Rex', all(to('Base'), object({ title: text, size: { type: 'number' } })) as Json),
    ],
  ],
  [
    'a discriminator with a mapping',
    {
      anyOf: [to('Tom'), to('Rex')],
      discriminator: { propertyName: 'sort', mapping: { t: to('Tom').$ref, r: 'Rex' } },
    },
    { sort: 'r', bark: 'x' },
    { kind: 'r', bark: 'x' },
    [{ Tom: kinds, Rex: kinds }],
    [named('Tom', plain(CAT, 'sort')), named('Rex', plain(DOG, 'sort'))],
  ],
  ['required properties', { anyOf: [to('User'), UNTOLD] }, U, V1, [told]],
  ['required properties of another branch', { anyOf: [to('User'), UNTOLD] }, { size: 'L' }, { size: 'L' }, [told]],
])('a shape is converted in %s', async (_title, schema, newest, older, changes, defs = []) => {
  await holds(schema, [USER, ADMIN, Tagged, CAT, DOG, ...defs], changes, newest, older)
})

test('documents have the discriminator of their version, and its mapping leads to their components', async () => {
  const Cats = shape<Json, Json>(
    object({ kind: { const: 'feline' }, lives: text }, 'kind', 'lives') as never,
    {
      response: ({ sort: _, ...rest }: Json) => ({ ...rest, kind: 'feline' }),
      request: ({ kind: _, ...rest }: Json) => ({ ...rest, sort: 'cat' }),
    } as never,
  )
  const changes = [{ Cat: Cats, Dog: kinds }, { Dog: fields({ added: ['fur'] }) }]
  const dog = { ...DOG, properties: { ...(DOG.properties as Json), fur: text } }
  const defs = [CAT, dog]
  const schema = { type: 'array', items: { ...PETS, discriminator } }
  const routes = tableWith(schema, defs, [])
  const { document } = openapi(
    { scheme: HeaderVersioning, changes: versionsOf(...changes), routes },
    { info: { title: 'T' } },
  )
  const older = { propertyName: 'kind', mapping: { feline: mapping.cat, dog: mapping.dog } }
  const said = (version: string) => {
    const { get } = document(version).paths['/other'] as { get: OpenApiOperation }
    const schema = get.responses[200]?.content?.['application/json']?.schema
    return (schema as { items: { discriminator: unknown } }).items.discriminator
  }
  expect([said('v1'), said('v2'), said('v3')]).toEqual([older, discriminator, discriminator])
})

const KITTY = named('Kitty', all(to('Pet'), object({ lives: text })))
const pet = (mapping?: Json) =>
  named('Pet', {
    ...object({ sort: text }, 'sort'),
    discriminator: { propertyName: 'sort', ...(mapping && { mapping }) },
  })
test.each<[title: string, pet: Json, change: OperationChanges, older: unknown]>([
  [
    'of a base',
    pet({ cat: to('Kitty').$ref }),
    { Pet: kinds },
    { propertyName: 'kind', mapping: { cat: to('Kitty').$ref } },
  ],
  ['without a mapping', pet(), { Pet: kinds }, { propertyName: 'kind' }],
  [
    'with a mapping to another document',
    pet({ cat: 'https://a.b/x' }),
    { Pet: kinds },
    { propertyName: 'kind', mapping: { cat: 'https://a.b/x' } },
  ],
  [
    'whose property no branch has',
    named('Pet', { ...PETS, discriminator: { propertyName: 'none' } }),
    { Cat: kinds, Dog: kinds },
    { propertyName: 'kind' },
  ],
  ['without a property', named('Pet', { ...PETS, discriminator: { mapping } }), { Cat: kinds, Dog: kinds }, undefined],
  [
    'whose older name is that of another property',
    named('Pet', { ...PETS, discriminator: { propertyName: 'kind' } }),
    { Cat: kinds, Dog: kinds },
    { propertyName: 'kind' },
  ],
  [
    'whose property went',
    named('Pet', { ...PETS, discriminator }),
    { Cat: fields({ added: { sort: 'cat' } }), Dog: fields({ added: { sort: 'dog' } }) },
    undefined,
  ],
])('the older document has the discriminator %s', (_title, pet, changes, older) => {
  const routes = tableWith(to('Pet'), [pet, KITTY, CAT, DOG], {})
  const $defs = Object.fromEntries([pet, KITTY, CAT, DOG].map((one) => [one.$id as string, one]))
  const described = { type: 'array', prefixItems: [to('Kitty'), to('Cat'), to('Dog')], $defs } as never
  routes
    .describe('PUT other', { body: null, response: described })
    .route('other')
    .put(() => {})
  const { document } = openapi(
    { scheme: HeaderVersioning, changes: versionsOf(changes), routes },
    { info: { title: 'T' } },
  )
  const { components } = document('v1') as { components: { schemas: Record<string, Json> } }
  const { Pet, Kitty } = components.schemas
  expect([Pet?.discriminator, Kitty]).toEqual([older, expect.objectContaining({ allOf: expect.anything() })])
})

const UNFIT = 'which its schema does not allow'
const TAGGED = { anyOf: [to('Cat'), named('Rex', plain(DOG, 'sort'))], discriminator: { propertyName: 'sort' } }
test.each<[title: string, value: unknown, schema?: Json, changes?: OperationChanges]>([
  ['the properties of two branches', { ...U, size: 'L' }],
  ['those of none', { id: '1', other: 1 }],
  ['no discriminator', { bark: 'x' }, TAGGED, { Rex: fields({ renamed: { sound: 'bark' } }) }],
])('a value with %s is rejected', async (_title, value, schema = { anyOf: [to('User'), UNTOLD] }, changes = told) => {
  const routes = tableWith(schema, [{ ...USER, required: ['title'] }, plain(CAT, 'sort')], value)
  const options = { scheme: HeaderVersioning, changes: versionsOf(changes), routes }
  const api = await serve((app) => void app.use(versioning(options), express.json(), routes))
  const got = await ask(api, 'v1', '/other')
  expect([got.status, got.text]).toEqual([500, expect.stringContaining(UNFIT)])
  const { title: name, ...rest } = value as Json
  const body = { ...rest, ...(name === undefined ? {} : { name }) }
  const sent = await ask(api, 'v1', '/other', { method: 'POST', body })
  expect([sent.status, sent.text]).toEqual([400, expect.stringContaining('does not fit its version')])
})

const OF = 'the response 200 of "GET other"'
const cannot = (why: string, name = 'User', where = `in ${OF}`) =>
  `the shape "${name}" cannot be converted ${where}: ${why}.`
const twice = (name: string) => `the property "${name}" is in two schemas of one value: write it in one of them`
const PART =
  'it is a part of an object, and shape() of "User" converts whole values: give the object a name, and say its change beside that of "User", or write fields()'
const SEVERAL = 'several schemas speak of one value'
const hidden = (keyword: string, at = keyword) =>
  cannot(`values do not show "${keyword}"`, 'User', `at "/${at}" of ${OF}`)
const other = object({ x: to('User') })
const rule = (keyword: string) => ({ if: {}, [keyword]: to('User') })
const untold = (name = 'User') =>
  cannot(
    'its branch cannot be told from another one, by the JSON type, a property with one value, the "discriminator", or a required property that no other branch has',
    name,
    `at "/anyOf" of ${OF}`,
  )
const Text = shape<Json, Json>(text as never, { response: String, request: String } as never)
test.each<[title: string, schema: unknown, message: string, ...changes: OperationChanges[]]>([
  ['a part by shape()', all(to('User'), object({ x: text })), cannot(PART), { User }],
  ['a part by shape() under a name', to('Admin'), cannot(PART, 'User', 'in "Admin"'), { User }],
  [
    'a part by shape() under fields()',
    to('Admin'),
    cannot(PART, 'User', 'in "Admin"'),
    { User, Admin: fields({ renamed: { level: 'role' } }) },
  ],
  ['a property of two parts', all(other, object({ x: { description: 'X' } })), cannot(twice('x'))],
  ['a changed property in another part', all(to('User'), object({ title: text })), cannot(twice('title'))],
  ['an older property in another part', all(to('User'), object({ name: text })), cannot(twice('name'))],
  ['a changed property that another part requires', all(to('User'), { required: ['title'] }), cannot(twice('title'))],
  ['a map beside properties', all(map(to('User')), object({ x: text })), cannot(twice('x'))],
  ['two maps', all(map(to('User')), map(to('User')) && { patternProperties: { '^a': to('User') } }), cannot(SEVERAL)],
  ['a union of shapes beside a shape', { anyOf: [to('User'), { type: 'null' }], ...other }, cannot(SEVERAL)],
  ['a property of two branches and a part', { ...other, anyOf: [object({ x: text })] }, cannot(twice('x'))],
  ['optional properties', { anyOf: [to('User'), object({ size: text })] }, untold()],
  ['a required property that another branch has', { anyOf: [to('User'), object({ title: text }, 'title')] }, untold()],
  ['a map beside a branch', { anyOf: [to('User'), { ...UNTOLD, additionalProperties: text }] }, untold()],
  [
    'a string by shape() beside strings',
    { anyOf: [named('Text', text), { ...text, minLength: 1 }] },
    untold('Text'),
    { Text },
  ],
  ['not', { not: to('User') }, hidden('not')],
  [
    'not, deep in a part',
    all({ properties: { a: { not: to('User') } } }, {}),
    hidden('not', 'allOf/0/properties/a/not'),
  ],
  ['then', rule('then'), hidden('then')],
  ['else', rule('else'), hidden('else')],
  ['contains', { contains: to('User') }, hidden('contains')],
  ['propertyNames', { propertyNames: to('User') }, hidden('propertyNames')],
  ['dependentSchemas', { dependentSchemas: { a: to('User') } }, hidden('dependentSchemas', 'dependentSchemas/a')],
  ['unevaluatedProperties', { unevaluatedProperties: to('User') }, hidden('unevaluatedProperties')],
  ['unevaluatedItems', { unevaluatedItems: to('User') }, hidden('unevaluatedItems')],
  ['contentSchema', { contentSchema: to('User') }, hidden('contentSchema')],
])('versioning() rejects %s', (_title, schema, message, ...changes) => {
  const routes = tableWith(schema, [USER, ADMIN], {})
  const options = {
    scheme: HeaderVersioning,
    changes: versionsOf(...(changes.length === 0 ? [typed] : changes)),
    routes,
  }
  const found = new Set(
    (() => {
      try {
        versioning(options)
        return ''
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
        return (error as Error).message
      }
    })()
      .split('\n')
      .map((line) => line.replace(/^(?:versioning\(\): |- )/, '').replaceAll('the body of "POST other"', OF)),
  )
  expect([...found].filter((line) => !/^\d+ things/.test(line))).toEqual([message])
})

// Inheritance as OpenAPI writes it: the base has the discriminator, and no union.
const sort = { sort: text }
const animal = { ...object({ ...sort, name: text }, 'sort'), discriminator: { propertyName: 'sort' } }
const BASE = named('Animal', animal)
const TOM = named('Tom', all(to('Animal'), object({ lives: text })) as Json)
const KITTEN = named('Kitten', all(to('Tom'), object({ of: to('User') })) as Json)
const REX = named('Rex', object({ ...sort, bark: text }, 'sort'))
const mapped = named('Animal', {
  ...all(animal),
  discriminator: { propertyName: 'sort', mapping: { r: to('Rex').$ref } },
})
const unionOf = named('Animal', { ...mapped, allOf: [{ oneOf: [to('Rex'), UNTOLD] }] })
const lives = { Tom: fields({ renamed: { life: 'lives' } }) }
const inherits = (base: string, name: string, shape = name) =>
  cannot(
    `the values of "${base}" may be of "${name}", by its "discriminator", and no "oneOf" tells them apart. Describe it with { oneOf: [{ $ref: '${name}' }, ...], discriminator: { ... } }, or without the "discriminator"`,
    shape,
  )
test.each<[title: string, schema: unknown, changes: OperationChanges, base: Json, message?: string]>([
  ['a derived shape', to('Animal'), lives, BASE, inherits('Animal', 'Tom')],
  [
    'a derived shape in a list',
    object({ a: { type: 'array', items: to('Animal') } }),
    lives,
    BASE,
    inherits('Animal', 'Tom'),
  ],
  ['a shape in one derived twice', to('Animal'), typed, BASE, inherits('Animal', 'Kitten', 'User')],
  ['a described base', { allOf: [to('Animal')], description: 'One.' }, lives, BASE, inherits('Animal', 'Tom')],
  ['a base in a part', to('Animal'), lives, named('Animal', all(animal) as Json), inherits('Animal', 'Tom')],
  ['a mapped shape', to('Animal'), { Rex: fields({ renamed: { woof: 'bark' } }) }, mapped, inherits('Animal', 'Rex')],
  ['the derived one itself', to('Kitten'), lives, BASE],
  ['the derived one beside properties', { ...object({ x: text }), ...all(to('Animal')) }, lives, BASE],
  ['a union with the base', { oneOf: [to('Animal'), to('Tom')], discriminator: { propertyName: 'sort' } }, lives, BASE],
  ['a base without a discriminator', to('Animal'), lives, named('Animal', object({ ...sort, name: text }, 'sort'))],
  ['a union as the base', to('Animal'), { Rex: fields({ renamed: { woof: 'bark' } }) }, unionOf],
  ['a change of the base alone', to('Animal'), { Animal: fields({ renamed: { title: 'name' } }) }, BASE],
])('a base with a discriminator, and %s', (_title, schema, changes, base, ...[message]) => {
  const $defs = Object.fromEntries([USER, base, TOM, KITTEN, REX].map((one) => [one.$id, one]))
  const response = (one: unknown) => ({ response: { ...(one as Json), $defs } as never })
  const routes = namedRoutes({ all: '/all', other: '/other' })
  routes
    .describe('GET other', response(schema))
    .describe('GET all', response({ prefixItems: [to('Kitten'), to('Rex')] }))
  routes.route('other').get(() => {})
  routes.route('all').get(() => {})
  const found = (() => {
    try {
      versioning({ scheme: HeaderVersioning, changes: versionsOf(changes), routes })
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  })()
  expect(found).toBe(message && `versioning(): ${message}`)
})

test.each<[title: string, schema: Json]>([
  ['a shape that allOf splits', named('Boss', all(to('User'), object({ role: text, at: text }, 'role')) as Json)],
  [
    'a part without a name behind a reference',
    named('Boss', {
      allOf: [to('User'), { $ref: '#/$defs/__schema0' }],
      $defs: { __schema0: object({ role: text, at: text }, 'role') },
    }),
  ],
])('%s is no look-alike of itself', (_title, schema) => {
  const routes = tableWith(to('Boss'), [USER, schema], {})
  const changes: Change[] = [change('X.', { Boss: shape<Json, Json>(object({}) as never, steps as never) })]
  expect(() => versioning({ scheme: HeaderVersioning, changes: historyOf(changes), routes })).not.toThrow()
})

test.each<[schema: Json, words: string]>([
  [
    { type: 'string', nullable: true },
    `it has "nullable: true" at "/properties/a", as OpenAPI 3.0 has it; OpenAPI 3.1 says { type: ['string', 'null'] }, or { anyOf: [{ ... }, { type: 'null' }] }`,
  ],
  [
    { minimum: 0, exclusiveMinimum: true },
    'it has "exclusiveMinimum: true" at "/properties/a", as OpenAPI 3.0 has it; OpenAPI 3.1 says { exclusiveMinimum: 0 } instead of { minimum: 0, exclusiveMinimum: true }',
  ],
  [
    { maximum: 0, exclusiveMaximum: false },
    'it has "exclusiveMaximum: false" at "/properties/a", as OpenAPI 3.0 has it; OpenAPI 3.1 says { exclusiveMaximum: 9 } instead of { maximum: 9, exclusiveMaximum: true }',
  ],
])('words of OpenAPI 3.0 are rejected: %j', (schema, words) => {
  const routes = tableWith(object({ a: schema, u: to('User') }), [USER], {})
  const make = () => versioning({ scheme: HeaderVersioning, changes: versionsOf(typed), routes })
  expect(make).toThrow(TypeError)
  expect(make).toThrow(words)
})

// A base and what extends it, in random versions: each renames properties of the base, and perhaps those of the derived object.
property(
  'inherited properties are converted as those of the object itself, and fit their version',
  fc.asyncProperty(
    fc.array(fc.record({ base: fc.constantFrom('a', 'b'), own: fc.constantFrom(undefined, 'c') }), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.record({ isOwn: fc.boolean(), isReference: fc.boolean(), isNested: fc.boolean(), isDeep: fc.boolean() }),
    async (turns, { isOwn, isReference, isNested, isDeep }) => {
      const behind = turns.length
      /** The name of a property in a version: its letter, and how often it was renamed up to there. */
      const at = (letter: string, version: number) =>
        `${letter}${turns.slice(0, version).filter(({ base, own }) => base === letter || own === letter).length}`
      const value = (version: number, depth = 0): Json => ({
        ...Object.fromEntries(['a', 'b', 'c'].map((letter) => [at(letter, version), letter])),
        ...(isNested && depth < 3 ? { in: value(version, depth + 1) } : {}),
      })
      const inner = isNested ? { in: to('Derived') } : {}
      const own = object({ [at('c', behind)]: text, ...inner }, at('c', behind))
      const base = object({ [at('a', behind)]: text, [at('b', behind)]: text }, at('a', behind), at('b', behind))
      const part = isDeep ? to('Middle') : to('Base')
      const derived = isOwn ? { ...own, ...(isReference ? part : all(part)) } : all(part, own)
      const changes = turns.map(({ base, own }, index): OperationChanges => {
        const renamed = (letter: string) => fields({ renamed: { [at(letter, index)]: at(letter, index + 1) } })
        return { Base: renamed(base), ...(own === undefined ? {} : { Derived: renamed(own) }) }
      })
      // fields() of the derived object cannot follow a reference beside its properties.
      fc.pre(!(isOwn && isReference) || turns.every(({ own }) => own === undefined))
      const defs = [named('Base', base), named('Middle', all(to('Base'))), named('Derived', derived)]
      await holds({ type: 'array', items: to('Derived') }, defs, changes, [value(behind)], [value(0)])
    },
  ),
)
