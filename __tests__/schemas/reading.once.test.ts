import type { Schema } from 'express-versioning'
import { z } from 'zod'
import { isSchema } from '../../src/schemas/check'
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
  ['a name in an address', { $id: 'https://a.example/s/User.json', ...user }, { $ref: 'User' }, { User: user }],
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
])('%s is a TypeError', (_name, schema, message) => {
  expect(() => readSchema(schema, 'output')).toThrow(new TypeError(message))
})

test.each<[string, Schema, Schema, difference: string | undefined]>([
  ['order in sets', { required: ['a', 'b'] }, { required: ['b', 'a'] }, undefined],
  ['order elsewhere', { prefixItems: [text, {}] }, { prefixItems: [{}, text] }, '/prefixItems/0/type'],
  ['a type in place of types', { type: ['string'] }, { type: 'string' }, '/type'],
  ['what is inside by name', { items: { $id: 'A', not: text } }, { items: { $id: 'A' } }, undefined],
  ['a name of another', { items: { $id: 'A' } }, { items: { $id: 'B' } }, '/items/$ref'],
  ['a name of none', { items: { $id: 'A' } }, { items: {} }, '/items/$ref'],
])('the difference of schemas: %s', (_name, one, other, difference) => {
  expect(differenceOf(readSchema(one, 'output'), readSchema(other, 'output'))).toBe(difference)
})

const looped: Record<string, unknown> = {}
looped.not = { items: looped }
test.each<[string, unknown, boolean]>([
  ['plain JSON Schema', { type: 'object', properties: { a: { enum: [1, null] } }, description: undefined }, true],
  ['without a prototype', Object.create(null), true],
  ['a function', () => {}, false],
  ['a list', [], false],
  ['null', null, false],
  ['a Standard Schema that cannot say itself', { '~standard': {} }, false],
  ['of a class, such as of Joi 17', new (class {})(), false],
  ['in a loop', looped, false],
])('is a schema: %s', (_name, value, expected) => {
  expect(isSchema(value)).toBe(expected)
})
