import type { Schema } from 'express-versioning'
import { z } from 'zod'
import { byStatus, saidOf } from '../../src/schemas/answers'
import { isResponse, isSchema } from '../../src/schemas/check'
import { type Context, DescribedNames, NO_DEFINITIONS } from '../../src/schemas/definitions'
import { differenceOf } from '../../src/schemas/differences'
import { readSchema } from '../../src/schemas/reading'

const read = (schema: Schema) => {
  const { schema: root, definitions } = readSchema(schema, 'output')
  return [root, Object.fromEntries(definitions)]
}

const text = { type: 'string' } as const
const user = { type: 'object', properties: { name: text } } as const
const User = z.object({ name: z.string().optional() }).meta({ id: 'User' })
const strict = { ...user, additionalProperties: false }
const Tree = z.object({
  get kids() {
    return z.array(Tree).optional()
  },
})
const to = ($ref: string) => ({ $ref })
const [A, inA, NONE, toRoot, toUser] = [to('A'), { A: text }, { not: {} }, to('#'), to('User')]
const HASH = '#/$defs/%23a'
const listOf = (items: object) => ({ type: 'array', items })
const objectOf = (properties: object) => {
  const required = Object.keys(properties).filter((name) => name !== 'kids')
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false }
}

describe('a schema is read', () => {
  test.each<[string, Schema, root: object, definitions: object]>([
    ['true', true, {}, {}],
    ['false', false, NONE, {}],
    ['zod with a name', User, toUser, { User: strict }],
    [
      'zod with a name in it',
      z.object({ a: User, b: z.array(User) }),
      objectOf({ a: toUser, b: listOf(toUser) }),
      { User: strict },
    ],
    ['zod that contains itself', Tree, toRoot, { '#': objectOf({ kids: listOf(toRoot) }) }],
    ['a name in an address', { $id: 'https://a.example/s/User.json', ...user }, toUser, { User: user }],
    ['an address without a name', { $id: 'https://a.example/?x', not: to('/?x') }, toRoot, { '#': { not: toRoot } }],
    ['a name that is generated', { $id: 'T1', not: text }, { not: text }, {}],
    ['a part', { $defs: { A: text, B: {} }, not: to('#/$defs/A') }, { not: A }, inA],
    [
      'a part without a name',
      { $defs: { '': text }, not: to('#/$defs/') },
      { not: to('#/$defs/') },
      { '#/$defs/': text },
    ],
    ['a part like a pointer', { $defs: { '#a': text }, not: to(HASH) }, { not: to(HASH) }, { [HASH]: text }],
    ['escapes', { $defs: { 'a/~b%': text }, not: to('#/$defs/a~1~0b%') }, { not: to('a/~b%') }, { 'a/~b%': text }],
    [
      'a property',
      { items: text, not: to('#/items') },
      { items: to('#/items'), not: to('#/items') },
      { '#/items': text },
    ],
    ['an anchor', { $defs: { A: { $anchor: 'x', ...text } }, not: to('#x') }, { not: A }, inA],
    [
      'the first anchor',
      { $defs: { A: { $anchor: 'x', ...text }, B: { $anchor: 'x' } }, not: to('#x') },
      { not: A },
      inA,
    ],
    [
      'a dynamic anchor',
      { $defs: { A: { $dynamicAnchor: 'x', ...text } }, not: { $dynamicRef: '#x' } },
      { not: A },
      inA,
    ],
    [
      'an address below',
      { $id: 'https://a.example/', not: to('A'), $defs: { B: { $id: 'A', ...text } } },
      { not: A },
      inA,
    ],
    [
      'the first address',
      { $defs: { A: { $id: 'x:A', ...text }, B: { $id: 'x:A' } }, not: to('x:A') },
      { not: A },
      inA,
    ],
    ['no address', { $id: 'http://[', not: to('http://[') }, to('['), { '[': { not: to('[') } }],
    ['what is elsewhere', { not: to('https://a.example/') }, { not: to('https://a.example/') }, {}],
    ['what `extend` may add', { not: to('#/components/x') }, { not: to('#/components/x') }, {}],
    [
      'no place of schemas',
      { x: { not: to('#/x/y'), y: text }, not: to('#/x') },
      { x: { not: to('#/x/y'), y: text }, not: to('#/x') },
      { '#/x': { not: to('#/x/y'), y: text }, '#/x/y': text },
    ],
    ['data', { const: A, enum: [A], not: { $ref: 7 } }, { const: A, enum: [A], not: { $ref: 7 } }, {}],
    ['inner booleans', { not: true, items: false, allOf: [false] }, { not: {}, items: false, allOf: [NONE] }, {}],
    ['no schemas', { allOf: 7, properties: null, not: 'x' } as never, { allOf: 7, properties: null, not: 'x' }, {}],
    [
      'equal schemas of one name',
      { items: { $id: 'A', ...text }, not: { $id: 'A', ...text } },
      { items: A, not: A },
      inA,
    ],
  ])('%s', (_name, schema, root, definitions) => {
    expect(read(schema)).toEqual([root, definitions])
    if (typeof schema !== 'boolean') expect(readSchema(schema, 'output')).toBe(readSchema(schema, 'output'))
  })

  const standard = (jsonSchema: unknown) => ({
    '~standard': { jsonSchema: { input: () => jsonSchema, output: () => jsonSchema } },
  })
  test.each<[string, Schema, message: string]>([
    [
      'two of one name',
      { allOf: [{ $id: 'A', type: 'null' }], not: { $id: 'A' } },
      'two different schemas in it have the name "A"',
    ],
    ['a reference to nothing', { not: to('#/$defs/A') }, 'it refers to "#/$defs/A", which does not exist'],
    ['an anchor of nothing', { not: { $ref: '#x' } }, 'it refers to "#x", which does not exist'],
    [
      'a pointer into text',
      { title: 'x', not: { $ref: '#/title/0' } },
      'it refers to "#/title/0", which does not exist',
    ],
    ['a library that gives a list', standard([]) as never, '"~standard.jsonSchema" returned a list'],
    ['a library that gives null', standard(null) as never, '"~standard.jsonSchema" returned null'],
  ])('but not %s', (_name, schema, message) => {
    expect(() => readSchema(schema, 'output')).toThrow(new TypeError(message))
  })
})

const loop = (key: string, type: string) => ({
  $defs: { [key]: { type, not: { $ref: `#/$defs/${key}` } } },
  not: { $ref: `#/$defs/${key}` },
})
test.each<[string, Schema, Schema, difference: string | undefined]>([
  ['order in sets', { required: ['a', 'b'] }, { required: ['b', 'a'] }, undefined],
  ['order elsewhere', { prefixItems: [text, {}] }, { prefixItems: [{}, text] }, '/prefixItems/0/type'],
  ['the length of lists', { prefixItems: [text] }, { prefixItems: [text, {}] }, '/prefixItems'],
  ['a type in place of types', { type: ['string'] }, { type: 'string' }, '/type'],
  ['what is inside by name', { items: { $id: 'A', not: text } }, { items: { $id: 'A' } }, undefined],
  ['a name of another', { items: { $id: 'A' } }, { items: { $id: 'B' } }, '/items/$ref'],
  ['a name of none', { items: { $id: 'A' } }, { items: {} }, '/items/$ref'],
  ['parts without names', loop('T1', 'null'), loop('T2', 'null'), undefined],
  ['other parts without names', loop('T1', 'null'), loop('T2', 'string'), '/not/$ref/type'],
  ['what is elsewhere', { not: { $ref: 'x:1' } }, { not: { $ref: 'x:1' } }, undefined],
])('the difference of schemas: %s', (_name, one, other, difference) => {
  expect(differenceOf(readSchema(one, 'output'), readSchema(other, 'output'))).toBe(difference)
})

test('the difference of schemas counts only rules', () => {
  const [one, other] = [
    { title: 'a', ...text },
    { title: 'b', ...text },
  ].map((schema) => readSchema(schema, 'input'))
  expect(differenceOf(one as never, other as never)).toBe('/title')
  expect(differenceOf(one as never, other as never, (keyword) => keyword !== 'title')).toBe(undefined)
})

const looped: Record<string, unknown> = {}
looped.not = { items: looped }
const arktype = Object.assign(() => {}, { '~standard': { jsonSchema: { input() {}, output() {} } } })
test.each<[string, unknown, isSchema: boolean, isResponse?: boolean]>([
  ['plain JSON Schema', { type: 'object', properties: { a: { enum: [1, null] } }, description: undefined }, true],
  ['a boolean', false, true],
  ['without a prototype', Object.create(null), true],
  ['one function of arktype', arktype, true],
  ['a function', () => {}, false],
  ['a text', 'x', false],
  ['a list', [], false],
  ['null', null, false],
  ['undefined', undefined, false],
  ['a number that JSON cannot hold', { minimum: Number.NaN }, false],
  ['an inner function', { not: () => {} }, false],
  ['a Standard Schema that cannot say itself', { '~standard': {} }, false],
  ['one that can say its input alone', { '~standard': { jsonSchema: { input() {} } } }, false],
  ['one that can say its output alone', { '~standard': { jsonSchema: { output() {} } } }, false],
  ['of a class, such as of Joi 17', new (class {})(), false],
  ['in a loop', looped, false],
  ['by status', { 200: text, '4XX': true, 204: null, 205: undefined, default: false }, true, true],
  ['a wrong one by status', { 200: 7 }, true, false],
  ['by status and by a keyword', { 200: text, type: 'null' }, true, false],
  ['by a status that is none', { 600: () => {} }, false],
])('may be a schema, and an answer: %s', (_name, value, schema, response = schema) => {
  expect([isSchema(value), isResponse(value)]).toEqual([schema, response])
})

test.each<[said: unknown, entries: object, of204: unknown, of404: unknown]>([
  [undefined, {}, undefined, undefined],
  [null, { '2XX': null }, null, undefined],
  [text, { 200: text }, undefined, undefined],
  [User, { 200: User }, undefined, undefined],
  [{ 201: text, '4XX': user, 204: null, 205: undefined }, { 201: text, '4XX': user, 204: null }, null, user],
  [{ 404: text, '4XX': user, default: null }, { 404: text, '4XX': user, default: null }, null, text],
  [{ default: text }, { 200: { default: text } }, undefined, undefined],
])('schemas of answers by status: %j', (said, entries, of204, of404) => {
  const answers = byStatus(said, '200')
  expect(Object.fromEntries(answers)).toEqual(entries)
  expect([saidOf(answers, 204), saidOf(answers, 404)]).toEqual([of204, of404])
  expect(byStatus(text, '2XX')).toEqual(new Map([['2XX', text]]))
})

describe('names of a document', () => {
  const names = () => {
    const all = new DescribedNames()
    all.add({ $id: 'A', ...text }, 'output', NO_DEFINITIONS, 'GET a')
    return all
  }
  const context = (schema: Schema, more: Partial<Context> = {}): Context => {
    const reading = readSchema(schema, 'output')
    return { reading, direction: 'output', definitions: NO_DEFINITIONS, hint: 'Hint', ...more }
  }

  test('another operation may give the same schema, but no other', () => {
    const all = names()
    const add =
      (schema: Schema, definitions = NO_DEFINITIONS) =>
      () =>
        all.add(schema, 'output', definitions, 'GET b')
    expect(add({ $id: 'A', ...text })).not.toThrow()
    const told = 'its schema "A" differs from that of "GET a" at "/type"'
    expect(add({ $id: 'A', type: 'null' })).toThrow(new TypeError(told))
    expect(add({ $id: 'A', type: 'null' }, new Map([['A', {}]]))).not.toThrow()
    // zod cannot say the output of a transform, which no operation needs here.
    const date = z.object({ a: z.date() }).meta({ id: 'D' })
    expect(() => all.add(z.string().transform(Number), 'input', NO_DEFINITIONS, 'GET c')).not.toThrow()
    expect(() => all.add(date, 'input', NO_DEFINITIONS, 'GET d')).toThrow('Date cannot be represented in JSON Schema')
  })

  const own = new Map<string, Schema>([['A', { $id: 'B', type: 'null' }]])
  const plain = new Map<string, Schema>([['A', { type: 'null' }]])
  const parts = {
    $defs: { T1: { title: 'Titled' }, T2: { title: '' }, T3: {} },
    allOf: ['1', '2', '3'].map((n) => ({ $ref: `#/$defs/T${n}` })),
  }
  test.each<[string, reference: string, Context, expected: object | undefined]>([
    ['a description', 'A', context({}), { schema: text, key: 'description A', name: 'A', namedBy: 'description' }],
    ['of this schema alone', 'C', context({ $id: 'C', ...user }), { schema: user, name: 'C', namedBy: 'description' }],
    ['nowhere', 'x:1', context({}), undefined],
    ['a pointer to nowhere', '#/not', context({}), undefined],
    [
      'a version',
      'A',
      context({}, { definitions: plain }),
      { schema: { type: 'null' }, key: 'version A', name: 'A', namedBy: 'version' },
    ],
    [
      'a version that calls itself otherwise',
      'A',
      context({}, { definitions: own }),
      { schema: { type: 'null' }, name: 'A', namedBy: 'version' },
    ],
    [
      'that version’s own key',
      'B',
      context({}, { definitions: own, self: { key: 'B', name: 'A' } }),
      { key: 'version A', name: 'A' },
    ],
    ['a title', '#/$defs/T1', context(parts), { name: 'Titled', namedBy: undefined }],
    ['an empty title', '#/$defs/T2', context(parts), { name: 'Hint-part' }],
    ['no title', '#/$defs/T3', context(parts), { name: 'Hint-part', schema: {} }],
    ['the root', '#', context(Tree), { name: 'Hint' }],
  ])('a reference leads to %s', (_what, reference, from, expected) => {
    const target = names().targetOf(reference, from)
    if (expected === undefined) expect(target).toBe(undefined)
    else expect(target).toMatchObject(expected)
  })
})
