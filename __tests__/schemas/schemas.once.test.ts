import type { Schema } from 'express-versioning'
import { z } from 'zod'
import { isResponse, isSchema } from '../../src/schemas/check'
import { differenceOf } from '../../src/schemas/differences'
import { discriminatorIn } from '../../src/schemas/discriminators'
import { readSchema, schemaOf } from '../../src/schemas/reading'
import { byStatus, saidOf } from '../../src/schemas/responses'
import { sampleOf } from '../../src/schemas/sample'
import { rows } from '../support/rows'

const text = { type: 'string' } as const
const user = { type: 'object', properties: { name: text } } as const
const Library = z.object({})

const ref = ($ref: string) => ({ $ref })

test.each<{ name: string; schema: object; read: object; definitions: object }>([
  {
    name: 'a name',
    schema: { $id: 'https://a.example/s/A.json', not: text },
    read: ref('A'),
    definitions: { A: { not: text } },
  },
  {
    name: 'no name',
    schema: { $id: 'https://a.example/?x', not: ref('/?x') },
    read: ref('#'),
    definitions: { '#': { not: ref('#') } },
  },
  {
    name: 'a part',
    schema: { $defs: { A: text, B: {} }, not: ref('#/$defs/A') },
    read: { not: ref('A') },
    definitions: { A: text },
  },
  {
    name: 'a nameless part',
    schema: { $defs: { '': text }, not: ref('#/$defs/') },
    read: { not: ref('#/$defs/') },
    definitions: { '#/$defs/': text },
  },
  {
    name: 'like a pointer',
    schema: { $defs: { '#a': text }, not: ref('#/$defs/%23a') },
    read: { not: ref('#/$defs/%23a') },
    definitions: { '#/$defs/%23a': text },
  },
  {
    name: 'escapes',
    schema: { $defs: { 'a/~b%': text }, not: ref('#/$defs/a~1~0b%') },
    read: { not: ref('a/~b%') },
    definitions: { 'a/~b%': text },
  },
  {
    name: 'the first anchor',
    schema: { $defs: { A: { $anchor: 'x' }, B: { $anchor: 'x', not: text } }, not: ref('#x') },
    read: { not: ref('A') },
    definitions: { A: {} },
  },
  {
    name: 'a dynamic anchor',
    schema: { $defs: { A: { $dynamicAnchor: 'x' } }, not: { $dynamicRef: '#x' } },
    read: { not: ref('A') },
    definitions: { A: {} },
  },
  {
    name: 'a dynamic reference without such an anchor',
    schema: { $defs: { A: { $anchor: 'x' } }, not: { $dynamicRef: '#x' } },
    read: { not: ref('A') },
    definitions: { A: {} },
  },
  {
    name: 'an address below',
    schema: { $id: 'https://a.example/', not: ref('A'), $defs: { B: { $id: 'A' } } },
    read: { not: ref('A') },
    definitions: { A: {} },
  },
  {
    name: 'the first address',
    schema: { not: ref('x:A'), $defs: { A: { $id: 'x:A' }, B: { $id: 'x:A', not: text } } },
    read: { not: ref('A') },
    definitions: { A: {} },
  },
  {
    name: 'no address',
    schema: { $id: 'http://[', not: ref('http://[') },
    read: ref('['),
    definitions: { '[': { not: ref('[') } },
  },
  {
    name: 'what is added later',
    schema: { not: ref('#/components/x') },
    read: { not: ref('#/components/x') },
    definitions: {},
  },
  {
    name: "no schemas' place",
    schema: { x: { not: ref('#/x/y'), y: text }, not: ref('#/x') },
    read: { x: { not: ref('#/x/y'), y: text }, not: ref('#/x') },
    definitions: { '#/x': { not: ref('#/x/y'), y: text }, '#/x/y': text },
  },
  {
    name: 'data',
    schema: { const: ref('A'), enum: [ref('A')], not: { $ref: 7 } },
    read: { const: ref('A'), enum: [ref('A')], not: { $ref: 7 } },
    definitions: {},
  },
  {
    name: 'a name like generated ones',
    schema: { $id: 'T1', not: text },
    read: ref('T1'),
    definitions: { T1: { not: text } },
  },
  {
    name: 'a generated name',
    schema: { $defs: { __schema0: text }, not: ref('#/$defs/__schema0') },
    read: { not: ref('#/$defs/__schema0') },
    definitions: { '#/$defs/__schema0': text },
  },
  {
    name: 'a file elsewhere',
    schema: { not: ref('User.json'), if: ref('https://a.example/s/User#') },
    read: { not: ref('User'), if: ref('User') },
    definitions: {},
  },
  {
    name: 'an address elsewhere',
    schema: { $id: 'https://a.example/s/A', not: ref('../User') },
    read: ref('A'),
    definitions: { A: { not: ref('User') } },
  },
  {
    name: 'a component',
    schema: { not: ref('#/components/schemas/a~1b') },
    read: { not: ref('a/b') },
    definitions: {},
  },
  {
    name: 'a part elsewhere',
    schema: { not: ref('User.json#/properties/id') },
    read: { not: ref('User.json#/properties/id') },
    definitions: {},
  },
  {
    name: 'a name behind an unknown keyword',
    schema: { x: { y: { $id: 'A', not: ref('z') } }, not: ref('#/x/y') },
    read: { x: { y: { $id: 'A', not: ref('z') } }, not: ref('A') },
    definitions: { A: { not: ref('z') } },
  },
  {
    name: 'a tuple of draft 7',
    schema: { items: [text, ref('#')], additionalItems: false },
    read: ref('#'),
    definitions: { '#': { prefixItems: [text, ref('#')], items: false } },
  },
  {
    name: 'an open tuple',
    schema: { items: [{ $id: 'A' }] },
    read: { prefixItems: [ref('A')] },
    definitions: { A: {} },
  },
  {
    name: 'dependencies',
    schema: { dependencies: { a: ['b'], c: { $id: 'A' } } },
    read: { dependencies: { a: ['b'], c: ref('A') } },
    definitions: { A: {} },
  },
  {
    name: 'inner booleans',
    schema: { not: true, items: false, allOf: [false] },
    read: { not: {}, items: false, allOf: [{ not: {} }] },
    definitions: {},
  },
  { name: 'null as a schema', schema: { items: null }, read: { items: {} }, definitions: {} },
  {
    name: 'one name, equal',
    schema: { items: { $id: 'A' }, not: { $id: 'A' } },
    read: { items: ref('A'), not: ref('A') },
    definitions: { A: {} },
  },
])('a schema is read: $name', ({ schema, read, definitions }) => {
  const reading = readSchema(schema as Schema, 'output')
  expect([reading.schema, Object.fromEntries(reading.definitions)]).toEqual([read, definitions])
})

test('a schema of a library is read once, and apart for each direction', () => {
  expect(readSchema(Library, 'output')).toBe(readSchema(Library, 'output'))
  expect(readSchema(Library, 'output')).not.toBe(readSchema(Library, 'input'))
  expect(readSchema(user, 'output')).toBe(readSchema(user, 'input'))
})

const standard = (json: unknown) => ({ '~standard': { jsonSchema: { output: () => json } } }) as Schema
test.each<[Schema, message: string]>([
  [{ allOf: [{ $id: 'A', ...text }], not: { $id: 'A' } }, 'two different schemas in it have the name "A"'],
  [{ not: { $ref: '#x' } }, 'it refers to "#x", which does not exist'],
  [{ title: 'x', not: { $ref: '#/title/0' } }, 'it refers to "#/title/0", which does not exist'],
  [{ not: { $ref: '#/constructor' } }, 'it refers to "#/constructor", which does not exist'],
  [{ title: 'x', not: { $ref: '#/title' } }, 'it refers to "#/title", which is no schema'],
  [{ nullable: true } as Schema, 'it has "nullable: true", as OpenAPI 3.0 has it'],
  [standard([]), '"~standard.jsonSchema" returned a list'],
  [standard(null), '"~standard.jsonSchema" returned null'],
])('%j is not read: %s', (schema, message) => {
  expect(() => readSchema(schema, 'output')).toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
  )
})

test.each<{ name: string; one: object; other: object; difference?: string }>([
  { name: 'order in sets', one: { required: ['a', 'b'] }, other: { required: ['b', 'a'] } },
  {
    name: 'order elsewhere',
    one: { prefixItems: [text, {}] },
    other: { prefixItems: [{}, text] },
    difference: '/prefixItems/0/type',
  },
  {
    name: 'the length of lists',
    one: { prefixItems: [text] },
    other: { prefixItems: [text, {}] },
    difference: '/prefixItems',
  },
  { name: 'a type instead of types', one: { type: ['string'] }, other: text },
  { name: 'what is inside by name', one: { items: { $id: 'A', not: {} } }, other: { items: { $id: 'A' } } },
  {
    name: 'a name of another',
    one: { items: { $id: 'A' } },
    other: { items: { $id: 'B' } },
    difference: '/items/$ref',
  },
  { name: 'a name of none', one: { items: { $id: 'A' } }, other: { items: {} }, difference: '/items/$ref' },
  {
    name: 'parts without names',
    one: { $defs: { union1: { type: 'null', not: ref('#/$defs/union1') } }, not: ref('#/$defs/union1') },
    other: { $defs: { union2: { type: 'null', not: ref('#/$defs/union2') } }, not: ref('#/$defs/union2') },
  },
  {
    name: 'other parts',
    one: { $defs: { union1: { type: 'null', not: ref('#/$defs/union1') } }, not: ref('#/$defs/union1') },
    other: { $defs: { union2: { type: 'array', not: ref('#/$defs/union2') } }, not: ref('#/$defs/union2') },
    difference: '/not/type',
  },
  {
    name: 'another order of branches',
    one: { anyOf: [text, {}, text, { not: {} }] },
    other: { anyOf: [{}, text, { not: {} }, text] },
  },
  {
    name: 'another branch',
    one: { anyOf: [text, {}] },
    other: { anyOf: [{ type: 'null' }, text] },
    difference: '/anyOf/0/type',
  },
  { name: 'a branch for two', one: { anyOf: [text, text] }, other: { anyOf: [text, {}] }, difference: '/anyOf/1/type' },
  { name: 'one branch more', one: { oneOf: [text] }, other: { oneOf: [text, {}] }, difference: '/oneOf/1' },
  {
    name: 'a part that is written there',
    one: { $defs: { union1: text }, not: ref('#/$defs/union1') },
    other: { not: text },
  },
  {
    name: 'rules beside a part',
    one: { $defs: { union1: text }, not: { $ref: '#/$defs/union1', minLength: 1 } },
    other: { $defs: { union2: text }, not: { $ref: '#/$defs/union2', minLength: 1 } },
  },
  {
    name: 'another rule beside a part',
    one: { $defs: { union1: text }, not: { $ref: '#/$defs/union1', minLength: 1 } },
    other: { $defs: { union2: text }, not: { $ref: '#/$defs/union2', minLength: 2 } },
    difference: '/not/minLength',
  },
  {
    name: 'a name beside a rule',
    one: { not: { $ref: 'A', minLength: 1 } },
    other: { not: { $ref: 'B', minLength: 1 } },
    difference: '/not/$ref',
  },
  {
    name: 'strings for people',
    one: { not: { title: 'A' } },
    other: { not: { title: 'B' } },
    difference: '/not/title',
  },
  { name: 'what is elsewhere', one: { not: ref('x:1') }, other: { not: ref('x:1') } },
])('the difference of schemas: $name', ({ one, other, difference }) => {
  const found = differenceOf(readSchema(one as Schema, 'output'), readSchema(other as Schema, 'output'))
  expect(found).toBe(difference)
})

const looped: Record<string, unknown> = {}
looped.not = { items: looped }
const noop = () => {}
const side = (jsonSchema: object) => ({ '~standard': { jsonSchema } })
const arktype = Object.assign(() => {}, side({ input: noop, output: noop }))
test.each<[string, unknown, isSchema: boolean, isResponse?: boolean]>([
  ['plain JSON Schema', { type: 'object', properties: { a: { enum: [1, null] } }, description: undefined }, true],
  ['a boolean', false, true],
  ['without a prototype', Object.create(null), true],
  ['one function of arktype', arktype, true],
  ['a string', 'x', false],
  ['a list', [], false],
  ['null', null, false, true],
  ['by media type', { content: { 'text/csv': true, 'a/b': text } }, false, true],
  ['by media type as OpenAPI has it', { content: { 'a/b': { schema: text } } }, false],
  ['a response of OpenAPI', { description: 'x', content: { 'a/b': text } }, false],
  ['behind another key', { schema: text }, false],
  ['text alone, and keywords of others', { description: 'x', 'x-a': text, xml: {} }, true],
  ['beside keywords of others', { type: 'object', errorMessage: { type: 'x' } }, true],
  ['by something else', { content: { a: noop } }, false],
  ['wrong ones by media type', { content: { 'a/b': noop } }, false],
  ['a number that JSON cannot hold', { minimum: Number.NaN }, false],
  ['an inner function', { not: noop }, false],
  ['a Standard Schema that cannot say itself', { '~standard': {} }, false],
  ['one that can say its input alone', side({ input: noop }), false],
  ['one that can say its output alone', side({ output: noop }), false],
  ['of a class, such as of Joi 17', new (class {})(), false],
  ['in a loop', looped, false],
  ['by status', { 200: text, '4XX': true, 204: null, 205: undefined, default: false }, false, true],
  ['by `default` alone', { default: text }, true, true],
  ['a default value alone', { default: 7 }, true, false],
  ['by a status in small letters', { '2xx': text }, false],
  ['a wrong one by status', { 200: 7 }, true, false],
  ['by status and by a keyword', { 200: text, type: 'null' }, true, false],
  ['by a status that is none', { 600: noop }, false],
])('may be a schema, and a response: %s', (_name, value, schema, response = schema) => {
  expect([isSchema(value), isResponse(value)]).toEqual([schema, response])
})

test.each<[said: unknown, entries: object, of204: unknown, of404: unknown]>([
  [undefined, {}, undefined, undefined],
  [null, { '2XX': null }, null, undefined],
  [text, { 200: text }, undefined, undefined],
  [{ 201: text, '4XX': user, 204: null, 205: undefined }, { 201: text, '4XX': user, 204: null }, null, user],
  [{ 404: text, '4XX': user, default: null }, { 404: text, '4XX': user, default: null }, null, text],
  [{ default: text }, { default: text }, text, text],
  [{ default: 'a', type: 'string' }, { 200: { default: 'a', type: 'string' } }, undefined, undefined],
])('schemas of responses by status: %j', (said, entries, of204, of404) => {
  const responses = byStatus(said, '200')
  expect(Object.fromEntries(responses)).toEqual(entries)
  expect([saidOf(responses, 204), saidOf(responses, 404)]).toEqual([of204, of404])
  expect(byStatus(text, '2XX')).toEqual(new Map([['2XX', text]]))
})

/** Schemas by name. `kind` of today is `type` in those that begin with a small letter. */
const BRANCHES: Record<string, Record<string, unknown>> = {
  A: { properties: { kind: { const: 'a' } } },
  B: { properties: { kind: ref('Kinds') } },
  Kinds: ref('Enum'),
  Enum: { enum: ['b', 'c'] },
  Any: { properties: { kind: true }, allOf: [ref('Any')] },
  Loop: { properties: { kind: ref('Turn') } },
  Turn: ref('Turn'),
  old: { properties: { type: { const: 'o' } } },
  same: { properties: { kind: { const: 's' } } },
  both: { properties: { kind: text, type: text } },
  none: { properties: { other: text } },
}
test.each<{ name: string; branches: object[]; property?: string; values: object }>([
  { name: 'a value', branches: [ref('A')], property: 'kind', values: { A: ['a'] } },
  {
    name: 'values behind references',
    branches: [ref('A'), ref('B')],
    property: 'kind',
    values: { A: ['a'], B: ['b', 'c'] },
  },
  { name: 'a part alone', branches: [{ allOf: [ref('A')] }], property: 'kind', values: { A: ['a'] } },
  {
    name: 'a schema without a name',
    branches: [{ allOf: [ref('A'), ref('Any')] }],
    property: 'kind',
    values: { undefined: ['a'] },
  },
  {
    name: 'a name instead of values',
    branches: [ref('A'), ref('Any')],
    property: 'kind',
    values: { A: ['a'], Any: ['Any'] },
  },
  { name: 'a name, where values are in a loop', branches: [ref('Loop')], property: 'kind', values: { Loop: ['Loop'] } },
  { name: 'an older name', branches: [ref('old')], property: 'type', values: { old: ['o'] } },
  { name: 'a name that was not changed', branches: [ref('same')], property: 'kind', values: { same: ['s'] } },
  { name: 'no name, where two are possible', branches: [ref('both')], values: {} },
  { name: 'no name, where none is there', branches: [ref('none')], values: {} },
  { name: 'no name, where names differ', branches: [ref('A'), ref('old')], values: {} },
  { name: 'no name without branches', branches: [], values: {} },
])('a discriminator is read: $name', ({ branches, property, values }) => {
  const renamed = (reference: string) => new Map(/^[a-z]/.test(reference) ? [['kind', 'type']] : [])
  const follow = (reference: string) => ({ schema: BRANCHES[reference] ?? {} })
  const schema = { discriminator: { propertyName: 'kind' } }
  const found = discriminatorIn<{ schema: Record<string, unknown> }>({ schema }, branches as never, { follow, renamed })
  const told = found?.branches.map(({ name, values }) => [name, values]) ?? []
  expect([found?.propertyName, Object.fromEntries(told)]).toEqual([property, values])
})

const SAMPLES = rows(`
  {"examples":[{"a":"x"}]}                                           | {"a":"x"}
  {"type":"string","minLength":6}                                    | "text.."
  {"type":"string","format":"date"}                                  | "2026-01-01"
  {"type":["null","string"]}                                         | "text"
  {"type":"number","exclusiveMinimum":7}                             | 8
  {"type":"array","items":{"type":"boolean"}}                        | []
  {"type":"array","minItems":1,"items":{"type":"boolean"}}           | [true]
  {"type":"array","minItems":1}                                      | []
  {"anyOf":[{"type":"null"},{"type":"integer"}]}                     | 1
  {"properties":{"a":{"oneOf":[{"type":"null"}]}},"required":["a"]}  | {"a":null}
  {"allOf":[{"const":{"a":1}},{"const":{"b":2}},true]}               | {"a":1,"b":2}
  {"allOf":[{"type":"integer","minimum":3},{"maximum":4}]}           | 3
  {"$defs":{"A":{"type":"boolean"}},"$ref":"#/$defs/A"}              | true
  {"$ref":"https://a.example/"}                                      | {}
  {"properties":{"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["a"]} | {"a":null}
  {"type":"object","properties":{"a":true}}                          | {}
  {"type":"object","required":["a"]}                                 | {}
`)
test.each(SAMPLES)('a body of %s is %s', (schema = '', sample = '') => {
  expect(sampleOf(JSON.parse(schema), new Map())).toEqual(JSON.parse(sample))
})

test('a body of schemas that are too deep', () => {
  const two = (inner: Schema) => ({ properties: { a: inner, b: inner }, required: ['a', 'b'] })
  const deep = Array.from({ length: 40 }, (_, depth) => [`a${depth}`, two({ $ref: `#/$defs/a${depth + 1}` })])
  const sample = sampleOf({ $ref: '#/$defs/a0', $defs: { ...Object.fromEntries(deep), a40: {} } }, new Map())
  expect(JSON.stringify(sample).length).toBeLessThan(10_000)
})

test('a schema whose readings are known is a schema, with its definitions by name', () => {
  const [input, output] = [{ $ref: 'User' }, { not: { $ref: 'User' } }]
  const definitions = new Map([['User', user]])
  const schema = schemaOf({ input: { schema: input, definitions }, output: { schema: output, definitions } })
  expect(isSchema(schema)).toBe(true)
  const { jsonSchema } = (
    schema as { '~standard': { jsonSchema: Record<'input' | 'output', (options: object) => object> } }
  )['~standard']
  expect([jsonSchema.input({}), jsonSchema.output({})]).toStrictEqual([input, output])
  expect(readSchema(schema, 'output').schema).toBe(output)
})
