import { type ContractOptions, contract } from 'express-versioning/contract'
import { unknownProperties } from '../../src/contract/unknown-properties'
import { rows } from '../support/rows'

const CASES = rows(`
  // what says nothing of others loses them
  {"properties":{"a":{}}} | {"a":1,"b":2} | b
  {"type":"object"} | {"a":1} | -
  {"properties":{"a":{}},"additionalProperties":false} | {"b":2} | -
  {"properties":{"a":{}},"additionalProperties":true} | {"b":2} | -
  {"properties":{"a":{}},"unevaluatedProperties":{}} | {"b":2} | -
  {"properties":{"a":{}},"additionalProperties":{"properties":{"c":{}}}} | {"b":{"c":1,"d":1}} | b/d
  {"properties":{"a":{}},"patternProperties":{"^x":{"properties":{}}}} | {"x1":{"y":1},"z":1} | x1/y z
  {"properties":{"a":true}} | {"a":{"b":1}} | -
  // lists
  {"items":{"properties":{"a":{}}}} | [{"a":1,"b":2},7,null] | 0/b
  {"prefixItems":[{"properties":{}}],"items":{"type":"object"}} | [{"a":1},{"a":1}] | 0/a
  {"items":false} | [{"a":1}] | -
  // references and allOf
  {"$ref":"#/$defs/A","$defs":{"A":{"properties":{"a":{"$ref":"#/$defs/A"}}}}} | {"a":{"a":{"b":1}},"c":1} | c a/a/b
  {"$ref":"#/$defs/None"} | {"a":1} | -
  {"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}},{"type":"object"}]} | {"a":1,"b":1,"c":1} | c
  {"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false} | {"a":1,"b":1} | -
  {"allOf":[{"properties":{"a":{}},"additionalProperties":false},{"properties":{"a":{}}}]} | {"a":1,"b":1} | -
  {"properties":{"a":{}},"dependencies":{"a":{"properties":{"b":{}}},"c":["a"]}} | {"a":1,"b":1,"c":1} | c
  {"properties":{"a":{}},"dependentSchemas":{"a":{"properties":{"b":{}}},"z":{"properties":{"c":{}}}}} | {"a":1,"b":1,"c":1} | c
  {"properties":{"a":{}},"if":{"required":["a"]},"then":{"properties":{"b":{}}}} | {"a":1,"b":1,"c":1} | c
  // unions: the value tells
  {"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{}}}]} | {"a":1,"b":1} | b
  {"oneOf":[{"properties":{"k":{"const":"x"},"a":{}}},{"properties":{"k":{"const":"y"},"b":{}},"required":["k"]}]} | {"k":"y","a":1,"b":1} | a
  {"oneOf":[{"properties":{"k":{"const":"x"},"a":{}}},{"properties":{"k":{"const":"y"},"b":{}},"required":["k"]}]} | {"a":1,"b":1} | b
  {"oneOf":[{"properties":{"k":{"const":1},"a":{}},"required":["k"]},{"properties":{"k":{"const":2},"b":{}},"required":["k"]}]} | {"k":"2","a":1,"b":1} | text a
  // what no branch has goes, where none is told
  {"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]} | {"a":1,"b":1,"c":1} | c
  {"anyOf":[{"properties":{"a":{}}},{"type":"object"}]} | {"a":1,"c":1} | -
  {"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]} | {"a":1,"c":1} | c
  {"oneOf":[{"type":"string"},{"type":"number"}]} | {"a":1} | -
  {"anyOf":[{"properties":{"a":{}},"additionalProperties":false},{"properties":{"b":{}},"additionalProperties":false}]} | {"c":1} | -
  // unevaluated ones: what nothing inside of the same schema is about
  {"unevaluatedItems":{"properties":{"a":{}}}} | [{"a":1,"b":2}] | 0/b
  {"prefixItems":[{"properties":{"c":{}}}],"unevaluatedItems":{"properties":{"a":{}}}} | [{"a":1,"c":1},{"a":1,"c":1}] | 0/a 1/c
  {"items":{"properties":{"a":{}}},"unevaluatedItems":{"properties":{"b":{}}}} | [{"a":1,"b":2}] | 0/b
  {"allOf":[{"items":{"properties":{"a":{}}}}],"unevaluatedItems":{"properties":{"b":{}}}} | [{"a":1,"b":2}] | 0/b
  {"allOf":[{"unevaluatedItems":{"properties":{"a":{}}}}],"unevaluatedItems":{"properties":{"b":{}}}} | [{"a":1,"b":2}] | 0/b
  {"allOf":[{"prefixItems":[{"properties":{"a":{}}}]}],"unevaluatedItems":{"properties":{"b":{}}}} | [{"a":1,"b":2},{"a":1,"b":2}] | 0/b 1/a
  {"unevaluatedItems":false} | [{"a":1}] | -
  {"contains":{"properties":{"c":{}}},"unevaluatedItems":{"properties":{"a":{}}}} | [{"a":1,"b":1,"c":1}] | 0/b
  {"contains":{"required":["c"]},"unevaluatedItems":{"properties":{"a":{}}}} | [{"b":1,"c":1}] | -
  {"contains":true,"unevaluatedItems":{"properties":{"a":{}}}} | [{"b":1}] | -
  {"unevaluatedProperties":{"properties":{"a":{}}}} | {"x":{"a":1,"b":1}} | x/b
  {"allOf":[{"properties":{"x":{"properties":{"a":{}}}}}],"unevaluatedProperties":{"properties":{"b":{}}}} | {"x":{"a":1,"b":1},"y":{"a":1,"b":1}} | x/b y/a
  {"allOf":[{"patternProperties":{"^x":{"properties":{"a":{}}}}}],"unevaluatedProperties":{"properties":{"b":{}}}} | {"x":{"a":1,"b":1}} | x/b
  {"allOf":[{"additionalProperties":{"properties":{"a":{}}}}],"unevaluatedProperties":{"properties":{"b":{}}}} | {"x":{"a":1,"b":1}} | x/b
  {"additionalProperties":{"properties":{"a":{}}},"unevaluatedProperties":{"properties":{"b":{}}}} | {"x":{"a":1,"b":1}} | x/b
  // a cousin evaluates nothing
  {"allOf":[{"properties":{"x":{"properties":{"a":{}}}}},{"unevaluatedProperties":{"properties":{"b":{}}}}]} | {"x":{"a":1,"b":1,"c":1}} | x/c
  // a pattern that is only valid outside of Unicode mode
  {"properties":{},"patternProperties":{"^\\\\_":{}}} | {"_a":1,"b":1} | b
  // names of Object.prototype
  {"properties":{"a":{}}} | {"__proto__":1,"constructor":1,"toString":1} | __proto__ constructor toString
`)
test.each(CASES)('%s of %s: %s', (schema = '', value = '', expected = '') => {
  const [isText, names] = expected.startsWith('text ') ? [true, expected.slice(5)] : [false, expected]
  const unknown = unknownProperties(JSON.parse(schema))
  const sent = JSON.parse(value)
  const found = unknown(sent, isText)
  expect(new Set(found.map(({ path }) => path.join('/')))).toEqual(new Set(names === '-' ? [] : names.split(' ')))
  for (const property of found) property.remove()
  expect(unknown(sent, isText)).toEqual([])
})

test('a value costs time in proportion to its size, however deep', () => {
  const unknown = unknownProperties(
    JSON.parse(
      '{"$ref":"#/$defs/T","$defs":{"T":{"properties":{"t":{"anyOf":[{"$ref":"#/$defs/T"},{"type":"array"}]}}}}}',
    ),
  )
  let value: object = { evil: 1 }
  for (let depth = 0; depth < 100_000; depth++) value = { t: value }
  const [found] = unknown(value, false)
  expect(found?.path.length).toBe(100_001)
})

test('many unknown properties of a deep value cost no paths, and a recursive schema is read once', () => {
  const unknown = unknownProperties(
    JSON.parse('{"$ref":"#/$defs/T","$defs":{"T":{"properties":{"t":{"$ref":"#/$defs/T"}}}}}'),
  )
  let value: object = {}
  // All paths of 40,000 properties would have 800 million names.
  for (let depth = 0; depth < 40_000; depth++) value = { t: value, evil: 1 }
  const found = unknown(value, false)
  expect([found.length, found.at(-1)?.path.length]).toEqual([40_000, 40_000])
})

test.each(
  rows(`
  null | contract() takes an object of options; got null.
  {} | contract(): option "compile" takes a function (schema, part) => validator, such as (schema) => ajv.compile(schema); got undefined.
  {"compile":1} | contract(): option "compile" takes a function (schema, part) => validator, such as (schema) => ajv.compile(schema); got 1.
  {"requests":"none"} | contract(): option "requests" takes 'older', 'all' or false; got 'none'.
  {"standard":1} | contract(): option "standard" takes true or false; got 1.
  {"unknown":true} | contract(): option "unknown" takes 'strip', 'keep' or 'refuse'; got true.
  {"refuse":{}} | contract(): option "refuse" takes a function (issues, { req, version, operation }) => error; got {}.
  {"responses":true} | contract(): option "responses" takes 'warn', 'throw' or false; got true.
  {"response":"warn"} | contract(): unknown option "response". Did you mean "responses"? It takes "compile", "standard", "requests", "unknown", "refuse", "responses".
`),
)('contract(%s): %s', (options = '', message = '') => {
  const given = JSON.parse(options)
  const compile = () => () => true
  const complete = given === null || 'compile' in given || options === '{}' ? given : { compile, ...given }
  expect(() => contract(complete)).toThrow(new TypeError(message))
})

test('a class, such as an own error, is none of the functions', () => {
  const compile = () => () => true
  class Misfit extends Error {}
  const takes = (options: object) => () => contract(options as ContractOptions)
  expect(takes({ compile, refuse: Misfit })).toThrow(
    new TypeError(
      'contract(): option "refuse" takes a function (issues, { req, version, operation }) => error; got [class Misfit extends Error].',
    ),
  )
  expect(takes({ compile, refuse: Error })).toThrow('contract(): option "refuse" takes')
  expect(takes({ compile: Misfit })).toThrow('contract(): option "compile" takes')
  expect(takes(compile)).toThrow('contract() takes an object of options; got [Function: compile].')
})
