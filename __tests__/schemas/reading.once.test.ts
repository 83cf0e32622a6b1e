import type { Schema } from 'express-versioning'
import { z } from 'zod'
import { isSchema } from '../../src/schemas/check'
import { differenceOf } from '../../src/schemas/differences'
import { definitionOf, type SchemaReading } from '../../src/schemas/model'
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

test.each<[string, Schema, root: object, definitions: object]>([
  ['a boolean', false, { not: {} }, {}],
  ['zod with a name', User, { $ref: 'User' }, { User: strict }],
  [
    'zod with a name in it',
    z.object({ a: User, b: z.array(User).meta({ description: 'all' }) }).partial(),
    {
      type: 'object',
      properties: { a: { $ref: 'User' }, b: { type: 'array', items: { $ref: 'User' }, description: 'all' } },
      additionalProperties: false,
    },
    { User: strict },
  ],
  [
    'zod without a name that is recursive',
    z.array(Tree),
    { type: 'array', items: { $ref: '#/$defs/__schema0' } },
    {
      '#/$defs/__schema0': {
        type: 'object',
        properties: { kids: { type: 'array', items: { $ref: '#/$defs/__schema0' } } },
        additionalProperties: false,
      },
    },
  ],
  ['a name in an address', { $id: 'https://a.example/s/User.json', ...user }, { $ref: 'User' }, { User: user }],
  [
    'TypeBox, which repeats what has a name',
    { properties: { a: { $id: 'User', ...user }, b: { items: { $id: 'User', ...user } }, c: { $ref: 'User' } } },
    { properties: { a: { $ref: 'User' }, b: { items: { $ref: 'User' } }, c: { $ref: 'User' } } },
    { User: user },
  ],
  [
    'TypeBox: a recursive one without a name, and one that is elsewhere',
    { properties: { a: { $id: 'T0', items: { $ref: 'T0' } }, b: { $ref: 'Other' } } },
    { properties: { a: { $ref: '#/properties/a' }, b: { $ref: 'Other' } } },
    { '#/properties/a': { items: { $ref: '#/properties/a' } } },
  ],
  [
    'TypeBox: a module',
    { $defs: { User: { $id: 'User', ...user }, Post: { $id: 'Post', items: { $ref: 'User' } } }, $ref: 'Post' },
    { $ref: 'Post' },
    { Post: { items: { $ref: 'User' } }, User: user },
  ],
  [
    'arktype, which numbers',
    { $ref: '#/$defs/intersection226', $defs: { intersection226: { items: { $ref: '#/$defs/intersection226' } } } },
    { $ref: '#/$defs/intersection226' },
    { '#/$defs/intersection226': { items: { $ref: '#/$defs/intersection226' } } },
  ],
  [
    'parts that a person named, some of which nobody uses',
    {
      $defs: { A: { items: { $ref: '#/$defs/B' } }, B: true, C: text, '#': text },
      allOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/%23' }],
    },
    { allOf: [{ $ref: 'A' }, { $ref: '#/$defs/%23' }] },
    { A: { items: { $ref: 'B' } }, B: {}, '#/$defs/%23': text },
  ],
  [
    'addresses and anchors',
    {
      $id: 'https://a.example/Root#',
      not: { $anchor: 'leaf', $dynamicAnchor: 'no/de' },
      anyOf: [{ $ref: 'Root#leaf' }, { $dynamicRef: '#no/de' }, { $ref: '#/x-own/a%20b' }, { $ref: 'http://[' }],
      contains: { $id: '?no-name', $ref: '#', $anchor: 'leaf' },
      'x-own': { 'a b': { $ref: '#leaf' } },
    },
    { $ref: 'Root' },
    {
      Root: {
        not: { $ref: '#/not' },
        anyOf: [{ $ref: '#/not' }, { $ref: '#/not' }, { $ref: '#/x-own/a%20b' }, { $ref: 'http://[' }],
        contains: { $ref: '#/contains' },
        'x-own': { 'a b': { $ref: '#leaf' } },
      },
      '#/not': {},
      '#/x-own/a%20b': { $ref: '#/not' },
      '#/contains': { $ref: '#/contains' },
    },
  ],
  [
    'other keywords than those of schemas',
    {
      properties: null,
      not: 'x',
      allOf: 7,
      items: [false],
      additionalProperties: false,
      const: { $ref: '#/none', $id: 'x' },
    } as never,
    {
      properties: null,
      not: 'x',
      allOf: 7,
      items: [{ not: {} }],
      additionalProperties: false,
      const: { $ref: '#/none', $id: 'x' },
    },
    {},
  ],
  [
    'a pointer that cannot be decoded',
    { not: { $ref: '#/%zz' }, '%zz': true },
    { not: { $ref: '#/%25zz' }, '%zz': true },
    { '#/%25zz': {} },
  ],
])('%s', (_name, schema, root, definitions) => {
  expect(read(schema)).toEqual([root, definitions])
  expect(readSchema(schema, 'output')).toEqual(readSchema(schema, 'output'))
})

test.each<[string, Schema, message: string]>([
  [
    'two schemas of one name',
    { allOf: [{ $id: 'A', type: 'null' }], not: { $id: 'A' } },
    'two different schemas in it have the name "A"',
  ],
  ['a reference to nothing', { not: { $ref: '#/$defs/A' } }, 'it refers to "#/$defs/A", which does not exist'],
  [
    'a library that gives no schema',
    { '~standard': { jsonSchema: { output: () => [] } } } as never,
    '"~standard.jsonSchema" returned a list',
  ],
])('%s is a TypeError', (_name, schema, message) => {
  expect(() => readSchema(schema, 'output')).toThrow(new TypeError(message))
})

test('two schemas of one name that say the same are one', () => {
  const one = (numbered: string) => ({
    $id: 'A',
    required: ['a', 'b'],
    not: { $ref: '#/contains' },
    contains: { items: { $ref: '#/contains' } },
    [numbered]: undefined,
  })
  const schema = { anyOf: [one('x'), { ...one('y'), required: ['b', 'a'] }] }
  expect(read(schema)[0]).toEqual({ anyOf: [{ $ref: 'A' }, { $ref: 'A' }] })
})

test.each<[string, Schema, Schema, difference: string | undefined]>([
  ['order in sets', { required: ['a', 'b'] }, { required: ['b', 'a'] }, undefined],
  ['order elsewhere', { prefixItems: [text, {}] }, { prefixItems: [{}, text] }, '/prefixItems/0/type'],
  ['a type in place of types', { type: ['string'] }, { type: 'string' }, '/type'],
  ['what is inside by name', { items: { $id: 'A', not: text } }, { items: { $id: 'A' } }, undefined],
  ['a name of another', { items: { $id: 'A' } }, { items: { $id: 'B' } }, '/items/$ref'],
  ['a name of none', { items: { $id: 'A' } }, { items: {} }, '/items/$ref'],
  [
    'numbers of what nobody named',
    { items: { $ref: '#/$defs/__schema0' }, $defs: { __schema0: { not: { $ref: '#/$defs/__schema0' } } } },
    { items: { $ref: '#/$defs/__schema1' }, $defs: { __schema1: { not: { $ref: '#/$defs/__schema1' } } } },
    undefined,
  ],
  [
    'what nobody named',
    { items: { $ref: '#/$defs/__schema0' }, $defs: { __schema0: { not: text } } },
    { items: { $ref: '#/$defs/__schema0' }, $defs: { __schema0: { not: {} } } },
    '/items/$ref/not/type',
  ],
])('the difference of schemas: %s', (_name, one, other, difference) => {
  expect(differenceOf(readSchema(one, 'output'), readSchema(other, 'output'))).toBe(difference)
})

test('definitions are readings of their own, and rules may be left out of a comparison', () => {
  const [input, output] = (['input', 'output'] as const).map((direction) =>
    definitionOf(readSchema(User, direction), 'User'),
  )
  expect(definitionOf(readSchema(User, 'input'), 'Other')).toBeUndefined()
  expect(differenceOf(input as SchemaReading, output as SchemaReading)).toBe('/additionalProperties')
  expect(
    differenceOf(input as SchemaReading, output as SchemaReading, (keyword) => keyword !== 'additionalProperties'),
  ).toBeUndefined()
})

const looped: Record<string, unknown> = {}
looped.not = { items: looped }
test.each<[string, unknown, boolean]>([
  ['a boolean', true, true],
  ['plain JSON Schema', { type: 'object', properties: { a: { enum: [1, null] } }, description: undefined }, true],
  ['without a prototype', Object.create(null), true],
  ['of zod', User, true],
  ['a function', () => {}, false],
  ['a list', [], false],
  ['null', null, false],
  ['a Standard Schema that cannot say itself', { '~standard': {} }, false],
  ['of a class, such as of Joi 17', new (class {})(), false],
  ['with such in it', { properties: { a: User } }, false],
  ['with a function in it', { not: () => {} }, false],
  ['with no number in it', { minimum: Number.NaN }, false],
  ['in a loop', looped, false],
])('is a schema: %s', (_name, value, expected) => {
  expect(isSchema(value)).toBe(expected)
})
