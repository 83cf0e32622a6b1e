import type { Schema } from 'express-versioning'
import { z } from 'zod'
import { sampleOf } from '../../src/schemas/sample'

const required = (properties: Record<string, Schema>) => ({
  properties,
  required: Object.keys(properties),
  type: 'object',
})
const Tree = z.object({
  name: z.string(),
  get parent() {
    return Tree.nullable()
  },
})
/** Each of them twice in the next one. */
const deep = Object.fromEntries(
  Array.from({ length: 40 }, (_, depth) => {
    const next = { $ref: `#/$defs/a${depth + 1}` }
    return [`a${depth}`, required({ a: next, b: next })]
  }),
)

test.each<[string, Schema, sample: unknown]>([
  ['examples', z.object({ a: z.string() }).meta({ examples: [{ a: 'x' }] }), { a: 'x' }],
  [
    'texts',
    required({
      a: { type: 'string', minLength: 6 },
      b: { type: 'string', format: 'date' },
      c: { type: ['null', 'string'] },
    }),
    { a: 'text..', b: '2026-01-01', c: 'text' },
  ],
  [
    'numbers',
    required({ a: { type: 'integer', minimum: 7 }, b: { type: 'number', exclusiveMinimum: 7 }, c: { type: 'number' } }),
    { a: 7, b: 8, c: 1 },
  ],
  [
    'lists',
    required({
      a: { type: 'array', items: {} },
      b: { type: 'array', minItems: 1, items: { type: 'boolean' } },
      c: { type: 'array', minItems: 1 },
    }),
    { a: [], b: [true], c: [] },
  ],
  [
    'a choice of schemas',
    required({ a: { anyOf: [{ type: 'null' }, { type: 'integer' }] }, b: { oneOf: [{ type: 'null' }] } }),
    { a: 1, b: null },
  ],
  ['all of some', { allOf: [required({ a: { const: 1 } }), required({ b: { const: 2 } }), true] }, { a: 1, b: 2 }],
  ['all of what is no object', { allOf: [{ type: 'integer', minimum: 3 }, { maximum: 4 }] }, 3],
  ['a name', { $defs: { A: required({ a: { type: 'boolean' } }) }, $ref: '#/$defs/A' }, { a: true }],
  ['what is elsewhere', { $ref: 'https://a.example/' }, {}],
  ['itself', Tree, { name: 'text', parent: null }],
  ['what lists no such property', { type: 'object', required: ['a'] }, {}],
  ['properties without a type', { properties: { a: { const: 1 } }, required: ['a'] }, { a: 1 }],
  ['an object that requires nothing', { type: 'object', properties: { a: true } }, {}],
  ['anything', true, {}],
])('a body of %s', (_name, schema, sample) => {
  expect(sampleOf(schema, new Map())).toEqual(sample)
})

test('a body by the definitions of a version, and of schemas that are too deep', () => {
  const definitions = new Map<string, Schema>([['A', required({ old: { const: 1 } })]])
  expect(sampleOf(required({ a: { $id: 'A' } }), definitions)).toEqual({ a: { old: 1 } })
  expect(
    JSON.stringify(sampleOf({ $ref: '#/$defs/a0', $defs: { ...deep, a40: {} } }, definitions)).length,
  ).toBeLessThan(10_000)
})
