// Places of shapes in schemas as people and tools write them: `allOf`, inheritance, and unions that a value tells.
import express from 'express'
import { versioning } from 'express-versioning'
import { change, fields, type OperationChanges, shape } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { type OpenApiDocument, type OpenApiOperation, openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import { Ajv } from '../support/ajv'
import { ask, type Table, tableOf } from '../support/changes'
import { describing, misfit, released, told } from '../support/described'
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
const A = { ...U, role: 'root' }

/** Returns a value with the name of each user where it was in v1. */
function before(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(before)
  const entries = Object.entries(value).map(([key, one]) => [one === U.title ? 'name' : key, before(one)])
  return Object.fromEntries(entries)
}

const defsOf = (defs: Json[]) => Object.fromEntries(defs.map((one) => [one.$id, one]))

function tableWith(schema: unknown, defs: Json[], response: unknown) {
  const routes = tableOf()
  const described = { ...(schema as Json), $defs: defsOf(defs) } as never
  routes.describe('GET user-list', { response: null }).describe('GET other', { response: described })
  routes.describe('POST other', { body: described, response: {} })
  routes
    .route('other')
    .get((_req, res) => void res.json(response))
    .post((req, res) => void res.json([req.body]))
  return routes
}

const optionsOf = (routes: Table, ...changes: OperationChanges[]) =>
  released(routes, ...changes.map((one) => change('X.', one)))

/** Holds what is sent and taken in `v1` against the document, the contract, and what is expected. */
async function holds(schema: unknown, defs: Json[], changes: OperationChanges[], newest: unknown, older: unknown) {
  const routes = tableWith(schema, defs, newest)
  const options = optionsOf(routes, ...changes)
  const compile = (one: object) => new Ajv({ discriminator: true }).compile(one)
  const judged = contract({ compile, responses: 'throw', unknown: 'keep' })
  const api = await serve((app) => {
    app.use(versioning({ ...options, contract: judged }), express.json(), routes)
  })
  const got = await ask(api, 'v1', '/other')
  expect([got.status, got.json]).toEqual([200, older])
  const sent = await ask(api, 'v1', '/other', { method: 'POST', body: older })
  expect([sent.status, sent.json]).toEqual([200, [newest]])
  const { document } = openapi(options)
  for (const [version, value] of Object.entries({ v1: older, [`v${changes.length + 1}`]: newest })) {
    expect(misfit(document(version), responseIn(document(version)), value)).toBe('')
  }
}

const responseIn = ({ paths }: OpenApiDocument) => (paths['/other'] as { get: OpenApiOperation }).get.responses[200]

const Tagged = named('Tagged', object({ tags: { type: 'array', items: to('User') } }))
const oldUser = object({ id: text, name: text, mail: text, phone: text }, 'id', 'name')
const steps = {
  response: ({ title, ...rest }: Json) => ({ ...rest, name: title }),
  request: ({ name, ...rest }: Json) => ({ ...rest, title: name }),
}
const User = shape<Json, Json>(oldUser as never, USER as never, steps as never)
const ROLE = object({ role: text }, 'role')
const Admin = shape<Json, Json>(all(oldUser, ROLE) as never, steps as never)
const Derived = shape<Json, Json>(all(to('User'), ROLE) as never, steps as never)
const map = (of: unknown) => ({ type: 'object', additionalProperties: of })
const typed = { User: titled }
const PETS = { oneOf: [to('Cat'), to('Dog')] }
const mapping = { cat: to('Cat').$ref, dog: to('Dog').$ref }
const discriminator = { propertyName: 'sort', mapping }
const kinds = fields({ renamed: { kind: 'sort' } })
const plain = (pet: Json, name: string) => ({ ...pet, properties: { ...(pet.properties as Json), [name]: text } })
const part = (sort: string, own: Json) => ({
  ...all({ properties: { sort: { const: sort } } }, object(own)),
  required: ['sort'],
})
const UNTOLD = object({ size: text }, 'size')
const withLevel = fields({ renamed: { level: 'role' } })

// The properties of shapes and of inheritance generate the usual places.
test.each<
  [
    title: string,
    schema: unknown,
    newest: unknown,
    more?: { older?: unknown; changes?: OperationChanges; defs?: Json[] },
  ]
>([
  // As @nestjs/swagger writes `@ApiProperty({ description, type: () => User })` with `nullable: true` in 3.1.
  [
    'nullable references',
    object({
      by: { oneOf: [{ description: 'Who.', allOf: [to('User')] }, { type: 'null' }] },
      none: { anyOf: [all(to('User')), { type: 'null' }] },
    }),
    { by: U, none: null },
  ],
  ['a reference with a type', object({ by: { type: 'object', allOf: [to('User')] } }), { by: U }],
  ['an empty part', object({ by: all(to('User'), { description: 'Who.' }) }), { by: U }, { changes: { User } }],
  [
    'a page as getSchemaPath() writes it',
    all(to('Tagged'), object({ data: { type: 'array', items: to('User') } })),
    { tags: [U], data: [U] },
    { changes: { User } },
  ],
  ['inheritance inline', all(to('User'), object({ of: to('Admin') })), { ...U, of: A }],
  [
    'two changed parts',
    all(to('User'), to('Tagged'), object({ x: to('User') })),
    { ...U, tags: [U], x: U },
    {
      older: { ...V1, labels: [V1], x: V1 },
      changes: { ...typed, Tagged: fields({ renamed: { labels: 'tags' } }) },
    },
  ],
  ['a part that is there twice', all(to('Admin'), to('User')), A],
  [
    'a part without a name behind a reference',
    to('Boss'),
    A,
    { defs: [named('Boss', { ...all(to('User'), { $ref: '#/$defs/__schema0' }), $defs: { __schema0: ROLE } })] },
  ],
  [
    'a loop of a derived shape',
    to('Boss'),
    { ...A, of: { ...A, x: '1' } },
    {
      older: { ...V1, level: 'root', of: { ...V1, level: 'root', x: '1' } },
      changes: { ...typed, Boss: withLevel },
      defs: [
        named('Boss', {
          ...object({ role: text, of: all(to('Boss'), object({ x: text })) }, 'role'),
          allOf: [to('User')],
        }),
      ],
    },
  ],
  ['a derived shape beside its part', to('Admin'), A, { changes: { User, Admin } }],
  ['a derived shape whose older side refers to its part', to('Admin'), A, { changes: { User, Admin: Derived } }],
  ['a shape() beside rules that name no property', all(to('User'), { minProperties: 1 }), U, { changes: { User } }],
  [
    'a loop of parts',
    to('Pet'),
    { by: U, friend: { x: '1', by: U } },
    { defs: [named('Pet', object({ by: to('User'), friend: all(to('Pet'), object({ x: text })) }))] },
  ],
  ['a property of two parts', all(object({ x: to('User') }), { properties: { x: to('User') } }), { x: U }],
  [
    'a list of two parts, whose items differ',
    all(object({ x: { items: to('User') } }), object({ x: { items: all(to('User'), { minProperties: 1 }) } })),
    { x: [U, U] },
  ],
  [
    'trees of two parts',
    all(to('Oak'), to('Elm')),
    { by: U, next: { by: U, next: { by: U } } },
    {
      defs: [
        named('Oak', object({ by: to('User'), next: to('Oak') })),
        named('Elm', object({ by: to('User'), next: to('Elm') })),
      ],
    },
  ],
  [
    'a property of a shape, and of a part beside it',
    all(to('Owner'), object({ by: to('User'), pet: text })),
    { by: U, flat: 'x', pet: 'y' },
    {
      changes: { ...typed, Owner: fields({ renamed: { room: 'flat' } }) },
      older: { by: V1, room: 'x', pet: 'y' },
      defs: [named('Owner', object({ by: to('User'), flat: text }))],
    },
  ],
  ['a map in a part', all(map(to('User')), { minProperties: 1 }), { x: U }],
  [
    'a part that requires properties together',
    all(to('User'), { dependentRequired: { id: ['mail'] }, required: ['id'] }),
    { ...U, mail: 'a' },
  ],
  [
    'fields() of a derived shape that requires outside',
    to('Boss'),
    A,
    {
      older: { ...U, level: 'root' },
      changes: { Boss: withLevel },
      defs: [named('Boss', { ...all(to('User'), object({ role: text })), required: ['id', 'role'] })],
    },
  ],
  [
    'a discriminator',
    { ...PETS, discriminator },
    { sort: 'dog', bark: 'x' },
    { older: { kind: 'dog', bark: 'x' }, changes: { Cat: kinds, Dog: kinds } },
  ],
  [
    'a discriminator alone, with a part',
    object({ pet: { anyOf: [to('Tom'), to('Rex')], discriminator: { propertyName: 'sort' } } }),
    { pet: { sort: 'Tom', title: 'a' } },
    {
      older: { pet: { kind: 'Tom', title: 'a' } },
      changes: { Base: kinds, Tom: fields({ added: ['fur'] }) },
      defs: [
        named('Base', object({ sort: text }, 'sort')),
        named('Tom', all(to('Base'), object({ title: text, fur: text }))),
        named('Rex', all(to('Base'), object({ title: text, size: { type: 'number' } }))),
      ],
    },
  ],
  [
    'a discriminator with a mapping',
    {
      anyOf: [to('Tom'), to('Rex')],
      discriminator: { propertyName: 'sort', mapping: { t: to('Tom').$ref, r: 'Rex' } },
    },
    { sort: 'r', bark: 'x' },
    {
      older: { kind: 'r', bark: 'x' },
      changes: { Tom: kinds, Rex: kinds },
      defs: [named('Tom', plain(CAT, 'sort')), named('Rex', plain(DOG, 'sort'))],
    },
  ],
  [
    'a union, by a value that another part requires',
    { anyOf: [part('cat', { by: to('User') }), part('dog', { bark: text })] },
    { sort: 'cat', by: U },
  ],
  [
    'a union, by the required properties of its branches',
    { type: 'array', items: { anyOf: [to('User'), UNTOLD] } },
    [U, { size: 'L' }],
  ],
  [
    'a union, by all of the required properties of a branch',
    { type: 'array', items: { anyOf: [to('User'), object({ size: text, weight: text }, 'size', 'weight')] } },
    [
      { ...U, size: 'L' },
      { title: 'x', size: 'L', weight: '1' },
    ],
    {
      older: [
        { ...V1, size: 'L' },
        { title: 'x', size: 'L', weight: '1' },
      ],
    },
  ],
])('a shape is converted in %s', async (_title, schema, newest, more = {}) => {
  const { older = before(newest), changes = typed, defs = [] } = more
  await holds(schema, [USER, ADMIN, Tagged, CAT, DOG, ...defs], [changes], newest, older)
})

test('documents have the discriminator of their version, and its mapping leads to their components', () => {
  const Cats = shape<Json, Json>(
    object({ kind: { const: 'feline' }, lives: text }, 'kind', 'lives') as never,
    steps as never,
  )
  const items = { ...PETS, discriminator }
  const routes = tableWith({ type: 'array', items }, [CAT, plain(DOG, 'fur')], [])
  const changes = [{ Cat: Cats, Dog: kinds }, { Dog: fields({ added: ['fur'] }) }]
  const { document } = openapi(optionsOf(routes, ...changes))
  const older = { propertyName: 'kind', mapping: { feline: mapping.cat, dog: mapping.dog } }
  const said = ['v1', 'v2', 'v3'].map((version) => responseIn(document(version))?.content?.['application/json']?.schema)
  expect(said).toMatchObject([older, discriminator, discriminator].map((one) => ({ items: { discriminator: one } })))
})

const KITTY = named('Kitty', all(to('Pet'), object({ lives: text })))
const pet = (mapping?: Json) =>
  named('Pet', {
    ...object({ sort: text }, 'sort'),
    discriminator: { propertyName: 'sort', ...(mapping && { mapping }) },
  })
const both = { Cat: kinds, Dog: kinds }
const petOf = (discriminator: Json) => named('Pet', { ...PETS, discriminator })
const elsewhere = { cat: 'https://a.b/x' }
test.each<[title: string, pet: Json, change: OperationChanges, older: unknown]>([
  [
    'of a base',
    pet({ cat: to('Kitty').$ref }),
    { Pet: kinds },
    { propertyName: 'kind', mapping: { cat: to('Kitty').$ref } },
  ],
  ['without a mapping', pet(), { Pet: kinds }, { propertyName: 'kind' }],
  ['with a mapping to another document', pet(elsewhere), { Pet: kinds }, { propertyName: 'kind', mapping: elsewhere }],
  ['whose property no branch has', petOf({ propertyName: 'none' }), both, { propertyName: 'kind' }],
  ['without a property', petOf({ mapping }), both, undefined],
  ['whose older name is that of another property', petOf({ propertyName: 'kind' }), both, { propertyName: 'kind' }],
  [
    'whose property went',
    petOf(discriminator),
    { Cat: fields({ added: { sort: 'cat' } }), Dog: fields({ added: { sort: 'dog' } }) },
    undefined,
  ],
])('the older document has the discriminator %s', (_title, pet, changes, older) => {
  const defs = [pet, KITTY, CAT, DOG]
  const described = { type: 'array', prefixItems: [to('Kitty'), to('Cat'), to('Dog')], $defs: defsOf(defs) }
  const put = { body: null, response: described }
  const routes = describing({ 'PUT other': put }, undefined, tableWith(to('Pet'), defs, {}))
  const { schemas } = openapi(optionsOf(routes, changes)).document('v1').components as Record<string, Json>
  const { Pet, Kitty } = schemas as Record<string, Json>
  expect([Pet?.discriminator, Kitty]).toEqual([older, expect.objectContaining({ allOf: expect.anything() })])
})

const UNFIT = 'which its schema does not allow'
const TAGGED = { anyOf: [to('Cat'), named('Rex', plain(DOG, 'sort'))], discriminator: { propertyName: 'sort' } }
test.each<[title: string, value: unknown, schema?: Json, changes?: OperationChanges]>([
  ['the properties of two branches', { ...U, size: 'L' }],
  ['those of none', { id: '1', other: 1 }],
  ['no discriminator', { bark: 'x' }, TAGGED, { Rex: fields({ renamed: { sound: 'bark' } }) }],
])('a value with %s is rejected', async (_title, value, schema = { anyOf: [to('User'), UNTOLD] }, changes = typed) => {
  const routes = tableWith(schema, [{ ...USER, required: ['title'] }, plain(CAT, 'sort')], value)
  const api = await serve((app) => void app.use(versioning(optionsOf(routes, changes)), express.json(), routes))
  const got = await ask(api, 'v1', '/other')
  expect([got.status, got.text]).toEqual([500, expect.stringContaining(UNFIT)])
  const sent = await ask(api, 'v1', '/other', { method: 'POST', body: before(value) })
  expect([sent.status, sent.text]).toEqual([400, expect.stringContaining('is not valid in version v1')])
})

const OF = 'the response 200 of "GET other"'
const cannot = (why: string, name = 'User', where = `in ${OF}`) =>
  `the shape "${name}" cannot be converted ${where}: ${why}.`
const twice = (name: string) =>
  `the property "${name}" is in two schemas of one value: write it in one of them, or change one of them and say by { places } that the other is its copy`
const PART =
  'it is a part of an object, and shape() of "User" converts whole values: give the object a name, and say its change beside that of "User", or write fields()'
const SEVERAL = 'several schemas speak of one value'
const hidden = (keyword: string, at = keyword) =>
  cannot(`values do not show "${keyword}"`, 'User', `at "/${at}" of ${OF}`)
const other = object({ x: to('User') })
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
  [
    'a property with the shape, inside and outside of branches',
    { ...other, oneOf: [{ ...other, required: ['x'] }, UNTOLD] },
    cannot(twice('x')),
  ],
  ['an older property in another part', all(to('User'), object({ name: text })), cannot(twice('name'))],
  [
    'a property with another schema, which another part has too',
    all(to('User'), object({ mail: text })),
    cannot(twice('mail')),
    {
      User: fields({ converted: { mail: { schema: { type: 'number' } as never, response: Number, request: String } } }),
    },
  ],
  ['a map beside properties', all(map(to('User')), object({ x: text })), cannot(twice('x'))],
  ['two maps', all(map(to('User')), map(to('User')) && { patternProperties: { '^a': to('User') } }), cannot(SEVERAL)],
  ['a union of shapes beside a shape', { anyOf: [to('User'), { type: 'null' }], ...other }, cannot(SEVERAL)],
  ['optional properties', { anyOf: [to('User'), object({ size: text })] }, untold()],
  ['a required property that another branch has', { anyOf: [to('User'), object({ title: text }, 'title')] }, untold()],
  ['a map beside a branch', { anyOf: [to('User'), { ...UNTOLD, additionalProperties: text }] }, untold()],
  [
    'a string by shape() beside strings',
    { anyOf: [named('Text', text), { ...text, minLength: 1 }] },
    untold('Text'),
    { Text },
  ],
  [
    'not, deep in a part',
    all({ properties: { a: { not: to('User') } } }, {}),
    hidden('not', 'allOf/0/properties/a/not'),
  ],
  ['dependentSchemas', { dependentSchemas: { a: to('User') } }, hidden('dependentSchemas', 'dependentSchemas/a')],
  ...'not if then else propertyNames unevaluatedProperties unevaluatedItems contentSchema'
    .split(' ')
    .map((keyword): [string, Json, string] => [keyword, { if: {}, [keyword]: to('User') }, hidden(keyword)]),
])('versioning() rejects %s', (_title, schema, message, ...changes) => {
  const routes = tableWith(schema, [USER, ADMIN], {})
  const lines = told(() => versioning(optionsOf(routes, ...(changes.length === 0 ? [typed] : changes))))
    .split('\n')
    .map((line) => line.replace(/^(?:versioning\(\): |- )/, '').replaceAll('the body of "POST other"', OF))
  expect([...new Set(lines)].filter((line) => !/^\d+ things/.test(line))).toEqual([message])
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
])('a base with a discriminator, and %s', (_title, schema, changes, base, message = '') => {
  const $defs = defsOf([USER, base, TOM, KITTEN, REX])
  const response = (one: unknown) => ({ response: { ...(one as Json), $defs } })
  const all = response({ prefixItems: [to('Kitten'), to('Rex')] })
  const routes = describing({ 'GET other': response(schema), 'GET user-list': all })
  expect(told(() => versioning(optionsOf(routes, changes)))).toBe(message === '' ? '' : `versioning(): ${message}`)
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
  const Boss = shape<Json, Json>(object({}) as never, steps as never)
  expect(() => versioning(optionsOf(routes, { Boss }))).not.toThrow()
})

test.each<[schema: Json, remedy: string]>([
  [{ type: 'string', nullable: true }, `{ type: ['string', 'null'] }, or { anyOf: [{ ... }, { type: 'null' }] }`],
  [{ minimum: 0, exclusiveMinimum: true }, '{ exclusiveMinimum: 0 } instead of { minimum: 0, exclusiveMinimum: true }'],
  [
    { maximum: 0, exclusiveMaximum: false },
    '{ exclusiveMaximum: 9 } instead of { maximum: 9, exclusiveMaximum: true }',
  ],
])('words of OpenAPI 3.0 are rejected: %j', (schema, remedy) => {
  const routes = tableWith(object({ a: schema, u: to('User') }), [USER], {})
  const word = Object.entries(schema).at(-1)?.join(': ')
  const message = `it has "${word}" at "/properties/a", as OpenAPI 3.0 has it; OpenAPI 3.1 says ${remedy}`
  expect(told(() => versioning(optionsOf(routes, typed)))).toContain(message)
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
