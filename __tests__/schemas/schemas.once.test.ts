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

/** Reads JSON in which `text` is a schema of strings, and `@A` refers to `A`. */
const parsed = (json = '') =>
  JSON.parse(json.replaceAll(/\btext\b/g, '{"type":"string"}').replaceAll(/@([^\s,\]}]+)/g, '{"$ref":"$1"}'))

// The last two columns are the schema that is read, and its definitions.
const READ = rows(`
  a name             | {"$id":"https://a.example/s/A.json","not":text}  | @A                   | {"A":{"not":text}}
  no name            | {"$id":"https://a.example/?x","not":@/?x}        | @#                   | {"#":{"not":@#}}
  a part             | {"$defs":{"A":text,"B":{}},"not":@#/$defs/A}     | {"not":@A}           | {"A":text}
  a nameless part    | {"$defs":{"":text},"not":@#/$defs/}              | {"not":@#/$defs/}    | {"#/$defs/":text}
  like a pointer     | {"$defs":{"#a":text},"not":@#/$defs/%23a}        | {"not":@#/$defs/%23a} | {"#/$defs/%23a":text}
  escapes            | {"$defs":{"a/~b%":text},"not":@#/$defs/a~1~0b%}  | {"not":@a/~b%}       | {"a/~b%":text}
  the first anchor   | {"$defs":{"A":{"$anchor":"x"},"B":{"$anchor":"x","not":text}},"not":@#x} | {"not":@A} | {"A":{}}
  a dynamic anchor   | {"$defs":{"A":{"$dynamicAnchor":"x"}},"not":{"$dynamicRef":"#x"}}   | {"not":@A} | {"A":{}}
  a dynamic reference without such an anchor | {"$defs":{"A":{"$anchor":"x"}},"not":{"$dynamicRef":"#x"}} | {"not":@A} | {"A":{}}
  an address below   | {"$id":"https://a.example/","not":@A,"$defs":{"B":{"$id":"A"}}}     | {"not":@A} | {"A":{}}
  the first address  | {"not":@x:A,"$defs":{"A":{"$id":"x:A"},"B":{"$id":"x:A","not":text}}} | {"not":@A} | {"A":{}}
  no address         | {"$id":"http://[","not":@http://[}               | @[                   | {"[":{"not":@[}}
  what is added later | {"not":@#/components/x}                         | {"not":@#/components/x} | {}
  no schemas' place  | {"x":{"not":@#/x/y,"y":text},"not":@#/x}         | {"x":{"not":@#/x/y,"y":text},"not":@#/x} | {"#/x":{"not":@#/x/y,"y":text},"#/x/y":text}
  data               | {"const":@A,"enum":[@A],"not":{"$ref":7}}        | {"const":@A,"enum":[@A],"not":{"$ref":7}} | {}
  a name like generated ones | {"$id":"T1","not":text}                  | @T1                  | {"T1":{"not":text}}
  a generated name   | {"$defs":{"__schema0":text},"not":@#/$defs/__schema0} | {"not":@#/$defs/__schema0} | {"#/$defs/__schema0":text}
  a file elsewhere   | {"not":@User.json,"if":@https://a.example/s/User#} | {"not":@User,"if":@User} | {}
  an address elsewhere | {"$id":"https://a.example/s/A","not":@../User}  | @A                   | {"A":{"not":@User}}
  a component        | {"not":@#/components/schemas/a~1b}               | {"not":@a/b}         | {}
  a part elsewhere   | {"not":@User.json#/properties/id}                | {"not":@User.json#/properties/id} | {}
  a name behind an unknown keyword | {"x":{"y":{"$id":"A","not":@z}},"not":@#/x/y} | {"x":{"y":{"$id":"A","not":@z}},"not":@A} | {"A":{"not":@z}}
  a tuple of draft 7 | {"items":[text,@#],"additionalItems":false}      | @#                   | {"#":{"prefixItems":[text,@#],"items":false}}
  an open tuple      | {"items":[{"$id":"A"}]}                          | {"prefixItems":[@A]} | {"A":{}}
  dependencies       | {"dependencies":{"a":["b"],"c":{"$id":"A"}}}     | {"dependencies":{"a":["b"],"c":@A}} | {"A":{}}
  inner booleans     | {"not":true,"items":false,"allOf":[false]}       | {"not":{},"items":false,"allOf":[{"not":{}}]} | {}
  null as a schema   | {"items":null}                                   | {"items":{}}         | {}
  one name, equal    | {"items":{"$id":"A"},"not":{"$id":"A"}}          | {"items":@A,"not":@A} | {"A":{}}
`)
test.each(READ)('a schema is read: %s', (_name, schema, root, definitions) => {
  const reading = readSchema(parsed(schema), 'output')
  expect([reading.schema, Object.fromEntries(reading.definitions)]).toEqual([parsed(root), parsed(definitions)])
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

const loop = (key: string) => `{"$defs":{"${key}":{"type":"null","not":@#/$defs/${key} }},"not":@#/$defs/${key} }`
const beside = (key: string) => `{"$defs":{"${key}":text},"not":{"$ref":"#/$defs/${key}","minLength":1}}`
const DIFFERENCES = rows(`
  order in sets           | {"required":["a","b"]}         | {"required":["b","a"]}                 | -
  order elsewhere         | {"prefixItems":[text,{}]}      | {"prefixItems":[{},text]}              | /prefixItems/0/type
  the length of lists     | {"prefixItems":[text]}         | {"prefixItems":[text,{}]}              | /prefixItems
  a type instead of types | {"type":["string"]}           | {"type":"string"}                      | -
  what is inside by name  | {"items":{"$id":"A","not":{}}} | {"items":{"$id":"A"}}                  | -
  a name of another       | {"items":{"$id":"A"}}          | {"items":{"$id":"B"}}                  | /items/$ref
  a name of none          | {"items":{"$id":"A"}}          | {"items":{}}                           | /items/$ref
  parts without names     | ${loop('union1')}              | ${loop('union2')}                      | -
  other parts             | ${loop('union1')}              | ${loop('union2').replace('null', 'array')} | /not/type
  another order of branches | {"anyOf":[text,{},text,{"not":{}}]} | {"anyOf":[{},text,{"not":{}},text]} | -
  another branch          | {"anyOf":[text,{}]}            | {"anyOf":[{"type":"null"},text]}       | /anyOf/0/type
  a branch for two        | {"anyOf":[text,text]}          | {"anyOf":[text,{}]}                    | /anyOf/1/type
  one branch more         | {"oneOf":[text]}               | {"oneOf":[text,{}]}                    | /oneOf/1
  a part that is written there | {"$defs":{"union1":text},"not":@#/$defs/union1} | {"not":text}     | -
  rules beside a part     | ${beside('union1')}            | ${beside('union2')}                    | -
  another rule beside a part | ${beside('union1')}         | ${beside('union2').replace('1}', '2}')} | /not/minLength
  a name beside a rule    | {"not":{"$ref":"A","minLength":1}} | {"not":{"$ref":"B","minLength":1}} | /not/$ref
  strings for people      | {"not":{"title":"A"}}          | {"not":{"title":"B"}}                  | /not/title
  what is elsewhere       | {"not":@x:1}                   | {"not":@x:1}                           | -
`)
test.each(DIFFERENCES)('the difference of schemas: %s', (_name, one, other, difference) => {
  const found = differenceOf(readSchema(parsed(one), 'output'), readSchema(parsed(other), 'output'))
  expect(found ?? '-').toBe(difference)
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
const BRANCHES: Record<string, Record<string, unknown>> = parsed(`{
  "A":    {"properties":{"kind":{"const":"a"}}},
  "B":    {"properties":{"kind":@Kinds }}, "Kinds":{"$ref":"Enum"}, "Enum":{"enum":["b","c"]},
  "Any":  {"properties":{"kind":true},"allOf":[@Any ]},
  "Loop": {"properties":{"kind":@Turn }}, "Turn":@Turn ,
  "old":  {"properties":{"type":{"const":"o"}}},
  "same": {"properties":{"kind":{"const":"s"}}},
  "both": {"properties":{"kind":text,"type":text}},
  "none": {"properties":{"other":text}}
}`)
const TOLD = rows(`
  a value                     | [@A ]              | kind | {"A":["a"]}
  values behind references    | [@A ,@B ]          | kind | {"A":["a"],"B":["b","c"]}
  a part alone                | [{"allOf":[@A ]}]  | kind | {"A":["a"]}
  a schema without a name     | [{"allOf":[@A ,@Any ]}] | kind | {"undefined":["a"]}
  a name instead of values    | [@A ,@Any ]        | kind | {"A":["a"],"Any":["Any"]}
  a name, where values are in a loop | [@Loop ]    | kind | {"Loop":["Loop"]}
  an older name               | [@old ]            | type | {"old":["o"]}
  a name that was not changed | [@same ]           | kind | {"same":["s"]}
  no name, where two are possible | [@both ]       | -    | {}
  no name, where none is there | [@none ]          | -    | {}
  no name, where names differ | [@A ,@old ]        | -    | {}
  no name without branches    | []                 | -    | {}
`)
test.each(TOLD)('a discriminator is read: %s', (_title, branches, name, values) => {
  const renamed = (reference: string) => new Map(/^[a-z]/.test(reference) ? [['kind', 'type']] : [])
  const follow = (reference: string) => ({ schema: BRANCHES[reference] ?? {} })
  const schema = { discriminator: { propertyName: 'kind' } }
  const found = discriminatorIn<{ schema: Record<string, unknown> }>({ schema }, parsed(branches), { follow, renamed })
  const told = found?.branches.map(({ name, values }) => [name, values]) ?? []
  expect([found?.propertyName ?? '-', Object.fromEntries(told)]).toEqual([name, parsed(values)])
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
